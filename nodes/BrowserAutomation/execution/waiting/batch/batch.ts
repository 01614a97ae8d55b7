import type { IExecuteFunctions } from 'n8n-workflow';

import type { ServiceClient } from '../../../service/http/client';
import type { JsonObject } from '../../../service/json/json';
import type { ApiCredential } from '../../../transport/credentials';
import type { Caller } from '../../caller';
import type { Host } from '../../host';
import type { AwakeFacts } from '../nextStep';
import type { Ledger } from './ledger';

/** A batch that is being waited for. */
export interface Batch {
	context: IExecuteFunctions;
	host: Host;
	/** Who waits for the results; undefined where nobody does. */
	caller: Caller | undefined;
	credential: ApiCredential;
	client: ServiceClient;
	/** Sends starts. Stopping the execution does not interrupt a request that is on its way, so that its run is known. */
	startClient: ServiceClient;
	ledger: Ledger;
	/** What the user should know if nothing watches the runs of the suspended execution. */
	hint: string | undefined;
	/** Whether the execution was resumed to go on with the batch. */
	isResumed: boolean;
	/** Whether this process can have n8n resume the execution: its watcher polls the runs then. */
	canResume: boolean;
	/** What is known only while the execution is awake. */
	facts: Omit<AwakeFacts, 'allowedStarts'>;
	/** The refused start that ends the batch. */
	startFailure?: StartFailure;
	/** The details of the only open run, if the last poll has found that it ended. */
	endedRun?: { taskId: string; run: JsonObject };
}

/** A refused start, for which the node fails. */
export interface StartFailure {
	error: unknown;
	itemIndex: number;
}
