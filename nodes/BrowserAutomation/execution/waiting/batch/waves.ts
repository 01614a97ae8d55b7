import { awaitedRuns, isStartPending, pendingStarts, UNSTORED, type Ledger } from './ledger';

/*
 * Starts in waves: each wave is stored before it is sent, so that after a crash only its starts are uncertain
 * (takeUp.ts; docs/develop/waiting.md: Stored before the start). Only since n8n 2.14: the timer of an earlier one, once armed,
 * also resumes what is awake, so that each suspension is a risk.
 */

/** The smallest wave, and the most waves. n8n stores the whole execution for each wave: with a fixed size, what it stores would grow with the square of the items. */
const LEAST_WAVE = 200;
const MAX_WAVES = 5;

/** The items whose start may be sent now, by index: those of the stored wave, or all where there are no waves. */
export function dueItems({ entries, waveEnd }: Ledger): number[] {
	return entries
		.slice(0, waveEnd)
		.flatMap((entry, item) => (isStartPending(entry) && !entry.isBeingSent ? [item] : []));
}

/** The smallest wave of starts that wait for a slot of the plan: few are sent when the execution resumes, and after a crash, the rest would be uncertain. */
const LEAST_QUEUED = 5;

/** The end of the next wave (`waveEnd`), which is chosen before the ledger is stored. */
export function nextWaveEnd(ledger: Ledger): number {
	const { entries, queuedAt, slowed } = ledger;
	const size =
		queuedAt === undefined || slowed !== undefined
			? Math.max(LEAST_WAVE, Math.ceil(entries.length / MAX_WAVES))
			: Math.max(LEAST_QUEUED, 2 * awaitedRuns(ledger).length);
	const next = pendingStarts(ledger)[size];
	return next === undefined ? entries.length : entries.indexOf(next);
}

/** Whether starts are pending and none may be sent before the execution is suspended, which stores the next wave. */
export function isNextWaveUnstored(ledger: Ledger): boolean {
	return ledger.waveEnd === UNSTORED && pendingStarts(ledger).length > 0;
}

/** Whether starts are pending that wait only until their wave is stored, not for a slot or the end of a slowdown. */
export function mayStartOnceStored(ledger: Ledger): boolean {
	return isNextWaveUnstored(ledger) && ledger.queuedAt === undefined;
}
