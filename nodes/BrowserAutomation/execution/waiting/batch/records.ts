import { ServiceError } from '../../../service/errors';
import type { StartedRun } from '../../../service/runs/oneRun';
import type { StatusAnswer } from '../../../service/runs/statuses';
import {
	isStarted,
	isStartPending,
	openTaskIds,
	toRefusal,
	type Activity,
	type CancelReason,
	type Entry,
	type Ledger,
	type Refusal,
	type StartedEntry,
} from './ledger';

/** Records what was read of runs. A run that the service does not know counts as refused. */
export function recordStatuses(
	{ entries }: Ledger,
	answers: ReadonlyMap<string, StatusAnswer | undefined>,
): void {
	for (const entry of entries.filter(isStarted)) {
		const answer = answers.get(entry.taskId);
		if (answer instanceof ServiceError) entry.refusal = toRefusal(answer);
		else if (answer !== undefined) entry.status = answer;
	}
}

/** What a process has seen during a suspension: how the runs stand, and which of them have called back. */
export interface Seen {
	suspendedAt: number;
	/** Whether its watcher would have noticed. A process that only handles calls hears nothing else. */
	canResume: boolean;
	runs: ReadonlyMap<string, StatusAnswer | undefined>;
	calledBack: ReadonlySet<string>;
	activity: Activity;
}

/**
 * Records that the execution is awake, and what was seen while it was suspended. Statuses that this process has not seen, or
 * that may have changed since its last poll, are to be polled.
 */
export function recordAwake(ledger: Ledger, seen: Seen | undefined): void {
	delete ledger.suspension;
	ledger.resumes += 1;
	const { statusesAt: known = 0 } = ledger;
	delete ledger.statusesAt;
	// A person may press the button once more.
	if (ledger.isCanceled === true) for (const entry of ledger.entries) delete entry.cancelSentAt;
	if (seen === undefined) return;
	recordStatuses(ledger, seen.runs);
	ledger.activity = { ...ledger.activity, ...seen.activity };
	const { polledAt = 0, calledBackAt = 0, requestFailedAt = 0 } = ledger.activity;
	const unchangedSince = seen.canResume ? known : 0;
	const at = polledAt >= seen.suspendedAt ? polledAt : unchangedSince;
	const isUnannounced = openTaskIds(ledger).every((taskId) => !seen.calledBack.has(taskId));
	if (isUnannounced && at > Math.max(calledBackAt, requestFailedAt)) ledger.statusesAt = at;
}

function inputKeyOf({ entries }: Ledger, item: number): Pick<Entry, 'inputKey'> {
	const { inputKey } = entries[item] ?? {};
	return inputKey === undefined ? {} : { inputKey };
}

/** Records that an item's start is on its way: n8n may store the ledger at that moment, when it stops the execution. */
export function recordSending(ledger: Ledger, item: number, now: number): void {
	const { request } = ledger.entries[item] ?? {};
	if (request === undefined) return;
	ledger.lastStartedAt = now;
	ledger.entries[item] = { ...inputKeyOf(ledger, item), request, isBeingSent: true };
}

/** Records that an item's start was refused before it began anything: it is still to be sent. */
export function recordUnsent(ledger: Ledger, item: number): void {
	const { request } = ledger.entries[item] ?? {};
	if (request !== undefined) ledger.entries[item] = { ...inputKeyOf(ledger, item), request };
}

/** Records an item's run: one that was started just now, with its status, or one that existed before, whose status is to be polled. */
export function recordStarted(
	ledger: Ledger,
	item: number,
	run: StartedRun | Pick<StartedEntry, 'taskId' | 'isRepeated'>,
	now: number,
): void {
	const isNew = 'status' in run;
	const startedAt = isNew ? { startedAt: now } : {};
	ledger.entries[item] = { ...inputKeyOf(ledger, item), ...run, ...startedAt };
	if (!isNew) delete ledger.statusesAt;
}

/** Records why an item has no run. */
export function recordRefused(ledger: Ledger, item: number, refusal: Refusal): void {
	ledger.entries[item] = { ...inputKeyOf(ledger, item), refusal };
}

/** Records that nothing more is started, and why: not by a retry either. */
export function refuseStarts(ledger: Ledger, refusal: Refusal): void {
	for (const [item, entry] of ledger.entries.entries()) {
		if (isStartPending(entry)) recordRefused(ledger, item, refusal);
	}
	delete ledger.queuedAt;
}

/** Records that runs were to be canceled, and for which the service accepted it. Their statuses are to be polled. */
export function recordCancels(
	ledger: Ledger,
	tried: string[],
	taken: ReadonlySet<string>,
	why: CancelReason,
	now: number,
): void {
	const ids = new Set(tried);
	for (const entry of ledger.entries.filter(isStarted)) {
		if (!ids.has(entry.taskId)) continue;
		entry.cancelSentAt = now;
		if (taken.has(entry.taskId)) entry.cancelReason = why;
	}
	delete ledger.statusesAt;
}
