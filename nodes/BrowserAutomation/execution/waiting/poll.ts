const FIRST_PAUSE_MS = 2_000;
const LONGEST_PAUSE_MS = 30_000;
const GROWTH = 1.25;

/**
 * How long to wait before asking for the statuses again, in milliseconds: from 2 s growing to 30 s,
 * with jitter so that many executions do not ask at the same moment.
 *
 * @param asked how often was asked before
 * @param random a number from 0 up to 1
 */
export function pollPause(asked: number, random: number): number {
	const pause = Math.min(FIRST_PAUSE_MS * GROWTH ** asked, LONGEST_PAUSE_MS);
	return Math.round(pause * (0.9 + random * 0.2));
}
