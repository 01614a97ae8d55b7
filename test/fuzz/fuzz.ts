import fc, { type Arbitrary } from 'fast-check';

import { slownessNow } from '../cpuTime';
import { character } from '../randomValues';

/**
 * For how long each target is tried, in seconds. Without it so many inputs are, always the same ones: the gate sees that no
 * target rots, and each night (nightly.yml) they get their time.
 */
const { FUZZ_SECONDS } = process.env;
const INPUTS = 100;

/** More processor time than this for one input is a failure on a machine at rest, in milliseconds: while it lasts n8n answers nobody. */
const MAX_MS = 50;

/** How often an input is tried again that seems to take long: the machine cleans up now and then. */
const REPEATS = 3;

/**
 * A target: one kind of input that comes from elsewhere, and what is done with it.
 *
 * @param tryInput does with an input what a node does; throws when the node could harm or mislead anybody by that
 */
export function fuzz<T>(
	name: string,
	inputs: Arbitrary<T>,
	tryInput: (input: T) => void | Promise<void>,
): void {
	const property = fc.asyncProperty(inputs, async (input) => {
		let spent = await processorTime(async () => await tryInput(input));
		for (let repeat = 0; spent > MAX_MS && repeat < REPEATS; repeat++) {
			spent = Math.min(spent, await processorTime(async () => await tryInput(input)));
		}
		if (spent <= MAX_MS || spent <= MAX_MS * slownessNow()) return;
		throw new Error(`It takes ${spent.toFixed(0)} ms of processor time`);
	});
	const limit = Number(FUZZ_SECONDS ?? 0) * 1_000;
	const timed = { numRuns: Infinity, interruptAfterTimeLimit: limit, endOnFailure: false };
	it(
		name,
		async () => await fc.assert(property, FUZZ_SECONDS === undefined ? { numRuns: INPUTS } : timed),
		limit + 600_000,
	);
}

/** Processor time of this process during some work, in milliseconds. */
async function processorTime(work: () => Promise<void>): Promise<number> {
	const begun = process.cpuUsage();
	await work();
	return process.cpuUsage(begun).user / 1_000;
}

export function must(holds: boolean, words: string): void {
	if (!holds) throw new Error(`It does not hold that ${words}`);
}

/** Text of parts that a reader may stumble over, some of them very often. */
export function textOf(parts: string[], maxTimes = 3_000): Arbitrary<string> {
	const part = fc.oneof(
		{ arbitrary: fc.constantFrom(...parts), weight: 6 },
		{ arbitrary: fc.string({ unit: character, maxLength: 8 }), weight: 1 },
	);
	const often = fc.tuple(part, fc.integer({ min: 2, max: maxTimes }));
	const piece = fc.oneof(
		{ arbitrary: part, weight: 12 },
		{ arbitrary: often.map(([repeated, times]) => repeated.repeat(times)), weight: 1 },
	);
	return fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(''));
}

/** What stands between single spaces. */
export function words(text: string): string[] {
	return text.split(' ');
}

/** The result, or undefined for an error of a kind that is meant for users; other errors are thrown. */
export function unlessRefused<T>(
	work: () => T,
	Refusal: abstract new (...args: never[]) => Error,
): T | undefined {
	try {
		return work();
	} catch (error) {
		if (error instanceof Refusal) return undefined;
		throw error;
	}
}
