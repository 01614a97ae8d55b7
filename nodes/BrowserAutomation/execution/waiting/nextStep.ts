import type { AwakeState } from './batch/pass';
import {
	openRuns,
	isComplete,
	idsOf,
	isNotReused,
	awaitedRuns,
	pendingStarts,
	type CancelReason,
	type Ledger,
	type StartedEntry,
} from './batch/ledger';
import { expectsCallbacks, maySuspend } from './batch/waitMethod';
import { dueItems, mayStartOnceStored, isNextWaveUnstored } from './batch/waves';
import { UNWATCHED_AWAKE_MS, LEAST_TIMER_MS, pollPause } from './schedule';

/**
 * What waiting does next, as data: items by their index, runs by their IDs, moments in milliseconds since 1970. steps.ts carries
 * them out, executeRuns.ts the last one.
 */
export type Step =
	/** Send these starts. */
	| { do: 'start'; items: number[]; oneByOne: boolean }
	/** Poll these runs. No request is sent or repeated after `until`. */
	| { do: 'poll'; taskIds: string[]; until: number }
	/** Cancel these runs, if any. If `why` is `person` or `failedStart`, pending starts are refused, too. */
	| { do: 'cancel'; taskIds: string[]; why: CancelReason }
	/** Stay awake until that moment, and decide again. */
	| { do: 'delay'; until: number }
	/** Suspend the execution. n8n resumes it at this address. */
	| { do: 'suspend'; resumeUrl: string }
	/** Pass the results on. */
	| { do: 'collect' }
	/** Fail with the error of the failed start. */
	| { do: 'fail' };

/** A step of one kind. */
export type StepTo<Kind extends Step['do']> = Extract<Step, { do: Kind }>;

/** What is possible in this execution now. */
export interface Abilities {
	/** The address at which n8n resumes the execution; undefined where it must not be suspended, or not yet, as its caller waits. */
	resumeUrl: string | undefined;
	/** Whether this process watches the runs when the execution is suspended now, and has n8n resume it as soon as it can go on. */
	canWatch: boolean;
	/** From when it may be suspended, in milliseconds since 1970: a stale write (staleWrites.ts) could undo it before. */
	suspendableFrom: number;
	/** How many runs the queue for slots lets start now; Infinity: until one is turned away. */
	allowedStarts: number;
}

/** For how long the last poll of paused runs is new enough. */
const FRESH_FOR_MS = 2_000;

/** How old the known statuses may be when a watcher takes over the polling. */
const MAX_POLL_AGE_MS = 60_000;

/** How soon an execution asks again whether it may start runs or be suspended. */
const ASK_AGAIN_MS = 500;

/**
 * The least time for which an execution is suspended, except to store a wave. Else one whose runs become too old shortly after
 * each other would be stored for each of them.
 */
const LEAST_SUSPENSION_MS = 2_000;

/** The least time a poll gets, even if the deadline passes meanwhile. */
const POLL_WITHIN_MS = 10_000;

/** How long after a failed request to cancel a run it is sent again, where a person wants it, or for its age. */
const CANCEL_RETRY_MS = 60_000;

/**
 * Decides what is done next. It reads only its arguments, changes nothing and never throws. The execution stays awake until
 * the step is `suspend`, `collect` or `fail`.
 *
 * @param now in milliseconds since 1970
 */
