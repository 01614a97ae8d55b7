import { claimsExecutions } from '../platform';
import type { Entry, Ledger } from './ledger';
import { unstarted } from './progress';

/**
 * n8n keeps nothing of a node's work until the execution sleeps. Batches are therefore started in waves:
 * what is to be started is stored before it is, so that after a crash only the starts of one wave are
 * uncertain. To store a single item before would cost a short run more than it is worth: measured with
 * runs of 1 and 3 s in n8n 2.41, on two busy cores, its result came 1.6 and 0.9 s later (medians of 40),
 * and n8n spent 420 ms of CPU on an execution in place of 280.
 */

/**
 * How many starts a wave has at least, and how many waves there are at the most. n8n writes the whole
 * execution for each, so that with waves of one size what is written would grow with the square of the items.
 */
const LEAST_WAVE = 100;
const MOST_WAVES = 5;

/** The items whose start is to be sent now: the wave that the ledger was stored for, or all. */
export function dueStarts({ entries, waveEnd }: Ledger): Entry[] {
	return unstarted({ entries: entries.slice(0, waveEnd) });
}

/**
 * Decides whether a batch that may sleep is started in waves: each needs a wake-up, so n8n has to be
 * able to call itself and to tell an execution that is awake from one that sleeps.
 */
export function planWaves(ledger: Ledger, resumeUrl: string): void {
	if (unstarted(ledger).length > 1 && claimsExecutions(resumeUrl)) ledger.waveEnd = 0;
}

/** Chooses the starts that may be sent when the execution wakes, before the ledger is stored. */
export function chooseWave(ledger: Ledger): void {
	const { entries, waveEnd } = ledger;
	if (waveEnd === undefined) return;
	const size = Math.max(LEAST_WAVE, Math.ceil(entries.length / MOST_WAVES));
	const next = unstarted(ledger)[size];
	ledger.waveEnd = next === undefined ? entries.length : entries.indexOf(next);
}

/** Notes that no start is on its way any more: what was not sent may be sent later. */
export function endWave(ledger: Ledger): void {
	if (ledger.waveEnd !== undefined) ledger.waveEnd = 0;
}

/** Whether starts are left for another wave, rather than for when a slot is free. */
export function isBetweenWaves(ledger: Ledger): boolean {
	const isOver = ledger.waveEnd === 0 && ledger.queuedAt === undefined;
	return isOver && unstarted(ledger).length > 0;
}
