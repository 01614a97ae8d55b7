import type {
	IDataObject,
	IHookFunctions,
	INodeExecutionData,
	IWebhookFunctions,
	IWebhookResponseData,
} from 'n8n-workflow';

import type { WebhookResponse } from '../execution/webhook';
import { isProduction, nodeKey } from '../execution/workflow';
import { attempt } from '../service/attempt';
import { RunMemory } from '../service/events/runMemory';
import type { ServiceClient } from '../service/http/client';
import { memoryOf } from '../service/processMemory';
import { TtlCache } from '../service/ttlCache';
import { connectToWatch } from '../transport/client';
import {
	credentialIdOf,
	readApiCredential,
	type ApiCredential,
	type NodeContext,
} from '../transport/credentials';
import { delay, withSignal } from '../transport/cancellation';
import { ownTaskId } from './ownRun';
import { ReadLimiter } from './readLimiter';

/** How many runs a process remembers for each trigger. `unread` is bounded, because anybody may name runs. */
const REMEMBERED = { open: 1_000, unread: 400, known: 5_000 };

/** The key of the reported runs in the workflow's static data, and how many of each kind are kept. */
const REPORTED = 'reported';
const KEPT = 500;

/** The key of the owner of that data: the trigger's node ID and callback URL. */
const OWNER = 'owner';

/** How long an execution may wait in n8n after the caller has gone, and how often that is checked, in milliseconds. */
const GONE_MS = 3_600_000;
const RECHECK_MS = 1_000;

/** How long a credential is kept, in milliseconds. A refused one is read again at once. */
const CREDENTIAL_FOR_MS = 60_000;

export interface TurnResult<T> {
	answer: T;
	/** The next turn waits for this, too. */
	settled?: Promise<unknown>;
}

/** Does work with the same key one after the other. */
class Turns {
	private readonly last = new Map<string, Promise<unknown>>();

	/** Does some work after all earlier work with the same key, failed or not. @throws the signal's reason, as the work */
	async inTurn<T>(key: string, limit: AbortSignal, work: () => Promise<TurnResult<T>>): Promise<T> {
		const before = this.last.get(key);
		const turn = before === undefined ? work() : withSignal(limit, before).then(work);
		const over = attempt(async () => await (await turn).settled).then(() => before);
		this.last.set(key, over);
		void over.then(() => {
			if (this.last.get(key) === over) this.last.delete(key);
		});
		return (await turn).answer;
	}
}

/** What a process knows of a trigger that is published, or that an editor listens to. */
export class TriggerState {
	readonly limiter = new ReadLimiter();
	/** Handles the callbacks of one run one after the other. */
	readonly turns = new Turns();
	readonly memory = new RunMemory(REMEMBERED);
	/** Whether its open runs are being checked. */
	isChecking = false;
	/** When a failure was last logged, in milliseconds since 1970. */
	loggedAt = 0;
	/** Whether an execution was started to show that the service refuses the key, which it has not accepted since. */
	isRefusalShown = false;
	private readonly credential = new TtlCache<ApiCredential>(1);

	/**
	 * A client for reads after a callback. It keeps the credential for a while, unless the service refuses the key: whenever n8n reads
	 * one in a webhook, it prepares all that expressions may need, which takes longer than the rest of our work.
	 */
	async connect(context: IWebhookFunctions): Promise<ServiceClient> {
		const readAnew = async (caller: NodeContext): Promise<ApiCredential> => {
			const credential = await readApiCredential(caller);
			this.credential.set(credentialIdOf(caller), credential, Date.now() + CREDENTIAL_FOR_MS);
			return credential;
		};
		const credential = this.credential.get(credentialIdOf(context)) ?? (await readAnew(context));
		const client = connectToWatch(context, credential, readAnew);
		return {
			...client,
			send: async (request) => {
				const answer = await client.send(request);
				this.isRefusalShown = false;
				return answer;
			},
		};
	}
}

/** By `stateKey`: the editor's version may have another credential. What is forgotten continues from the workflow's static data. */
const states = memoryOf<TriggerState>('triggers');