export function nextStep(
	ledger: Ledger,
	abilities: Abilities,
	awake: AwakeState,
	now: number,
): Step {
	const { waitMethod, queuedAt, deadline } = ledger;
	const { allowedStarts, canWatch, resumeUrl, suspendableFrom } = abilities;
	const { why, cancels } = cancelsOf(ledger, awake.startFailure?.at, now >= deadline);
	const toCancel = cancels.filter(({ dueAt }) => dueAt <= now).map(({ taskId }) => taskId);
	const cancel: Step = { do: 'cancel', taskIds: toCancel, why };
	const refusesStarts = why === 'person' || why === 'failedStart';
	if (refusesStarts && (toCancel.length > 0 || pendingStarts(ledger).length > 0)) return cancel;
	if (awake.startFailure !== undefined) return { do: 'fail' };

	const startAt = nextStartAt(ledger, abilities, awake, now);
	if (now >= startAt) {
		// Where no queue says how many slots are free, starts that wait for one are sent one by one.
		const oneByOne = queuedAt !== undefined && allowedStarts === Infinity;
		return { do: 'start', items: dueItems(ledger).slice(0, allowedStarts), oneByOne };
	}
	const pollAt = waitMethod === 'none' ? Infinity : nextPollAt(ledger, abilities, awake, now);
	if (now >= pollAt) {
		const until = Math.max(deadline, now + POLL_WITHIN_MS);
		return { do: 'poll', taskIds: idsOf(runsToPoll(ledger)), until };
	}
	if (toCancel.length > 0) return cancel;
	const isDone = waitMethod === 'none' ? pendingStarts(ledger).length === 0 : isComplete(ledger);
	if (isDone || now >= deadline) return { do: 'collect' };
	let askAt = Infinity;
	const cancelOrLimitAt = nextCancelOrLimitAt(ledger);
	const isUseful =
		isNextWaveUnstored(ledger) ||
		(cancelOrLimitAt - now >= LEAST_SUSPENSION_MS &&
			(canWatch || isUsefulUnwatched(ledger, awake.openedAt, startAt, now)));
	if (resumeUrl !== undefined && isUseful) {
		if (now >= suspendableFrom) return { do: 'suspend', resumeUrl };
		askAt = Math.min(suspendableFrom, now + ASK_AGAIN_MS);
	} else if (resumeUrl === undefined && maySuspend(waitMethod)) {
		// Its caller may have waited for long enough then.
		askAt = now + ASK_AGAIN_MS;
	}
	return { do: 'delay', until: Math.min(pollAt, startAt, askAt, cancelOrLimitAt) };
}

/** The runs that a poll reads. Of several items also paused ones that are no longer waited for: somebody may have resumed them. */
function runsToPoll(ledger: Ledger): StartedEntry[] {
	return ledger.entries.length > 1 ? openRuns(ledger) : awaitedRuns(ledger);
}

/** When starts are sent next, or when to ask again how many may be sent; Infinity for never. */
function nextStartAt(
	ledger: Ledger,
	{ allowedStarts }: Abilities,
	{ startsSentAt, random }: AwakeState,
	now: number,
): number {
	const { begunAt, deadline, lastStartAt, slowed } = ledger;
	if (now >= deadline || dueItems(ledger).length === 0) return Infinity;
	// The queue resumes only suspended executions. One that is awake has to ask again.
	if (allowedStarts === 0) return now + ASK_AGAIN_MS;
	// The clock was set back since the last start, from which these pauses count.
	if ((startsSentAt ?? lastStartAt ?? 0) > now) return now;
	const isImmediate = startsSentAt === undefined || allowedStarts < Infinity;
	const retryAt = isImmediate ? 0 : startsSentAt + pollPause(startsSentAt - begunAt, random);
	return Math.max(retryAt, slowed?.until ?? 0);
}

/** When the runs are polled next: a moment that has come if that is due, Infinity for never. */
function nextPollAt(
	ledger: Ledger,
	{ canWatch, resumeUrl, suspendableFrom }: Abilities,
	awake: AwakeState,
	now: number,
): number {
	const { deadline, begunAt, lastStartAt, statusesAt } = ledger;
	// A moment to come counts as never: the clock was set back, or it is still waited for.
	const ifPast = (moment = -Infinity): number => (moment > now ? -Infinity : moment);
	const knownAt = Math.max(ifPast(awake.pollTriedAt), ifPast(statusesAt));
	if (awaitedRuns(ledger).length === 0) {
		// Before the end, paused runs of several items are polled once more, as somebody may have resumed them. Only `pollTriedAt` tells
		// that this was done: `statusesAt` is of awaited runs alone.
		const isEnd = isComplete(ledger) || now >= deadline;
		const arePaused = isEnd && runsToPoll(ledger).length > 0;
		return arePaused && ifPast(awake.pollTriedAt) < now - FRESH_FOR_MS ? now : Infinity;
	}
	// The last poll is at the wait limit.
	if (now >= deadline) return ifPast(awake.pollTriedAt) < deadline ? now : Infinity;
	if (canWatch) return mayStartOnceStored(ledger) ? Infinity : knownAt + MAX_POLL_AGE_MS;
	// Where nothing watches the runs, all are polled before the execution is suspended: they may have ended before the latest of
	// these moments.
	const mustPollSince = Math.max(
		...[awake.openedAt, lastStartAt, suspendableFrom].map((moment) => ifPast(moment)),
	);
	if (resumeUrl !== undefined && knownAt < mustPollSince) return now;
	return knownAt + pollPause(knownAt - begunAt, awake.random);
}

