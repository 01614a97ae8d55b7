import { ServiceError } from '../../../service/errors';
import type { RunStatus, StartedRun, StatusAnswer } from '../../../service/runs/runs';
import {
	isStarted,
	isStartPending,
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
import { dueItems, nextWaveEnd } from './waves';

/*
 * All that changes a ledger, by what has happened. Nothing else changes one.
 */

/** Writable: here, and in takeUp.ts, for a copy that is not kept yet. */
export type Writable<T> = { -readonly [Name in keyof T]: T[Name] };
type WritableLedger = Writable<Ledger>;

function startedOf({ entries }: Ledger): Array<Writable<StartedEntry>> {
	return entries.filter(isStarted);
}

/** Puts an item into another state. It keeps the key of its input. */
function setEntry({ entries }: Ledger, itemIndex: number, state: Entry): void {
	const { inputKey } = entries[itemIndex] ?? {};
	// By Object.assign, as the array is read-only to all others.
	Object.assign(entries, { [itemIndex]: inputKey === undefined ? state : { inputKey, ...state } });
}

/** Records what was read of runs. One that cannot be read gets a refusal. */
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

/** What a process has seen during a suspension. */
interface Seen {
	answers: ReadonlyMap<string, StatusAnswer | undefined>;
	activity: Readonly<Activity>;
}

/** Records that the execution is awake, and what this process has seen meanwhile. Runs that have not ended are polled anew. */
export function recordAwake(ledger: WritableLedger, seen: Seen | undefined): void {
	delete ledger.suspension;
	delete ledger.statusesAt;
	ledger.resumes += 1;
	// What a person wants canceled, and was not accepted, is sent again at once: the button may have been pressed once more.
	if (ledger.isCanceled === true) for (const entry of startedOf(ledger)) delete entry.cancelSentAt;
	if (seen === undefined) return;
	recordStatuses(ledger, seen.answers);
	recordActivity(ledger, seen.activity);
}

/**
 * Records that the execution is suspended from now on, and chooses the starts that may be sent when it resumes.
 *
 * @param timer what the timer of the next suspension is planned by
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

/** Records the last requests to the service. */
export function recordActivity(ledger: WritableLedger, activity: Readonly<Activity>): void {
	ledger.activity = { ...ledger.activity, ...activity };
}

/** Records that a person had all runs canceled. */
export function recordCanceled(ledger: WritableLedger): void {
	ledger.isCanceled = true;
}

/**
 * Records that the next starts are stored in a wave before they are sent, also where a part of another wave is left
 * (docs/develop/waiting.md: Stored before the start).
 */
export function recordWaves(ledger: WritableLedger): void {
	ledger.waveEnd = UNSTORED;
}

/**
 * Records that starts were sent. Their wave is over when none of it is left: until then, those that the service has turned away are
 * sent again in it. Where none is pending at all, none waits.
 */
export function recordStartsSent(ledger: WritableLedger): void {
	if (ledger.waveEnd !== undefined && dueItems(ledger).length === 0) ledger.waveEnd = UNSTORED;
	if (pendingStarts(ledger).length > 0) return;
	delete ledger.queuedAt;
	delete ledger.slowed;
}

/** Records that starts wait, since now if they did not before: as the service has asked to slow down, or else for a free slot of the plan. */
export function recordQueued(ledger: WritableLedger, now: number, slowed?: Ledger['slowed']): void {
	ledger.queuedAt ??= now;
	ledger.slowed = slowed;
}

/** Records that a slowdown is over, as starts are sent: by a clock that was set back, it would not seem so. How often it was asked for is kept. */
export function recordSlowdownOver(ledger: WritableLedger, now: number): void {
	if (ledger.slowed !== undefined) ledger.slowed = { ...ledger.slowed, until: now };
}

/** Records that not all runs call this execution back: they were started elsewhere, are too many, or the service refuses its address. */
export function recordNoCallbacks(ledger: WritableLedger): void {
	if (ledger.waitMethod === 'callback') ledger.waitMethod = 'noCallbacks';
}

/** Records that an item's start is on its way. */
export function recordSending(ledger: WritableLedger, itemIndex: number, now: number): void {
	const { request } = ledger.entries[itemIndex] ?? {};
	if (request === undefined) return;
	ledger.lastStartAt = now;
	setEntry(ledger, itemIndex, { request, isBeingSent: true });
}

/** Records that an item's start failed for certain: it is still to be sent. */
export function recordUnsent(ledger: Ledger, itemIndex: number): void {
	const { request } = ledger.entries[itemIndex] ?? {};
	if (request !== undefined) setEntry(ledger, itemIndex, { request });
}

/** Records an item's run: one that was started just now, with its status, or one that existed before, whose status is to be polled. */
export function recordStarted(
	ledger: WritableLedger,
	itemIndex: number,
	run: StartedRun | Pick<StartedEntry, 'taskId' | 'isReused'>,
	now: number,
): void {
	const isNew = 'status' in run;
	const startedAt = isNew ? { startedAt: now } : {};
	setEntry(ledger, itemIndex, { ...run, ...startedAt });
	if (!isNew) delete ledger.statusesAt;
}

/** Records why an item has no run. */
export function recordRefused(ledger: Ledger, itemIndex: number, refusal: Refusal): void {
	setEntry(ledger, itemIndex, { refusal });
}

/** Records that the pending starts are not sent, and why. */
export function recordStartsRefused(ledger: WritableLedger, refusal: Refusal): void {
	for (const [itemIndex, entry] of ledger.entries.entries()) {
		if (isStartPending(entry)) recordRefused(ledger, itemIndex, refusal);
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
