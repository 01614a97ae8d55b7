import type { INode } from 'n8n-workflow';

import { TtlCache } from '../../../service/ttlCache';
import { failureText } from '../../failures';
import { sleeperKey, type Ledger, type Named } from '../batch/ledger';

/** How many sleeping executions are remembered at most. Forgetting one costs a line on its status page. */
const MOST = 10_000;

/** What happened while an execution slept. Times in milliseconds since 1970. */
export interface Activity {
	/** When n8n last asked the service about the runs. */
	lookedAt?: number;
	/** When the service last called back. */
	calledBackAt?: number;
	/** When the service was last asked in vain, and what it said. */
	refusedAt?: number;
	refusal?: string;
}

const remembered = new TtlCache<Activity>(MOST);

function note(name: Named, news: Activity): void {
	const key = sleeperKey(name);
	remembered.set(key, { ...remembered.get(key), ...news }, name.deadline);
}

/** Notes that the service has said how the runs stand. */
export function noteLook(name: Named): void {
	note(name, { lookedAt: Date.now() });
}

/** Notes a callback of one of the runs. */
export function noteCallback(name: Named): void {
	note(name, { calledBackAt: Date.now() });
}

/** Notes why the service could not be asked, or did not do as asked, without the node's secrets. */
export function noteRefusal(node: INode, name: Named, error: unknown): void {
	note(name, { refusedAt: Date.now(), refusal: failureText(node, error) });
}

/** What this process and the ledger know; another process may know more. */
export function activityOf(ledger: Ledger): Activity {
	const kept = ledger.activity ?? {};
	const known = remembered.get(sleeperKey(ledger)) ?? {};
	const refused = (known.refusedAt ?? 0) >= (kept.refusedAt ?? 0) ? known : kept;
	const lookedAt = later(known.lookedAt, kept.lookedAt);
	const calledBackAt = later(known.calledBackAt, kept.calledBackAt);
	return {
		...(lookedAt !== undefined && { lookedAt }),
		...(calledBackAt !== undefined && { calledBackAt }),
		...(refused.refusedAt !== undefined && { refusedAt: refused.refusedAt }),
		...(refused.refusal !== undefined && { refusal: refused.refusal }),
	};
}

/** Why the service did not tell of the runs when it was last asked; undefined where it did. */
export function lastRefusal(ledger: Ledger): string | undefined {
	const { refusal, refusedAt = 0, lookedAt = 0 } = activityOf(ledger);
	return refusedAt > lookedAt ? refusal : undefined;
}

/** Keeps what is known with the execution, for the process that will be asked. */
export function keepActivity(ledger: Ledger): void {
	ledger.activity = activityOf(ledger);
}

function later(one: number | undefined, other: number | undefined): number | undefined {
	return one === undefined || (other !== undefined && other > one) ? other : one;
}
