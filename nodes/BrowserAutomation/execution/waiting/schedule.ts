/**
 * When to ask about runs again. All times are in milliseconds; `random` is a number from 0 up to 1, so
 * that many executions do not ask at the same moment.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** n8n's clock is exact for dates at least so far ahead; nearer ones may be up to a minute late. */
const NEAREST = MINUTE;

const FIRST_PAUSE = 2 * SECOND;
const GROWTH = 2.5;
const STEADY_PAUSE = 5 * SECOND;
const LONGEST_PAUSE = 30 * SECOND;

/** From then on pauses grow with the time spent, so that a result is late by a small part of it. */
const PART_OF_ELAPSED = 1 / 24;

/**
 * How long to wait inside a running node before asking again: from 2 s to 5 s in the first two
 * minutes, then a twenty-fourth of the time spent, up to 30 s.
 *
 * @param asked how often was asked before
 * @param elapsed how long has been waited already
 */
export function pollPause(asked: number, elapsed: number, random: number): number {
	const early = Math.min(FIRST_PAUSE * GROWTH ** asked, STEADY_PAUSE);
	const pause = Math.min(Math.max(early, elapsed * PART_OF_ELAPSED), LONGEST_PAUSE);
	return Math.round(pause * (0.9 + random * 0.2));
}

/** How long a node without callbacks asks by itself before the execution sleeps between looks. */
export const IN_PLACE = MINUTE;

const LONGEST_SLEEP_WITHOUT_CALLBACKS = 5 * MINUTE;

/**
 * How long to sleep before the next look where no callback can come: a twenty-fourth of the time
 * spent, from one to five minutes.
 *
 * @param elapsed how long has been waited already
 */
export function sleepWithoutCallbacks(elapsed: number, random: number): number {
	const part = Math.max(elapsed * PART_OF_ELAPSED, NEAREST);
	return jittered(Math.min(part, LONGEST_SLEEP_WITHOUT_CALLBACKS), random);
}

const LONGEST_SLEEP = 15 * MINUTE;

/**
 * How long to sleep before looking whether a callback was lost: a minute at first, then a quarter of
 * the time spent, up to a quarter of an hour.
 *
 * @param elapsed how long has been waited already
 * @param claims whether n8n lets an execution be woken once only; one that does not is looked at
 * seldom, because its clock may wake an execution that a callback has woken already
 */
export function sleepWithCallbacks(elapsed: number, claims: boolean, random: number): number {
	if (!claims) return LONGEST_SLEEP;
	const part = Math.max(elapsed / 4, NEAREST);
	return Math.min(jittered(part, random), LONGEST_SLEEP);
}

/** How far apart n8n's clock wakes executions of one process on average, as far as that can be chosen. */
const BETWEEN_LOOKS = SECOND / 2;

/**
 * Makes the pause before a look longer where many executions sleep: carrying each of them out every
 * minute would keep n8n from its work. Above 1,800 executions looks come closer again, as none is
 * later than a quarter of an hour.
 *
 * @param asleep how many executions of this process n8n's clock is to wake
 */
export function spread(pause: number, asleep: number): number {
	return Math.max(pause, Math.min(asleep * BETWEEN_LOOKS, LONGEST_SLEEP));
}

function jittered(pause: number, random: number): number {
	return Math.round(pause * (1 + random * 0.1));
}

/** n8n loads an execution shortly before or after the date at which its clock wakes it. */
const BEFORE_DATE = 2 * SECOND;
const AFTER_DATE = 10 * SECOND;

/** An n8n that does not claim executions sets its timers so long before the date. */
const BEFORE_DATE_WITHOUT_CLAIMS = 75 * SECOND;

/**
 * Whether n8n's clock is about to wake an execution, so that a callback had better leave it to the
 * clock: both would act on the same stored state.
 */
export function isClocksTurn(date: number, now: number, claims: boolean): boolean {
	const before = claims ? BEFORE_DATE : BEFORE_DATE_WITHOUT_CLAIMS;
	return now >= date - before && now <= date + AFTER_DATE;
}
