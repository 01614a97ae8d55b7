/*
 * When to poll runs again, and when n8n's wait timer is to resume an execution. All durations are in milliseconds, moments
 * since 1970. `random` is a number from 0 up to 1, so that many executions do not poll at the same moment.
 */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** The shortest time for which n8n's wait timer is exact. For a shorter one it may be up to a minute late. */
export const LEAST_TIMER_MS = MINUTE;

/** Pauses grow with the time spent: a run's end is noticed late by about this part of it at most, after the first minutes. */
const PART_OF_ELAPSED = 1 / 24;

/** The pauses between polls inside a running node: the first one, those of the first two minutes, and the longest. */
const FIRST_POLL_PAUSE_MS = 2 * SECOND;
const STEADY_PAUSE_MS = 5 * SECOND;
const MAX_POLL_PAUSE_MS = 30 * SECOND;

/** The pause before the next poll inside a running node. @param elapsed the time spent, of which it is a part */
export function pollPause(elapsed: number, random: number): number {
	const early = elapsed < FIRST_POLL_PAUSE_MS / 2 ? FIRST_POLL_PAUSE_MS : STEADY_PAUSE_MS;
	const pause = Math.min(Math.max(early, elapsed * PART_OF_ELAPSED), MAX_POLL_PAUSE_MS);
	return Math.round(pause * (0.9 + random * 0.2));
}

/** The pauses between polls of the watcher: the shortest, without callbacks and with them, the longest in the first ten minutes, and the longest of all. */
const MIN_WATCH_PAUSE_MS = SECOND;
const MIN_CALLBACK_PAUSE_MS = 3 * SECOND;
const EARLY_FOR_MS = 10 * MINUTE;
const MAX_EARLY_PAUSE_MS = 4 * SECOND;
export const MAX_WATCH_PAUSE_MS = 30 * SECOND;

/**
 * The pause before the watcher polls runs again: a twenty-fourth of the time since the last of them was started or ended,
 * from one to four seconds; after ten minutes longer, up to half a minute.
 *
 * @param isCalledBack whether a poll need only find lost callbacks: the pause has three seconds at least
 */
export function watchPause(unchangedFor: number, isCalledBack: boolean): number {
	const part = unchangedFor * PART_OF_ELAPSED;
	const least = isCalledBack ? MIN_CALLBACK_PAUSE_MS : MIN_WATCH_PAUSE_MS;
	const early = Math.min(Math.max(part, least), MAX_EARLY_PAUSE_MS);
	const later = (unchangedFor * MAX_EARLY_PAUSE_MS) / EARLY_FOR_MS;
	return Math.round(Math.min(Math.max(early, later), MAX_WATCH_PAUSE_MS));
}

/** How long until a moment; 0 where it is further ahead than it can be, as the clock was set back. */
export function timeUntil(moment: number, longest: number): number {
	const left = moment - Date.now();
	return left > longest && left < Infinity ? 0 : left;
}

/**
 * How long a node polls awake before the execution is suspended, if n8n cannot call its own address to resume it: where not all runs do,
 * or starts were slowed down.
 */
export const UNWATCHED_AWAKE_MS = MINUTE;

/** How long an execution stays awake after it was called, if its caller is answered with the results. */
export const AWAKE_FOR_CALLER_MS = 2 * MINUTE;

/** How long until n8n's wait timer resumes an execution: this part of `elapsed`, within bounds. */
const TIMERS = {
	/** No callback comes, and the process that watches its runs, if any does, may end. */
	noCallbacks: { part: PART_OF_ELAPSED, least: LEAST_TIMER_MS, max: 5 * MINUTE },
	/** Callbacks come, but may be lost. */
	callbacks: { part: 1 / 4, least: LEAST_TIMER_MS, max: 15 * MINUTE },
	/** Resuming early does harm or no good: see suspend.ts. */
	seldom: { part: 0, least: 15 * MINUTE, max: 15 * MINUTE },
};

/** How long until n8n's wait timer is to resume an execution. @param elapsed how long it has waited already */
export function timerPause(how: keyof typeof TIMERS, elapsed: number, random: number): number {
	const { part, least, max } = TIMERS[how];
	return Math.min(Math.round(Math.max(elapsed * part, least) * (1 + random * 0.1)), max);
}

/** How far apart n8n's wait timer resumes the executions of one process on average, and by how much it is put off at most. */
const BETWEEN_RESUMES_MS = 2 * SECOND;
const MAX_PUT_OFF_MS = 60 * MINUTE;

/**
 * By how much n8n's wait timer is put off, as this process has suspended so many executions: to execute each of them every
 * minute, or all at once, would keep n8n from its work.
 */
export function timerPutOff(suspended: number): number {
	return Math.min(suspended * BETWEEN_RESUMES_MS, MAX_PUT_OFF_MS);
}

/** How long after the date of its wait timer n8n may still resume an execution that it has loaded. */
export const DUE_AFTER_MS = 10 * SECOND;

/** How long before its date n8n may have armed its timer, which then fires even if the execution is resumed before (2.41 wait-tracker.js). */
const ARMED_BEFORE_MS = 75 * SECOND;

/** By how much the clocks of machines may differ. */
const CLOCK_SKEW_MS = 2 * SECOND;

/** How long after the watcher n8n's wait timer resumes an execution: late enough that it is not armed yet when the watcher does. */
export const BEHIND_WATCHER_MS = ARMED_BEFORE_MS + 15 * SECOND;

/** Whether n8n's wait timer may be about to resume the execution. */
export function isTimerNear(timerAt: number, now: number): boolean {
	return now >= timerAt - CLOCK_SKEW_MS && now <= timerAt + DUE_AFTER_MS;
}

/** Whether n8n may have armed its wait timer, and not resumed the execution yet. */
export function isTimerArmed(timerAt: number, now: number): boolean {
	return now >= timerAt - ARMED_BEFORE_MS && now <= timerAt + DUE_AFTER_MS;
}
