import type { ServiceClient } from '../../../service/http/client';
import { ServiceError } from '../../../service/errors';
import type { JsonObject } from '../../../service/json/json';
import { readRun } from '../../../service/runs/oneRun';
import { runApi } from '../../../service/runs/runApi';
import { readStatuses, type StatusAnswer } from '../../../service/runs/statuses';
import { isTerminal, toRunStatus } from '../../../service/runs/runStatus';
import type { Entry, Ledger } from './ledger';

/** A started run. */
export type StartedEntry = Entry & { taskId: string };

/** Whether an item's run was started. */
export function isStarted(entry: Entry): entry is StartedEntry {
	return entry.taskId !== undefined;
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

/**
 * The same for a run that has probably ended: reads all of it at once, so that its result need not be
 * read as well.
 *
 * @returns the run; undefined where the answer tells no status that is known
 * @throws ServiceError, ConnectionError or CanceledError when it could not be read, also for a run
 * that the service does not know
 */
export async function refreshByReading(
	client: ServiceClient,
	ledger: Ledger,
	taskId: string,
): Promise<JsonObject | undefined> {
	const run = await readRun(client, runApi(ledger.api), taskId);
	const status = toRunStatus(run.status);
	if (status === 'unknown') return undefined;
	noteStatuses(ledger, new Map([[taskId, status]]));
	return run;
}

/** Notes what was read of runs. A run that the service does not know counts as refused. */
export function noteStatuses(
	ledger: Ledger,
	answers: ReadonlyMap<string, StatusAnswer | undefined>,
): void {
	for (const entry of ledger.entries.filter(isStarted)) {
		const answer = answers.get(entry.taskId);
		if (answer instanceof ServiceError) {
			entry.refusal = { message: answer.message, advice: answer.advice, facts: answer.facts };
		} else if (answer !== undefined) {
			entry.status = answer;
		}
	}
}

/** Whether nothing more is to be waited for: the run ended, or paused where that wakes, or never began. */
export function isSettled({ settings }: Ledger, entry: Entry): boolean {
	if (entry.refusal !== undefined) return true;
	return entry.status !== undefined && settles(entry.status, settings.wakeWhenPaused);
}

/** Whether an answer about a run tells that it need not be waited for any more. */
export function settles(answer: StatusAnswer, wakeWhenPaused: boolean): boolean {
	if (typeof answer !== 'string') return true;
	return isTerminal(answer) || (wakeWhenPaused && answer === 'paused');
}

/** The started runs that are still waited for. */
export function openRuns(ledger: Ledger): StartedEntry[] {
	return ledger.entries.filter(isStarted).filter((entry) => !isSettled(ledger, entry));
}

/** Whether a run may be going on, as far as is known: one that can be canceled. A paused one is among them. */
export function mayGoOn({ status, refusal }: Entry): boolean {
	return refusal === undefined && !isTerminal(status ?? 'unknown');
}

/** Those of them that were started for this node: others are left to whoever began them. */
export function ownOpenRuns(ledger: Ledger): StartedEntry[] {
	return openRuns(ledger).filter(({ isRepeated }) => isRepeated !== true);
}

/** The IDs of all started runs that are still waited for. */
export function openTaskIds(ledger: Ledger): string[] {
	return openRuns(ledger).map(({ taskId }) => taskId);
}

/** How long after a run could not be canceled that is tried again, in milliseconds. */
const CANCEL_AGAIN_MS = 60_000;

/**
 * The open runs that are to be canceled now: at the wait limit all, where the user wants that; before,
 * those that have gone on for too long.
 */
export function overdueRuns(ledger: Ledger, now: number): StartedEntry[] {
	const open = ownOpenRuns(ledger);
	if (now < ledger.deadline) return open.filter((entry) => overdueAt(ledger, entry) <= now);
	return ledger.settings.cancelAtLimit ? open : [];
}

/** When there is something to do, whatever becomes of the runs, in milliseconds since 1970. */
export function nextLimit(ledger: Ledger, now: number): number {
	const again = now + CANCEL_AGAIN_MS;
	const moments = ownOpenRuns(ledger).map((entry) => overdueAt(ledger, entry));
	const ahead = moments.map((moment) => (moment > now ? moment : again));
	return Math.min(ledger.deadline, ...ahead);
}

/** A run of before the user set a time, which a retry goes on with, counts from the last start of its batch. */
function overdueAt(ledger: Ledger, { startedAt = ledger.startedAt, canceledAt }: Entry): number {
	const isBounded = startedAt !== undefined && canceledAt === undefined && ledger.way !== 'none';
	return isBounded ? startedAt + (ledger.settings.cancelAfterMs ?? Infinity) : Infinity;
}

/** The items whose start is still to be sent. */
export function unstarted(ledger: Ledger): Entry[] {
	return ledger.entries.filter((entry) => entry.request !== undefined);
}

/** Those of them that are to be sent now: the wave that the ledger was stored for, or all. */
export function dueStarts(ledger: Ledger): Entry[] {
	const waiting = unstarted(ledger);
	return ledger.inWaves === true ? waiting.filter(({ isDue }) => isDue === true) : waiting;
}

/** Whether every item's waiting is over. */
export function isAllSettled(ledger: Ledger): boolean {
	return ledger.entries.every((entry) => isSettled(ledger, entry));
}

/**
 * Whether a sleeping execution has something to go on with: all its runs are settled, or one that
 * was open before has freed a slot for an item without a run.
 */
export function isWorthWaking(ledger: Ledger, openBefore: string[]): boolean {
	if (isAllSettled(ledger)) return true;
	return unstarted(ledger).length > 0 && openTaskIds(ledger).length < openBefore.length;
}

/** The IDs of all runs that were started. */
export function startedTaskIds(ledger: Ledger): string[] {
	return ledger.entries.filter(isStarted).map(({ taskId }) => taskId);
}
