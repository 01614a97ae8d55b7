const FIRST_PAUSE_MS = 2_000;
const GROWTH = 2.5;
const STEADY_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 30_000;

/** From then on pauses grow with the time spent, so that a result is late by a small part of it. */
const PART_OF_ELAPSED = 1 / 24;

/**
 * How long to wait before asking for the statuses again, in milliseconds: from 2 s to 5 s in the
 * first two minutes, then a twenty-fourth of the time spent, up to 30 s. Jitter keeps many
 * executions from asking at the same moment.
 *
 * @param asked how often was asked before
 * @param elapsed how long has been waited already, in milliseconds
 * @param random a number from 0 up to 1
 */
export function pollPause(asked: number, elapsed: number, random: number): number {
	const early = Math.min(FIRST_PAUSE_MS * GROWTH ** asked, STEADY_PAUSE_MS);
	const pause = Math.min(Math.max(early, elapsed * PART_OF_ELAPSED), LONGEST_PAUSE_MS);
	return Math.round(pause * (0.9 + random * 0.2));
}