/**
 * Whether to suspend, though this process does not watch the runs, rather than to stay awake until the next poll: if callbacks come
 * or the node has polled for a while, as long as n8n's wait timer is exact enough for the time left, and not for a
 * minute where starts were slowed down.
 */
function isUsefulUnwatched(
	ledger: Ledger,
	openedAt: number,
	startAt: number,
	now: number,
): boolean {
	const { begunAt, deadline, queuedAt = now, slowed } = ledger;
	const awakeFor = now - Math.max(queuedAt, openedAt);
	const isSlowed = slowed !== undefined && awakeFor < UNWATCHED_AWAKE_MS;
	if (Math.min(deadline, isSlowed ? startAt : Infinity) - now < LEAST_TIMER_MS) return false;
	return expectsCallbacks(ledger) || now - begunAt >= UNWATCHED_AWAKE_MS;
}

/**
 * Why runs are canceled, by the first reason that holds, and when the next request for each is due (Infinity: never). Else it is
 * their age, even where none is too old. Only a person cancels reused runs, too. A run has a `cancelReason` once the service has
 * accepted a request.
 */
function cancelsOf(ledger: Ledger, startFailedAt: number | undefined, isAtLimit: boolean) {
	const { isCanceled, settings, deadline, waitMethod } = ledger;
	const { cancelOnFailedStart, cancelAtLimit, cancelAfterMs = Infinity } = settings;
	const cancelsFor = (
		why: CancelReason,
		runs: StartedEntry[],
		dueAt: (run: StartedEntry) => number,
	) => ({ why, cancels: runs.map((run) => ({ taskId: run.taskId, dueAt: dueAt(run) })) });
	const againAt = ({ cancelSentAt = -Infinity }: StartedEntry) => cancelSentAt + CANCEL_RETRY_MS;
	const dueOnceAt =
		(moment: number) =>
		({ cancelSentAt = -Infinity }: StartedEntry) =>
			cancelSentAt < moment ? moment : Infinity;
	if (isCanceled === true) {
		return cancelsFor('person', openRuns(ledger), (run) =>
			run.cancelReason === 'person' ? Infinity : againAt(run),
		);
	}
	if (startFailedAt !== undefined && cancelOnFailedStart) {
		const open = openRuns(ledger).filter(isNotReused);
		return cancelsFor('failedStart', open, dueOnceAt(startFailedAt));
	}
	const cancelable = waitMethod === 'none' ? [] : awaitedRuns(ledger).filter(isNotReused);
	if (isAtLimit) return cancelsFor('limit', cancelAtLimit ? cancelable : [], dueOnceAt(deadline));
	// The age of a run counts from its start. One that the user has named has none, so it is never too old.
	const tooOldAt = ({ startedAt = Infinity }: StartedEntry) => startedAt + cancelAfterMs;
	return cancelsFor('age', cancelable, (run) =>
		run.cancelReason === undefined ? Math.max(tooOldAt(run), againAt(run)) : Infinity,
	);
}

/** When the wait limit is reached or a run is to be canceled, whichever is first, in milliseconds since 1970. */
export function nextCancelOrLimitAt(ledger: Ledger): number {
	const { cancels } = cancelsOf(ledger, undefined, false);
	return cancels.reduce((next, { dueAt }) => Math.min(next, dueAt), ledger.deadline);
}
