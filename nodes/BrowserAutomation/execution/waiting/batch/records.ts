import { ServiceError } from '../../../service/errors';
import type { RunStatus, StartedRun, StatusAnswer } from '../../../service/runs/runs';
import {
	isStarted,
	isStartPending,
	awaitedRuns,
	pendingStarts,
	toRefusal,
	UNSTORED,
	type Activity,
	type CancelReason,
	type Entry,
	type Ledger,
	type Refusal,
	type StartedEntry,
	type StoredSuspension,
	type SuspendedLedger,
} from './ledger';
import { resumesOnlySuspended } from '../platform';
import { dueStarts, nextWaveEnd } from './waves';

/*
 * All that changes a ledger, by what has happened. Everywhere else a ledger can only be read.
 */

/** Makes it writable: here, and for the copy that takeUp.ts makes and that is not kept yet. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type WritableLedger = Writable<Ledger>;

function startedOf({ entries }: Ledger): Array<Writable<StartedEntry>> {
	return entries.filter(isStarted);
}

/** Puts an item into another state. It keeps the key of its input. */
function put({ entries }: Ledger, item: number, state: Entry): void {
	const { inputKey } = entries[item] ?? {};
	Object.assign(entries, { [item]: inputKey === undefined ? state : { inputKey, ...state } });
}

/** Records what was read of runs. A run that the service does not know counts as refused. */
export function recordStatuses(
	ledger: Ledger,
	answers: ReadonlyMap<string, StatusAnswer | undefined>,
): void {
	for (const entry of startedOf(ledger)) {
		const answer = answers.get(entry.taskId);
		if (answer instanceof ServiceError) entry.refusal = toRefusal(answer);
		else if (answer !== undefined) entry.status = answer;
	}
}

/** Records the status of one item's run. */
export function recordStatus(run: Writable<StartedEntry>, status: RunStatus): void {
	run.status = status;
}

/** Records when the statuses of all awaited runs were last true, and when they were polled, if they were. */
export function recordStatusesAt(ledger: WritableLedger, at: number, polledAt?: number): void {
	ledger.statusesAt = at;
	if (polledAt !== undefined) ledger.activity = { ...ledger.activity, polledAt };
}

/** What a process has seen during a suspension: how the runs stand, and which of them have called back. */
export interface Seen {
	suspendedAt: number;
	/** Whether a watcher of this process began to poll the runs. A process that only handles calls hears nothing else. */
	wasWatched: boolean;
	answers: ReadonlyMap<string, StatusAnswer | undefined>;
	hasCalledBack(taskId: string): boolean;
	activity: Readonly<Activity>;
}

/**
 * Records that the execution is awake, and what was seen while it was suspended. Statuses that this process has not seen, or
 * that may have changed since its last poll, are to be polled.
 */
export function recordAwake(ledger: WritableLedger, seen: Seen | undefined): void {
	delete ledger.suspension;
	ledger.resumes += 1;
	const { statusesAt: knownBefore = 0 } = ledger;
	delete ledger.statusesAt;
	// Cancels that were not accepted are sent again at once: a person may have pressed the button once more.
	if (ledger.isCanceled === true) for (const entry of startedOf(ledger)) delete entry.cancelSentAt;
	if (seen === undefined) return;
	recordStatuses(ledger, seen.answers);
	ledger.activity = { ...ledger.activity, ...seen.activity };
	const { polledAt = 0, calledBackAt = 0, requestFailedAt = 0 } = ledger.activity;
	// Its watcher would have seen a change. A process that only handles calls may have missed one.
	const knownWhileWatched = seen.wasWatched ? knownBefore : 0;
	const at = polledAt >= seen.suspendedAt ? polledAt : knownWhileWatched;
	const noneCalledBack = awaitedRuns(ledger).every(({ taskId }) => !seen.hasCalledBack(taskId));
	if (noneCalledBack && at > Math.max(calledBackAt, requestFailedAt)) ledger.statusesAt = at;
}

/**
 * Records that the execution is suspended from now on, and chooses the starts that may be sent when it resumes.
 *
 * @param timer what n8n's wait timer was planned by
 * @returns the same ledger
 */
export function recordSuspended(
	ledger: WritableLedger,
	suspension: StoredSuspension,
	timer: Pick<Ledger, 'executionEndsAt' | 'wasTimerPutOff'>,
): SuspendedLedger {
	ledger.executionEndsAt = timer.executionEndsAt;
	ledger.wasTimerPutOff = timer.wasTimerPutOff;
	if (ledger.waveEnd !== undefined) ledger.waveEnd = nextWaveEnd(ledger);
	return Object.assign(ledger, { suspension });
}

