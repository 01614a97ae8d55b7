import { isTerminal } from '../../../service/runs/runStatus';
import type { Entry, Ledger } from '../batch/ledger';
import { isStarted, type StartedEntry } from '../batch/progress';

/** The runs that were started and have not ended, as far as is known: those that can be cancelled. A paused one is among them. */
export function openEntries({ entries }: Ledger): StartedEntry[] {
	return entries.filter(isStarted).filter(isOpen);
}

function isOpen({ status, refusal }: Entry): boolean {
	return refusal === undefined && !isTerminal(status ?? 'unknown');
}
