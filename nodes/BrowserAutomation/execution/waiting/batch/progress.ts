import type { ServiceClient } from '../../../service/http/client';
import { ServiceError } from '../../../service/errors';
import { isTerminal, runApi } from '../../../service/runs/runApi';
import { readStatuses, type StatusAnswer } from '../../../service/runs/statuses';
import type { Entry, Ledger } from './ledger';
import { toRefusal } from './runErrors';

/** A started run. */
export type StartedEntry = Entry & { taskId: string };

/** Whether an item's run was started. */
export function isStarted(entry: Entry): entry is StartedEntry {
	return entry.taskId !== undefined;
}

/** The IDs of all runs that were started. */
export function startedTaskIds({ entries }: Ledger): string[] {
	return entries.filter(isStarted).map(({ taskId }) => taskId);
}

/** The items whose start is still to be sent. */
export function unstarted({ entries }: Pick<Ledger, 'entries'>): Entry[] {
	return entries.filter(({ request }) => request !== undefined);
}

/**
 * Asks the service about runs and notes what it tells. A run that it does not know counts as
 * refused.
 *
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be asked
 */
export async function refreshRuns(
	client: ServiceClient,
	ledger: Ledger,
	taskIds: string[],
): Promise<void> {
	const { since } = ledger;
	noteStatuses(ledger, await readStatuses(client, runApi(ledger.api), taskIds, { since }));
}

/** Notes what was read of runs. A run that the service does not know counts as refused. */
export function noteStatuses(
	{ entries }: Ledger,
	answers: ReadonlyMap<string, StatusAnswer | undefined>,
): void {
	for (const entry of entries.filter(isStarted)) {
		const answer = answers.get(entry.taskId);
		if (answer instanceof ServiceError) entry.refusal = toRefusal(answer);
		else if (answer !== undefined) entry.status = answer;
	}
}

/** Whether an answer about a run tells that it need not be waited for any more. */
export function endsWaiting(answer: StatusAnswer | undefined, wakeWhenPaused: boolean): boolean {
	if (answer === undefined) return false;
	if (typeof answer !== 'string') return true;
	return isTerminal(answer) || (wakeWhenPaused && answer === 'paused');
}

/** Whether an item is waited for: its run goes on, as far as is known, or has not begun. */
export function isWaitedFor({ settings }: Ledger, { refusal, status }: Entry): boolean {
	return refusal === undefined && !endsWaiting(status, settings.wakeWhenPaused);
}

/** Whether no item is waited for any more. */
export function isAllOver(ledger: Ledger): boolean {
	return !ledger.entries.some((entry) => isWaitedFor(ledger, entry));
}

/** The started runs that are still waited for. */
export function openRuns(ledger: Ledger): StartedEntry[] {
	return ledger.entries.filter(isStarted).filter((entry) => isWaitedFor(ledger, entry));
}

/** Their IDs. */
export function openTaskIds(ledger: Ledger): string[] {
	return openRuns(ledger).map(({ taskId }) => taskId);
}

/** The runs that may be going on, as far as is known, and so can be canceled: a paused one, too. */
export function activeRuns({ entries }: Ledger): StartedEntry[] {
	return entries
		.filter(isStarted)
		.filter(({ status = 'unknown', refusal }) => refusal === undefined && !isTerminal(status));
}

/** Whether the run was started for this item: any other is left to whoever began it. */
export function isOwn({ isRepeated }: Entry): boolean {
	return isRepeated !== true;
}

/** How long after a run could not be canceled that is tried again, in milliseconds. */
const CANCEL_AGAIN_MS = 60_000;

/**
 * The open runs that are to be canceled now: at the wait limit all, where the user wants that; before,
 * those that have gone on for too long.
 */
export function overdueRuns(ledger: Ledger, now: number): StartedEntry[] {
	const open = openRuns(ledger).filter(isOwn);
	if (now < ledger.deadline) return open.filter((entry) => overdueAt(ledger, entry) <= now);
	return ledger.settings.cancelAtLimit ? open : [];
}

/** When there is something to do, whatever becomes of the runs, in milliseconds since 1970. */
export function nextLimit(ledger: Ledger, now: number): number {
	const moments = openRuns(ledger)
		.filter(isOwn)
		.map((entry) => overdueAt(ledger, entry));
	const ahead = moments.map((moment) => (moment > now ? moment : now + CANCEL_AGAIN_MS));
	return Math.min(ledger.deadline, ...ahead);
}

/** A run of before the user set a time, which a retry goes on with, counts from the last start of its batch. */
function overdueAt(ledger: Ledger, { startedAt = ledger.startedAt, canceledAt }: Entry): number {
	const isBounded = startedAt !== undefined && canceledAt === undefined && ledger.way !== 'none';
	return isBounded ? startedAt + (ledger.settings.cancelAfterMs ?? Infinity) : Infinity;
}