/** Records the polls and callbacks of a suspension. n8n stores them with the execution that it resumes. */
export function recordActivity(ledger: WritableLedger, activity: Readonly<Activity>): void {
	ledger.activity = { ...activity };
}

/** Records that a request to the service failed while the execution was awake, and why, without the node's secrets. */
export function recordRequestError(ledger: WritableLedger, reason: string, now: number): void {
	ledger.activity = { ...ledger.activity, requestFailedAt: now, requestError: reason };
}

/** Records that a person had all runs canceled. */
export function recordCanceled(ledger: WritableLedger): void {
	ledger.isCanceled = true;
}

/**
 * Records that starts are sent in waves from now on, each of which is stored before it is sent (docs/develop/waiting.md: Stored
 * before the start): only in an n8n that resumes only what is suspended, as one that resumes an execution twice might send a wave twice.
 */
export function recordWaves(ledger: WritableLedger, resumeUrl: string): void {
	if (resumesOnlySuspended(resumeUrl)) ledger.waveEnd = UNSTORED;
}

/**
 * Records that starts were sent. Their wave is over when none of it is left: what had to wait, or failed, may be sent again in it.
 * Where none is pending at all, none waits.
 */
export function recordStartsSent(ledger: WritableLedger): void {
	if (ledger.waveEnd !== undefined && dueStarts(ledger).length === 0) ledger.waveEnd = UNSTORED;
	if (pendingStarts(ledger).length > 0) return;
	delete ledger.queuedAt;
	delete ledger.slowed;
}

/** Records that starts wait for a free slot of the plan, since now if they did not before. */
export function recordQueued(ledger: WritableLedger, now: number): void {
	ledger.queuedAt ??= now;
}

/** Records that the service has asked to slow down; or else that this counts no more, as the plan has no free slot. */
export function recordSlowdown(ledger: WritableLedger, slowed: Ledger['slowed']): void {
	ledger.slowed = slowed;
}

/** Records that runs do not call this execution back: they were started elsewhere, are too many, or the service refuses its address. */
export function recordNoCallbacks(ledger: WritableLedger): void {
	if (ledger.waitMethod === 'callback') ledger.waitMethod = 'noCallbacks';
}

/** Records that an item's start is on its way: n8n may store the ledger at that moment, when it stops the execution. */
export function recordSending(ledger: WritableLedger, item: number, now: number): void {
	const { request } = ledger.entries[item] ?? {};
	if (request === undefined) return;
	ledger.lastStartAt = now;
	put(ledger, item, { request, isBeingSent: true });
}

/** Records that an item's start was refused before it began anything: it is still to be sent. */
export function recordUnsent(ledger: Ledger, item: number): void {
	const { request } = ledger.entries[item] ?? {};
	if (request !== undefined) put(ledger, item, { request });
}

/** Records an item's run: one that was started just now, with its status, or one that existed before, whose status is to be polled. */
export function recordStarted(
	ledger: WritableLedger,
	item: number,
	run: StartedRun | Pick<StartedEntry, 'taskId' | 'isReused'>,
	now: number,
): void {
	const isNew = 'status' in run;
	const startedAt = isNew ? { startedAt: now } : {};
	put(ledger, item, { ...run, ...startedAt });
	if (!isNew) delete ledger.statusesAt;
}

/** Records why an item has no run. */
export function recordRefused(ledger: Ledger, item: number, refusal: Refusal): void {
	put(ledger, item, { refusal });
}

/** Records that the pending starts are not sent, and why. */
export function refuseStarts(ledger: WritableLedger, refusal: Refusal): void {
	for (const [item, entry] of ledger.entries.entries()) {
		if (isStartPending(entry)) recordRefused(ledger, item, refusal);
	}
	recordStartsSent(ledger);
}

/** Records that runs were to be canceled, and for which the service accepted it. Their statuses are to be polled. */
export function recordCancels(
	ledger: WritableLedger,
	tried: string[],
	accepted: ReadonlySet<string>,
	why: CancelReason,
	now: number,
): void {
	const ids = new Set(tried);
	for (const entry of startedOf(ledger)) {
		if (!ids.has(entry.taskId)) continue;
		entry.cancelSentAt = now;
		if (accepted.has(entry.taskId)) entry.cancelReason = why;
	}
	delete ledger.statusesAt;
}
