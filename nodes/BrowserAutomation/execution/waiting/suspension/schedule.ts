/**
 * When to poll runs again. All times are in milliseconds; `random` is a number from 0 up to 1, so that many executions do
 * not poll at the same moment.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** n8n's wait timer is exact for dates at least so far ahead; nearer ones may be up to a minute late. */
const NEAREST = MINUTE;

/** From then on pauses grow with the time spent, so that a result is late by a small part of it. */
const PART_OF_ELAPSED = 1 / 24;

/** The first pause inside a running node. */
export const FIRST_PAUSE = 2 * SECOND;
const STEADY_PAUSE = 5 * SECOND;
const MAX_PAUSE = 30 * SECOND;

/**
 * The pause between polls inside a running node, by the time spent: 2 s at first, 5 s in the first two minutes, then a
 * twenty-fourth of the time spent, up to 30 s.
 */
export function pollPause(elapsed: number, random: number): number {
	const early = elapsed < FIRST_PAUSE / 2 ? FIRST_PAUSE : STEADY_PAUSE;
	const pause = Math.min(Math.max(early, elapsed * PART_OF_ELAPSED), MAX_PAUSE);
	return Math.round(pause * (0.9 + random * 0.2));
}

/** How far apart the watcher's polls are at first, for runs of up to ten minutes, and at the most. */
const FASTEST_POLL = SECOND;
const YOUNG = 10 * MINUTE;
const SLOWEST_YOUNG_POLL = 4 * SECOND;
const SLOWEST_POLL = 30 * SECOND;

/**
 * How long the watcher leaves runs alone: a twenty-fourth of the time since the last of them was started, or ended,
 * from one to four seconds; after ten minutes longer, up to half a minute.
 */
export function pauseBetweenPolls(quiet: number): number {
	const young = Math.min(Math.max(quiet * PART_OF_ELAPSED, FASTEST_POLL), SLOWEST_YOUNG_POLL);
	const old = (quiet * SLOWEST_YOUNG_POLL) / YOUNG;
	return Math.round(Math.min(Math.max(young, old), SLOWEST_POLL));
}

/** How long a node polls before the execution is suspended, where n8n cannot call itself to resume it. */
export const IN_PLACE = MINUTE;

/** How long after its call an execution stays awake, where its caller is answered with the results. */
export const AWAKE_FOR_CALLER = 2 * MINUTE;

/** How long until n8n's wait timer has the node poll: a part of the time spent, within bounds. */
const TIMER_PAUSES = {
	/** Where no callback comes, and the process that watches its runs, if any does, may be gone. */
	uncalled: { part: PART_OF_ELAPSED, least: NEAREST, max: 5 * MINUTE },
	/** In case that callbacks were lost as well. */
	called: { part: 1 / 4, least: NEAREST, max: 15 * MINUTE },
	/** Where n8n's wait timer may resume an execution that is awake already. */
	seldom: { part: 0, least: 15 * MINUTE, max: 15 * MINUTE },
};

/** @param elapsed how long has been waited already */
export function timerPause(how: keyof typeof TIMER_PAUSES, elapsed: number, random: number): number {
	const { part, least, max } = TIMER_PAUSES[how];
	return Math.min(Math.round(Math.max(elapsed * part, least) * (1 + random * 0.1)), max);
}

/** How far apart n8n's wait timer resumes executions of one process on average, up to the longest pause. */
const BETWEEN_RESUMES = 2 * SECOND;
const MAX_SPREAD = 60 * MINUTE;

/**
 * How much later the wait timer is set where this process has suspended so many: executing each of them every minute, or
 * all at once, would keep n8n from its work.
 */
export function spread(asleep: number): number {
	return Math.min(asleep * BETWEEN_RESUMES, MAX_SPREAD);
}

/** n8n loads an execution shortly before or after the date of its wait timer. */
const AFTER_DATE = 10 * SECOND;

/** An n8n that does not claim executions sets its timers so long before the date. */
const BEFORE_DATE = 75 * SECOND;

/** Clocks of machines differ. */
const SKEW = 2 * SECOND;

/** Whether n8n's wait timer may be about to resume what it has loaded at this date. @param claims whether n8n resumes it once only */
export function isTimerDue(date: number, now: number, claims = true): boolean {
	return now >= date - (claims ? SKEW : BEFORE_DATE) && now <= date + AFTER_DATE;
}
