import { ServiceError } from '../../service/errors';
import type { StatusAnswer } from '../../service/runs';
import { isTerminal } from '../../service/runStatus';
import type { Entry, Ledger } from './ledger';

/** A started run. */
export type StartedEntry = Entry & { taskId: string };

/** Whether an item's run was started. */
export function isStarted(entry: Entry): entry is StartedEntry {
	return entry.taskId !== undefined;
}

/**
 * Notes what the service tells of runs. A run that it does not know counts as refused.
 */
export function note(ledger: Ledger, answers: ReadonlyMap<string, StatusAnswer>): void {
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
	if (entry.status === undefined) return false;
	return isTerminal(entry.status) || (settings.wakeWhenPaused && entry.status === 'paused');
}

/** The started runs that are still waited for. */
export function openRuns(ledger: Ledger): StartedEntry[] {
	return ledger.entries.filter(isStarted).filter((entry) => !isSettled(ledger, entry));
}

/** The items whose start is still to be sent. */
export function unstarted(ledger: Ledger): Entry[] {
	return ledger.entries.filter((entry) => entry.request !== undefined);
}

/** Whether every item's waiting is over. */
export function isAllSettled(ledger: Ledger): boolean {
	return ledger.entries.every((entry) => isSettled(ledger, entry));
}

/** The IDs of all runs that were started. */
export function startedTaskIds(ledger: Ledger): string[] {
	return ledger.entries.filter(isStarted).map(({ taskId }) => taskId);
}
