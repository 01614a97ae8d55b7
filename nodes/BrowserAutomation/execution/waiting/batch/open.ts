import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../../../service/http/client';
import type { JsonObject } from '../../../service/json/json';
import { cancelSignalOf } from '../../../transport/cancellation';
import { connectWith } from '../../../transport/client';
import {
	accountOf,
	checkOneAccount,
	readApiCredential,
	type ApiCredential,
} from '../../../transport/credentials';
import type { RunSource } from '../../executable';
import { hostOf, nodeContextOf, type Host } from '../../host';
import type { Facts } from '../nextStep';
import { runIndexOf } from '../platform';
import { allowStarts } from './budget';
import { keepLedger, keptLedger, type Ledger } from './ledger';
import { newLedger } from './newLedger';
import type { StartFailure } from './start';
import { takeUp } from './takeUp';

/** A batch that is being waited for. */
export interface Batch {
	context: IExecuteFunctions;
	host: Host;
	credential: ApiCredential;
	client: ServiceClient;
	/** Sends starts. A start that is under way comes to its end when the execution is stopped, so that its run is known. */
	starter: ServiceClient;
	ledger: Ledger;
	/** What the user should know where nothing watches the runs of the suspended execution. */
	hint: string | undefined;
	/** Whether the execution was resumed to go on with the batch. */
	isResumed: boolean;
	/** Whether this process can have n8n resume the execution: its watcher polls the runs then. */
	isWatched: boolean;
	/** What is true of this round alone. */
	facts: Omit<Facts, 'allowedStarts'>;
	/** The start that ends the batch. */
	failure?: StartFailure;
	/** The details of the only open run, where the last poll has found that it ended. */
	lastRun?: { taskId: string; run: JsonObject };
}

/** The ledger that an earlier attempt at this round of the node left, if any. @throws as `keptLedger` */
export function leftLedger(context: IExecuteFunctions): Ledger | undefined {
	return keptLedger(nodeContextOf(context), runIndexOf(context));
}

/**
 * Opens the batch of this round of the node. It goes on with the ledger that this execution left. Without one, it gets a
 * new ledger; where the execution retries another one, that takes up the runs of the other.
 *
 * @param left the ledger that this execution left, or the one that it retries
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on
 * after failures; and as `takeUp`
 */
export async function openBatch(
	context: IExecuteFunctions,
	source: RunSource,
	left: Ledger | undefined,
): Promise<Batch> {
	const host = hostOf(context);
	const credential = await readApiCredential(context);
	const isOwn = left?.executionId === host.executionId;
	if (!isOwn) await checkOneAccount(context, credential);
	const client = connectWith(context, credential, cancelSignalOf(context));
	const starter = connectWith(context, credential);
	const { ledger, hint } = isOwn
		? { ledger: left, hint: undefined }
		: await makeLedger(context, starter, source, left, accountOf(credential));
	const isResumed = ledger.suspension !== undefined;
	const clients = { credential, client, starter };
	const facts = { awakeSince: Date.now(), random: Math.random() };
	return { context, host, ...clients, ledger, hint, isResumed, isWatched: false, facts };
}

/** Makes a ledger and keeps it with the execution. @param left what the execution that is retried left */
async function makeLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	left: Ledger | undefined,
	account: string,
) {
	const { ledger: fresh, hint } = await newLedger(context, client, source, account);
	const ledger = left === undefined ? fresh : await takeUp(context, client, left, fresh);
	allowStarts(context, ledger);
	keepLedger(nodeContextOf(context), ledger);
	return { ledger, hint };
}
