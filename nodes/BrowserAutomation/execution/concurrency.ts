import { InputError } from '../service/errors';
import { numberIn, type Field } from './field';

/** How many requests a node has under way at once unless the user says otherwise. */
export const DEFAULT_CONCURRENCY = 20;

const MOST = 100;

/** How many requests may be under way at once. */
export const concurrencyField: Field<number> = {
	name: 'concurrency',
	group: 'options',
	parameter: {
		displayName: 'Concurrency',
		type: 'number',
		typeOptions: { minValue: 1, maxValue: MOST },
		default: DEFAULT_CONCURRENCY,
		description: 'How many requests to the service may be under way at once',
	},
	read: (raw) => {
		if (raw === undefined) return DEFAULT_CONCURRENCY;
		const concurrency = numberIn(raw);
		if (Number.isInteger(concurrency) && concurrency >= 1 && concurrency <= MOST)
			return concurrency;
		throw new InputError(
			`Concurrency is not a whole number from 1 to ${MOST}`,
			`Enter e.g. ${DEFAULT_CONCURRENCY}, or remove the option.`,
		);
	},
};

/**
 * Calls `work` for each index from 0 up to `count`, at most `concurrency` at a time, lowest first.
 * After the first rejection no further work is begun.
 *
 * @throws what the first failing `work` threw, once the work under way has settled
 */
export async function forEachConcurrently(
	count: number,
	concurrency: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const failures: unknown[] = [];
	const lane = async (): Promise<void> => {
		while (next < count && failures.length === 0) {
			try {
				await work(next++);
			} catch (error) {
				failures.push(error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
	if (failures.length > 0) throw failures[0];
}
