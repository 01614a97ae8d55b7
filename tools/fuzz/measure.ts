import fc from 'fast-check';

import type { Target } from './target';

/** More processor time than this for one input is a failure, in milliseconds. */
export const MAX_MS = 50;

/** How often an input is tried again that seems to take long: the machine cleans up now and then. */
const REPEATS = 3;

/** What came of trying one target. */
export interface Result {
	name: string;
	inputs: number;
	/** Undefined when nothing failed, else what fast-check says about it. */
	failure: string | undefined;
	/** Processor time of the input that took slowest, in milliseconds. */
	maxMs: number;
	/** The beginning of that input. */
	slowest: string;
}

/** Tries inputs on a target until the time is over or one fails; a failing one is made small. */
export async function tryOut<T>(
	{ name, inputs, tryInput }: Target<T>,
	seconds: number,
	seed: number,
): Promise<Result> {
	const result: Result = { name, inputs: 0, failure: undefined, maxMs: 0, slowest: '' };
	const property = fc.asyncProperty(inputs, async (input) => {
		result.inputs++;
		let spent = await processorTime(async () => await tryInput(input));
		if (spent <= result.maxMs) return;
		for (let repeat = 0; repeat < REPEATS; repeat++) {
			spent = Math.min(spent, await processorTime(async () => await tryInput(input)));
		}
		if (spent > result.maxMs) {
			result.maxMs = spent;
			result.slowest = fc.stringify(input).slice(0, 200);
		}
		if (spent > MAX_MS) throw new Error(`It takes ${spent.toFixed(0)} ms of processor time`);
	});
	const details = await fc.check(property, {
		seed,
		numRuns: Number.MAX_SAFE_INTEGER,
		interruptAfterTimeLimit: seconds * 1_000,
		markInterruptAsFailure: false,
	});
	if (details.failed) {
		const reason = details.errorInstance instanceof Error ? details.errorInstance.stack : '';
		result.failure = `${fc.defaultReportMessage(details)}\n${reason}`;
	}
	return result;
}

/** Processor time of this process during some work, in milliseconds. */
async function processorTime(work: () => Promise<void>): Promise<number> {
	const begun = process.cpuUsage();
	await work();
	const { user, system } = process.cpuUsage(begun);
	return (user + system) / 1_000;
}
