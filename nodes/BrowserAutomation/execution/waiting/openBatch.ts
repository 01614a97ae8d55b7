import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../../service/http/client';
import { runsOf } from '../../service/runs/runs';
import { cancelSignalOf } from '../../transport/cancellation';
import { connectWith } from '../../transport/client';
import { accountOf, checkOneAccount, readApiCredential } from '../../transport/credentials';
import { callerOf, type Caller } from '../caller';
import type { RunSource } from '../executable';
import { hostOf, nodeContextOf, runIndexOf } from '../host';
import { notifierOf } from '../notifyTrigger';
import { prepare } from '../preparation';
import { makeStarter } from '../reuse';
import { resultItems } from '../runResult';
import { newestLedger, rememberLedger } from './fence';
import { slotsFor } from './suspension/watcher';
import type { Batch } from './batch/batch';
import { checkMaxRuns } from './batch/budget';
import { countsOf, isSuspended, keepLedger, keptLedger, type Ledger } from './batch/ledger';
import { newLedger } from './batch/newLedger';
import { takeUp } from './batch/takeUp';

/** What is left of earlier attempts at this round of the node. */
export interface Earlier {
	/** The newest ledger of this execution. */
	own?: Ledger;
	/** That of the execution which this one retries. */
	retried?: Ledger;
}

/** What earlier attempts at this round of the node left. @throws as `keptLedger` */
export function earlierLedger(context: IExecuteFunctions): Earlier {
	const kept = nodeContextOf(context);
	const newest = newestLedger(context, keptLedger(kept, runIndexOf(context)));
	if (newest === undefined) return {};
	keepLedger(kept, newest);
	const isOwn = newest.executionId === hostOf(context).executionId;
	return isOwn ? { own: newest } : { retried: newest };
}

/**
 * Opens the batch of this round of the node. It goes on with the ledger that this execution left. Without one, it gets a
 * new ledger; where the execution retries another one, that takes up the runs of the other.
 *
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on
 * after failures; and as `takeUp`
 */
export async function openBatch(
	context: IExecuteFunctions,
	source: RunSource,
	{ own, retried }: Earlier,
): Promise<Batch> {
	const credential = await readApiCredential(context);
	const account = accountOf(credential);
	const caller = await callerOf(context, isSuspended(own));
	if (own === undefined) await checkOneAccount(context, credential);
	const client = connectWith(context, credential, cancelSignalOf(context));
	const startClient = connectWith(context, credential);
	const { ledger, hint } = own
		? { ledger: own, hint: undefined }
		: await makeLedger(context, startClient, source, retried, account, caller);
	rememberLedger(context, ledger);
	const { api, settings } = ledger;
	return {
		...{ context, host: hostOf(context), caller, credential, ledger, hint },
		runs: runsOf(client, api),
		uninterrupted: runsOf(startClient, api),
		slots: slotsFor(context, credential, ledger),
		notifyTrigger: notifierOf(context, source.api.idName),
		makeStarter: () => makeStarter(startClient, source.api, account, settings.reuseMs),
		resultsOf: async (run, taskId) => {
			const request = source.api.detailRequest(taskId);
			return await resultItems({ context, client, request, run }, settings);
		},
		countsBefore: countsOf(ledger),
		// The suspension that it was resumed from; `recordAwake` removes it.
		isResumed: isSuspended(ledger),
		isByTimer: isSuspended(ledger) && Date.now() >= ledger.suspension.timerAt,
		canWatch: false,
		awake: { awakeSince: Date.now(), random: Math.random() },
	};
}

/** Makes a ledger and keeps it with the execution. @param retried the ledger of the execution that is retried */
async function makeLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	retried: Ledger | undefined,
	account: string,
	caller: Caller | undefined,
) {
	const { name: api } = source.api;
	const prepared = await prepare(context, client, source, account);
	const { ledger: fresh, hint } = newLedger(context, api, prepared, client.baseUrl, caller);
	const runs = runsOf(client, retried?.api ?? api);
	const ledger = retried === undefined ? fresh : await takeUp(context, runs, retried, fresh);
	checkMaxRuns(context, ledger);
	keepLedger(nodeContextOf(context), ledger);
	return { ledger, hint };
}
