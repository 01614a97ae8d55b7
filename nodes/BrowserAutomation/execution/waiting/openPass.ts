import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../../service/http/client';
import { runsOf } from '../../service/runs/runs';
import { cancelSignalOf } from '../../transport/cancellation';
import { connectWith } from '../../transport/client';
import { accountOf, checkOneAccount, readApiCredential } from '../../transport/credentials';
import { callerOf, type Caller } from '../caller';
import type { RunSource } from '../executable';
import { continuesAfter } from '../failures';
import { executionContextOf, hostOf, nodeContextOf, runIndexOf } from '../host';
import { notifierOf } from '../notifyTrigger';
import { prepare } from '../preparation';
import { makeStarter } from '../reuse';
import { resultItems } from '../runResult';
import { newestLedger, rememberLedger } from './fence';
import { slotsFor } from './suspension/watcher';
import type { Pass } from './batch/pass';
import { checkMaxRuns } from './batch/budget';
import { countsOf, hasSuspension, keepLedger, keptLedger, type Ledger } from './batch/ledger';
import { newLedger } from './batch/newLedger';
import { batchError } from './batch/outcomes';
import { recordStartsRefused } from './batch/records';
import { CANCELED_ON_PAGE } from './batch/runErrors';
import { takeUp } from './batch/takeUp';

export interface Earlier {
	/** The newest ledger of this round, of this execution. */
	own?: Ledger;
	/** That of the execution which this one retries. */
	retried?: Ledger;
}

/** Finds what earlier passes of this round have left. @throws as `keptLedger` */
export function earlierOf(context: IExecuteFunctions): Earlier {
	const kept = nodeContextOf(context);
	const newest = newestLedger(context, keptLedger(kept, runIndexOf(context)));
	if (newest === undefined) return {};
	keepLedger(kept, newest);
	const isOwn = newest.executionId === hostOf(context).executionId;
	return isOwn ? { own: newest } : { retried: newest };
}

/**
 * Opens a pass: with this execution's ledger, or a new one that takes up the runs of the execution it retries.
 *
 * @throws `batchError` for an item, unless the node goes on after failures; InputError for what concerns all items; as `takeUp`
 */
export async function openPass(
	context: IExecuteFunctions,
	source: RunSource,
	{ own, retried }: Earlier,
): Promise<Pass> {
	const credential = await readApiCredential(context);
	const account = accountOf(credential);
	const caller = await callerOf(context, hasSuspension(own));
	if (own === undefined) await checkOneAccount(context, credential);
	const client = connectWith(context, credential, cancelSignalOf(context));
	const uninterrupted = connectWith(context, credential);
	const { ledger, hint } = own
		? { ledger: own, hint: undefined }
		: await makeLedger(context, client, source, retried, account, caller);
	rememberLedger(context, ledger);
	const { api, settings } = ledger;
	// What a person has canceled in one round is not started in the next, nor by Retry.
	const canceledKey = `browserAutomationCanceled/${context.getNode().name}`;
	const ofExecution = executionContextOf(context);
	if (ledger.isCanceled === true) ofExecution[canceledKey] = true;
	else if (ofExecution[canceledKey] === true) recordStartsRefused(ledger, CANCELED_ON_PAGE);
	return {
		...{ context, host: hostOf(context), caller, credential, ledger, hint },
		runs: runsOf(client, api),
		uninterrupted: runsOf(uninterrupted, api),
		slots: slotsFor(context, credential, ledger),
		notifyTrigger: notifierOf(context, source.api.idName),
		newStarter: () => makeStarter(uninterrupted, source.api, account, settings.reuseMs),
		resultsOf: async (run, taskId) => {
			const request = source.api.detailRequest(taskId);
			return await resultItems({ context, client, request, run }, settings);
		},
		countsBefore: countsOf(ledger),
		// `recordAwake` removes the suspension, so both are read now.
		isResumed: hasSuspension(ledger),
		wasTimerDue: hasSuspension(ledger) && Date.now() >= ledger.suspension.timerAt,
		canWatch: false,
		awake: { openedAt: Date.now(), random: Math.random() },
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
	for (const [index, item] of prepared.items.entries()) {
		// An item that goes on with its run needs no start.
		if (!('error' in item) || ledger.entries[index] !== fresh.entries[index]) continue;
		if (!continuesAfter(context, item.error)) throw batchError(context, item.error, index, retried);
	}
	checkMaxRuns(context, ledger);
	keepLedger(nodeContextOf(context), ledger);
	return { ledger, hint };
}