function stateKey(context: IHookFunctions | IWebhookFunctions): string {
	return `${nodeKey(context)} ${isProduction(context)}`;
}

/** What this process knows of the trigger that is called, together with the workflow's static data. */
export function stateOf(context: IHookFunctions | IWebhookFunctions): TriggerState {
	const state = states.getOrMake(stateKey(context), () => new TriggerState(), Infinity);
	if (isProduction(context)) state.memory.add(readKeptData(context)[REPORTED]);
	return state;
}

/** Forgets all about a trigger when an editor begins to listen for a test event. */
export function beginTest(context: IHookFunctions): void {
	states.delete(stateKey(context));
}

/**
 * The trigger's static data in the workflow, to be changed. An imported workflow may have the data of another
 * trigger, or of this one at another address (n8n's public API imports it). That is deleted: no callbacks
 * come from there.
 */
export function keptDataOf(context: IHookFunctions | IWebhookFunctions): IDataObject {
	const kept = context.getWorkflowStaticData('node');
	const owner = ownerOf(context);
	if (kept[OWNER] === owner) return kept;
	for (const key of Object.keys(kept)) delete kept[key];
	kept[OWNER] = owner;
	return kept;
}

/**
 * The same, to be read only. After a change, n8n stores all static data as of the call's beginning. So a call
 * without changes must not write, or it would undo what other calls have stored.
 */
export function readKeptData(context: IHookFunctions | IWebhookFunctions): Readonly<IDataObject> {
	const kept = context.getWorkflowStaticData('node');
	return kept[OWNER] === ownerOf(context) ? kept : {};
}

/** The ID of the run that a published trigger has started itself, if it does that. */
export function ownTaskIdOf(context: IWebhookFunctions): string | undefined {
	return isProduction(context) ? ownTaskId(readKeptData(context)) : undefined;
}

function ownerOf(context: IHookFunctions | IWebhookFunctions): string {
	return `${context.getNode().id} ${context.getNodeWebhookUrl('default')}`;
}

/**
 * Has n8n store what is known of runs with the workflow after this call. Calls overlap and the last write wins,
 * so the data is serialized when n8n stores it.
 */
export function keepReported(context: IHookFunctions | IWebhookFunctions, memory: RunMemory): void {
	if (!isProduction(context)) return;
	const startsOwnRun = context.getNodeParameter('source', '') === 'own';
	// n8n has not stored the trigger's own run yet: storing now would lose it.
	if (startsOwnRun && ownTaskId(readKeptData(context)) === undefined) return;
	keptDataOf(context)[REPORTED] = { toJSON: (): string[] => memory.write(KEPT) };
}

/**
 * The answer with which n8n starts the workflow; `onBegun` is called when n8n has begun the execution. If it does not begin, the
 * event stays unreported. n8n reads `webhookResponse` at that moment, just before it stores the static data
 * (2.41.1: `executeWebhook` in webhooks/webhook-helpers.js). It would not store earlier changes. An execution that is
 * stopped while it waits for its turn never gets an answer.
 */
export function startingAnswer(
	response: Pick<WebhookResponse, 'closed' | 'once' | 'writableEnded'>,
	items: INodeExecutionData[],
	onBegun: () => void,
): TurnResult<IWebhookResponseData> {
	let begin = onBegun;
	const settled = new Promise<void>((resolve) => {
		begin = () => {
			onBegun();
			resolve();
		};
		const onClose = (): void => void untilEnded(response).then(resolve);
		if (response.closed) onClose();
		else response.once('close', onClose);
	});
	const answer = {
		workflowData: [items],
		get webhookResponse(): object {
			begin();
			return { message: 'The workflow was started.' };
		},
	};
	return { answer, settled };
}

/** Waits until n8n has answered, also after the caller has gone. */
async function untilEnded(response: Pick<WebhookResponse, 'writableEnded'>): Promise<void> {
	const until = Date.now() + GONE_MS;
	while (!response.writableEnded && Date.now() < until) await delay(RECHECK_MS);
}
