import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer other than undefined. Throws after the time limit, with `describe()` as
 * the message. Times in milliseconds: the pauses take `interval`, or a tenth of the time waited so far where that is
 * longer, but not longer than `longest`.
 */
export async function waitUntil<T>(
	ask: () => T | undefined | Promise<T | undefined>,
	options: { timeout: number; describe: () => string; interval?: number; longest?: number },
): Promise<T> {
	const { interval = 100, longest = interval } = options;
	const begin = Date.now();
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		const waited = Date.now() - begin;
		if (waited >= options.timeout) throw new Error(options.describe());
		await sleep(Math.min(Math.max(interval, waited / 10), longest));
	}
}
