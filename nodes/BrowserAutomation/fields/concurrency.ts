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
		description: 'How many requests to send to the service at the same time',
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
