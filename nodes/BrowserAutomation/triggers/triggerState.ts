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
import { TtlCache } from '../service/ttlCache';
import { connectToWatch } from '../transport/client';
import { readApiCredential, type ApiCredential, type Caller } from '../transport/credentials';
import { delay, withSignal } from '../transport/cancellation';
import { ownCallerOf, type OwnCaller } from '../transport/ownAddress';
import { ownTaskId } from './ownRun';
import { ReadLimiter } from './readLimiter';

/** How many runs a process remembers for each trigger; anybody may name runs that cannot be read just then. */
const REMEMBERED = { open: 1_000, unread: 400, known: 5_000 };

/** Where the workflow keeps for the trigger which runs were told of, and how many of each kind. */
const REPORTED = 'reported';
const KEPT = 500;

/** Where it keeps whose data all this is: the trigger's node ID and callback URL. */
const OWNER = 'owner';

/** How long an execution may wait in n8n after the caller has gone, and how often that is looked at, in milliseconds. */
const GONE_MS = 3_600_000;
const RECHECK_MS = 1_000;

/** A changed credential is used after so long at the latest, a refused one at once. */
const CREDENTIAL_FOR_MS = 60_000;

/** How many triggers a process remembers something for. Of others, what the workflow keeps is known. */
export const MAX_TRIGGERS = 1_000;

/** How many things that were done a moment ago are remembered for each trigger. */
const MAX_LATELY = 1_000;

/** What came of a turn. */
export interface Turn<T> {
	value: T;
	/** What else has to settle before the next turn begins. */
	settled?: Promise<unknown>;
}

/** Work in turn by key: what has the same key is done one after the other. */
class Turns {
	private readonly last = new Map<string, Promise<unknown>>();

	/** Does some work when all earlier work with the same key is over, whether or not it failed, or throws what the signal is raised with. */
	async inTurn<T>(key: string, limit: AbortSignal, work: () => Promise<Turn<T>>): Promise<T> {
		const before = this.last.get(key);
		const turn = before === undefined ? work() : withSignal(limit, before).then(work);
		const over = attempt(async () => await (await turn).settled).then(() => before);
		this.last.set(key, over);
		void over.then(() => {
			if (this.last.get(key) === over) this.last.delete(key);
		});
		return (await turn).value;
	}
}

/** What a process knows of a published trigger, or of one that an editor listens to. */
export class TriggerState {
	readonly limiter = new ReadLimiter();
	/** Work on one run after the other. */
	readonly turns = new Turns();
	private readonly memory = new RunMemory(REMEMBERED);
	/** Whether the log says that runs cannot be read, and none could be since. */
	isFailing = false;
	/** What is not to be done again for a while, once it is known here. */
	readonly lately = new TtlCache<true>(MAX_LATELY);
	private readonly credential = new TtlCache<ApiCredential>(1);

	/** @param caller calls n8n for the trigger: one context, however many runs wait for that */
	constructor(readonly caller: OwnCaller) {}

	/** What is known of runs, together with what the workflow keeps. */
	memoryFor(context: IHookFunctions | IWebhookFunctions): RunMemory {
		if (isProduction(context)) this.memory.add(readKeptData(context)[REPORTED]);
		return this.memory;
	}

	/**
	 * A client for reads on behalf of a callback. Its credential stays in memory for the callbacks that
	 * are to come: where n8n answers a webhook, it prepares everything that expressions may need each
	 * time that a credential is read, which takes longer than all that we do there. When the service
	 * does not accept the key any more, the credential is read anew.
	 */
	async connect(context: IWebhookFunctions): Promise<ServiceClient> {
		const readAnew = async (caller: Caller): Promise<ApiCredential> => {
			const credential = await readApiCredential(caller);
			this.credential.set('', credential, Date.now() + CREDENTIAL_FOR_MS);
			return credential;
		};
		return connectToWatch(context, this.credential.get('') ?? (await readAnew(context)), readAnew);
	}
}

/** By a trigger's key and whether it is published: the editor's version may have another credential. */
const states = new TtlCache<TriggerState>(MAX_TRIGGERS);

function stateKey(context: IHookFunctions | IWebhookFunctions): string {
	return `${nodeKey(context)} ${isProduction(context)}`;
}

/** What this process knows of the trigger that is called. */
export function stateOf(context: IHookFunctions | IWebhookFunctions): TriggerState {
	const make = (): TriggerState => new TriggerState(ownCallerOf(context));
	return states.getOrMake(stateKey(context), make, Infinity);
}

/** An editor begins to listen for a test event: none was told to it yet. */
export function beginTest(context: IHookFunctions): void {
	states.delete(stateKey(context));
}

/**
 * What the workflow keeps for this trigger between its calls, to be changed. A workflow may come with
 * what was kept for another trigger, or for this one at another address (n8n's public API imports it):
 * that is thrown away, since callbacks never come from there.
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
 * The same, only to be read. n8n stores all that a call has changed, as it was when the call came: one
 * that has no news changes nothing, so that it does not undo what others have stored meanwhile.
 */
export function readKeptData(context: IHookFunctions | IWebhookFunctions): Readonly<IDataObject> {
	const kept = context.getWorkflowStaticData('node');
	return kept[OWNER] === ownerOf(context) ? kept : {};
}

function ownerOf(context: IHookFunctions | IWebhookFunctions): string {
	return `${context.getNode().id} ${context.getNodeWebhookUrl('default')}`;
}

/**
 * Has n8n store what is known with the workflow after this call. Calls overlap, and what the last of them
 * stores stays: so each stores what is known when it is stored.
 */
export function keep(context: IHookFunctions | IWebhookFunctions, memory: RunMemory): void {
	if (!isProduction(context)) return;
	const startsOwnRun = context.getNodeParameter('source', '') === 'own';
	// The call came before n8n had stored the trigger's own run, which would be forgotten.
	if (startsOwnRun && ownTaskId(readKeptData(context)) === undefined) return;
	keptDataOf(context)[REPORTED] = { toJSON: (): string[] => memory.write(KEPT) };
}

/**
 * Starts the workflow, and tells when n8n has begun the execution: if it cannot, the event is to be
 * taken again. n8n reads the answer (`webhookResponse`) then, just before it stores what the call has
 * changed (2.41.1: `executeWebhook` in webhooks/webhook-helpers.js); what was changed earlier, it has
 * forgotten by then. An execution that is stopped while it waits for its turn never gets an answer.
 */
export function startWorkflow(
	response: Pick<WebhookResponse, 'once' | 'writableEnded'>,
	items: INodeExecutionData[],
	onBegun: () => void,
): Turn<IWebhookResponseData> {
	let begin = onBegun;
	const settled = new Promise<void>((resolve) => {
		begin = () => {
			onBegun();
			resolve();
		};
		response.once('close', () => void untilEnded(response).then(resolve));
	});
	const value = {
		workflowData: [items],
		get webhookResponse(): object {
			begin();
			return { message: 'The workflow was started.' };
		},
	};
	return { value, settled };
}

/** Waits for n8n's answer, also where nobody takes it. */
async function untilEnded(response: Pick<WebhookResponse, 'writableEnded'>): Promise<void> {
	const until = Date.now() + GONE_MS;
	while (!response.writableEnded && Date.now() < until) await delay(RECHECK_MS);
}
