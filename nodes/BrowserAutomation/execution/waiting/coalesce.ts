import { sleep } from 'n8n-workflow';

import { TtlCache } from '../../service/ttlCache';

/** How many sleeps are remembered at most. Forgetting one costs a few more requests. */
const MOST = 10_000;

/** Pause between two looks at the same execution while not all of its runs have reported, in ms. */
const SPACING_MS = 3_000;
const NAP_MS = 50;

/**
 * What this process has heard about one sleep of an execution. Callbacks of many runs arrive in
 * bursts; each wants a look at the service that began after its arrival, and all of them share it.
 * Nothing here is relied on: another process, or this one after a restart, just looks once more.
 */
export interface Reports {
	/** Runs whose callback arrived here and has not been found wrong, by task ID. */
	reported: Set<string>;
	lookedAt: number;
	looking: Promise<unknown> | undefined;
	next: Promise<unknown> | undefined;
}

const reportsBySleep = new TtlCache<Reports>(MOST);

/** What was reported during one sleep. */
export function reportsOf(sleepId: string): Reports {
	const nothingYet = (): Reports => ({
		reported: new Set(),
		lookedAt: 0,
		looking: undefined,
		next: undefined,
	});
	return reportsBySleep.getOrMake(sleepId, nothingYet, Infinity);
}

/** Forgets a sleep that is over. */
export function forgetReports(sleepId: string): void {
	reportsBySleep.delete(sleepId);
}

/**
 * Begins the next look, unless another caller is about to: one look at a time, and apart from each
 * other as long as `isUrgent` says no. Only the caller that looks is kept waiting, because n8n holds
 * an expression isolate for every callback that it has not answered.
 *
 * @returns what the look found; undefined, at once, when the next look is another caller's
 * @throws what the look threw
 */
export async function coalesce<T>(
	reports: Reports,
	isUrgent: () => boolean,
	look: () => Promise<T>,
): Promise<T | undefined> {
	if (reports.next !== undefined) return undefined;
	const begun = lookInTurn(reports, isUrgent, look);
	reports.next = begun;
	return await begun;
}

async function lookInTurn<T>(
	reports: Reports,
	isUrgent: () => boolean,
	look: () => Promise<T>,
): Promise<T> {
	await reports.looking?.catch(() => undefined);
	while (!isUrgent() && Date.now() - reports.lookedAt < SPACING_MS) await sleep(NAP_MS);
	reports.looking = reports.next;
	reports.next = undefined;
	reports.lookedAt = Date.now();
	return await look();
}
