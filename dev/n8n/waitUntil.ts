import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer other than undefined. Throws after the time limit, with `describe()` as
 * the message. Times in milliseconds.
 */
export async function waitUntil<T>(
	ask: () => T | undefined | Promise<T | undefined>,
	options: { timeout: number; describe: () => string; interval?: number },
): Promise<T> {
	const end = Date.now() + options.timeout;
	for (;;) {
		const answer = await ask();
		if (answer !== undefined) return answer;
		if (Date.now() >= end) throw new Error(options.describe());
		await sleep(options.interval ?? 100);
	}
}
