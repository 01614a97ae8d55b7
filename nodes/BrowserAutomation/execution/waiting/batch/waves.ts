import { isUnstarted, unstarted, type Ledger } from './ledger';

/*
 * A batch that may be suspended is started in waves, each of which is stored before it is sent (docs/develop/waiting.md: Stored
 * before the start).
 */

/** The least size of a wave, and the most waves. n8n stores the whole execution for each wave, so waves of a fixed size would cost the square of the items. */
const LEAST_WAVE = 100;
const MAX_WAVES = 5;

/** The items whose start may be sent now, by index: those of the wave that the ledger was stored for, or all. */
export function dueStarts({ entries, waveEnd }: Pick<Ledger, 'entries' | 'waveEnd'>): number[] {
	return entries
		.slice(0, waveEnd)
		.flatMap((entry, item) =>
			isUnstarted(entry) && entry.isBeingSent === undefined ? [item] : [],
		);
}

/** Chooses the starts that may be sent when the execution resumes, before the ledger is stored. */
export function chooseWave(ledger: Ledger): void {
	const { entries, waveEnd } = ledger;
	if (waveEnd === undefined) return;
	const size = Math.max(LEAST_WAVE, Math.ceil(entries.length / MAX_WAVES));
	const next = unstarted(ledger)[size];
	ledger.waveEnd = next === undefined ? entries.length : entries.indexOf(next);
}

/** Ends a wave: no start is under way, and what was not sent may be sent later. */
export function endWave(ledger: Ledger): void {
	if (ledger.waveEnd !== undefined) ledger.waveEnd = 0;
}

/** Whether starts are left for another wave, rather than for when a slot is free. */
export function isBetweenWaves(ledger: Ledger): boolean {
	return ledger.waveEnd === 0 && ledger.queuedAt === undefined && unstarted(ledger).length > 0;
}
