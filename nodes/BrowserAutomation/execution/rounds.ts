import type { IExecuteFunctions } from 'n8n-workflow';

import { memoryOf } from '../service/processMemory';
import { Semaphore } from '../transport/semaphore';
import { hostOf, keepsLedger } from './host';
import type { Ledger } from './waiting/batch/ledger';
import { runIndexOf } from './waiting/platform';

/** What came of the rows of a round so far. */
interface GivenRows {
	/** Whether they were only remembered. */
	isForLater: boolean;
	/** The digests of those that were given. */
	given: string[];
}

/** What this process knows of a round of a node in an execution. */
interface Round {
	/** Has calls of the node wait for each other: n8n before 2.14 may resume an execution that is awake. */
	readonly turn: Semaphore;
	/** The newest ledger. */
	ledger?: Ledger;
	/** Where a call of the node went on from, once n8n's database has said that none did so before. */
	wentOnFrom?: string;
	/** The rows that were new in this round. */
	rows?: GivenRows;
}

const rounds = memoryOf<Round>('rounds');

/** For how long a round is remembered after the wait limit, in milliseconds. */
const REMEMBERED_FOR_MS = 86_400_000;

/** The present round of a node. Nothing is remembered where calls of the node share an execution, or have none. */
export function roundOf(context: IExecuteFunctions): Round {
	const make = (): Round => ({ turn: new Semaphore(1) });
	if (!keepsLedger(context)) return make();
	const key = `${hostOf(context).executionId} ${runIndexOf(context)} ${context.getNode().name}`;
	const { deadline = 0 } = rounds.get(key)?.ledger ?? {};
	return rounds.getOrMake(key, make, Math.max(Date.now(), deadline) + REMEMBERED_FOR_MS);
}
