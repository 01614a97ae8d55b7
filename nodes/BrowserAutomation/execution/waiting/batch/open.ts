import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { valuesOfItems, type ReadParam } from '../../../fields/field';
import {
	MAX_RUNS_OF_TOOL,
	readWaitSettings,
	waitForCompletionField,
	type WaitSettings,
} from '../../../fields/waiting';
import { mapConcurrently, onceEach } from '../../../service/concurrency';
import { InputError } from '../../../service/errors';
import { checkCallbackUrl } from '../../../service/events/callback';
import { limitsOf, type ServiceClient } from '../../../service/http/client';
import { isJsonObject, textAt, type JsonObject } from '../../../service/json/json';
import { readInputSchema } from '../../../service/runs/schemas';
import { TtlCache } from '../../../service/ttlCache';
import { cancelSignalOf } from '../../../transport/cancellation';
import { connectWith } from '../../../transport/client';
import {
	accountOf,
	checkOneAccount,
	readApiCredential,
	type ApiCredential,
} from '../../../transport/credentials';
import { isProduction, nodeKey } from '../../workflow';
import { continuesAfter, toNodeError } from '../../failures';
import { executionContextOf, hostOf, nodeContextOf, type Host } from '../../host';
import { checkHistory } from '../../newRows';
import { giveHint } from '../../hints';
import type { RunSource } from '../../executable';
import type { Facts } from '../nextStep';
import { runIndexOf } from '../platform';
import { newNonce } from '../suspension/secret';
import { reachesItself } from '../suspension/resumeCall';
import {
	type Entry,
	keepLedger,
	keptLedger,
	type Ledger,
	LEDGER_VERSION,
	type StoredRequest,
	toRefusal,
	unstarted,
} from './ledger';
import { awakeUntil, callbackUrlFor, planWaiting, sleeps } from './plan';
import type { StartFailure } from './start';
import { takeUp } from './takeUp';

/** A batch that is being waited for. */
export interface Batch {
	context: IExecuteFunctions;
	host: Host;
	credential: ApiCredential;
	client: ServiceClient;
	/** Sends starts: a stop of the execution lets one that is under way come to its end, so that its run is known. */
	starter: ServiceClient;
	ledger: Ledger;
	/** Whether the execution was resumed to go on with the batch. */
	hasSlept: boolean;
	/** Whether this process can have n8n wake the execution, so that its runs are watched. */
	isWatched: boolean;
	/** What is true of this round alone. */
	facts: Omit<Facts, 'allowed'>;
	/** The start that ends the batch. */
	failure?: StartFailure;
	/** What the last poll has read of the only run that was open, if it has ended. */
	lastRun?: { taskId: string; run: JsonObject };
}

/** The batch of this round of the node. @throws as `openLedger` */
export async function openBatch(
	context: IExecuteFunctions,
	source: RunSource,
	left: Ledger | undefined,
): Promise<Batch> {
	const credential = await readApiCredential(context);
	if (!isOwnLedger(context, left)) await checkOneAccount(context, credential);
	const client = connectWith(context, credential, cancelSignalOf(context));
	const starter = connectWith(context, credential);
	const { ledger, hint } = await openLedger(context, starter, source, left, accountOf(credential));
	const host = hostOf(context);
	const { resumeUrl } = host;
	const maySleep = sleeps(ledger.waitMethod) && Date.now() >= awakeUntil(host);
	const isWatched =
		maySleep && resumeUrl !== undefined && (await reachesItself(context, resumeUrl));
	if (!isWatched) giveHint(context, hint);
	const hasSlept = ledger.sleep !== undefined;
	const clients = { credential, client, starter };
	const facts = { awakeSince: Date.now(), random: Math.random() };
	return { context, host, ...clients, ledger, hasSlept, isWatched, facts };
}

/**
 * The ledger of this round of the node: the one an earlier attempt left, else a new one in which
 * every item's request is made and checked, before anything is started.
 *
 * @returns also what the user should know where nothing watches the runs while the execution sleeps
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on
 * after failures
 */
export async function openLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	left: Ledger | undefined,
	account: string,
): Promise<{ ledger: Ledger; hint?: string | undefined }> {
	if (isOwnLedger(context, left)) return { ledger: left };
	const { ledger: fresh, hint } = await newLedger(context, client, source, account);
	const ledger = left === undefined ? fresh : await takeUp(context, client, left, fresh);
	allowStarts(context, ledger);
	keepLedger(nodeContextOf(context), ledger);
	return { ledger, hint };
}

/** Whether this execution has written a ledger, rather than the one that it retries. */
function isOwnLedger(context: IExecuteFunctions, left: Ledger | undefined): left is Ledger {
	return left !== undefined && left.executionId === hostOf(context).executionId;
}

/** The ledger that an earlier attempt at this round of the node left, if any. @throws as `keptLedger` */
export function leftLedger(context: IExecuteFunctions): Ledger | undefined {
	return keptLedger(nodeContextOf(context), runIndexOf(context));
}

async function newLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	account: string,
) {
	const valuesOf = valuesOfItems(context);
	const attaches = 'attach' in source;
	const mode = attaches ? 'automatic' : valuesOf(0)(waitForCompletionField);
	const settings = readWaitSettings(valuesOf(0));
	if (settings.onlyNew !== undefined) checkHistory(context);
	const schemaOf = schemaReader(context, client, account);
	const toEntry = async (values: ReadParam): Promise<Entry> => {
		if (attaches) {
			const taskId = source.attach(values);
			return { taskId, origin: taskId };
		}
		const owner = source.inputOwner?.(values);
		const schema = owner === undefined ? undefined : await schemaOf(owner);
		const { method, path, body } = source.start(values, schema);
		const request = { method, path, ...(body !== undefined && { body }) };
		checkCallbacks(request, client.baseUrl);
		return { request, origin: digestOf(request) };
	};
	const items = context.getInputData();
	const { concurrency } = limitsOf(client);
	const entries = await mapConcurrently(items, concurrency, async (_, itemIndex) => {
		try {
			return await toEntry(valuesOf(itemIndex));
		} catch (error) {
			if (!continuesAfter(context, error)) throw toNodeError(context.getNode(), error, itemIndex);
			return { refusal: toRefusal(error) };
		}
	});
	const now = Date.now();
	const keys = { statusPageKey: newNonce(), callbackKey: newNonce() };
	const host = hostOf(context);
	const { resumeUrl, executionId, answersBy = Infinity } = host;
	const isTaken = entries.some((entry) => isCallbackTaken(entry, settings));
	const isOfUse = !attaches && !isTaken && now >= awakeUntil(host);
	const callbackUrl =
		isOfUse && resumeUrl && callbackUrlFor(resumeUrl, items.length, keys.callbackKey);
	const plan = planWaiting(mode, client.baseUrl, resumeUrl, callbackUrl || undefined);
	const ledger: Ledger = {
		version: LEDGER_VERSION,
		executionId,
		nodeId: context.getNode().id,
		runIndex: runIndexOf(context),
		...keys,
		waitMethod: plan.waitMethod,
		api: source.api.name,
		settings,
		...(!attaches && { since: now }),
		begunAt: now,
		deadline: Math.min(now + settings.limitMs, answersBy),
		entries,
	};
	return { ledger, hint: plan.hint };
}

/** For how long executions of a node that begin together share what they read, in milliseconds. */
const TOGETHER_MS = 2_000;

const sharedReaders = new TtlCache<(owner: string) => Promise<JsonObject | undefined>>(1_000);

/** Reads the schema of an input once for all items, and for executions of the node that begin together. */
function schemaReader(context: IExecuteFunctions, client: ServiceClient, account: string) {
	const read = async (owner: string) => await readInputSchema(client, owner);
	// Who tests a workflow may be editing its bot as well.
	if (!isProduction(context)) return onceEach(read);
	const key = `${nodeKey(context)} ${account}`;
	const reader = sharedReaders.get(key) ?? onceEach(read);
	if (sharedReaders.get(key) !== reader) sharedReaders.set(key, reader, Date.now() + TOGETHER_MS);
	// It fails where the execution that reads was stopped.
	return async (owner: string) => await reader(owner).catch(async () => await read(owner));
}

/** What tells a start from one with another input, in few characters. */
function digestOf({ path, body }: StoredRequest): string {
	const text = JSON.stringify([path, body]);
	return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function checkCallbacks({ body }: StoredRequest, serviceUrl: string): void {
	for (const [key, label] of [
		['callback_url', "'Completion Callback URL'"],
		['status_change_callback_url', "'Status Callback URL'"],
	] as const) {
		const url = textAt(body, key);
		if (url !== undefined) checkCallbackUrl(url, label, serviceUrl);
	}
}

/** Whether the user has a callback sent elsewhere that we would need. */
function isCallbackTaken({ request }: Entry, { resumeWhenPaused }: WaitSettings): boolean {
	if (!isJsonObject(request?.body)) return false;
	const { callback_url: completed, status_change_callback_url: changed } = request.body;
	return completed !== undefined || (resumeWhenPaused && changed !== undefined);
}

/** For how long starts count where n8n keeps nothing from one call of a tool to the next, and of how many tools. */
const COUNTED_FOR_MS = 3_600_000;
const recentStarts = new TtlCache<{ count: number; until: number }>(1_000);

/**
 * Makes sure, before anything is started, that the node starts no more runs in this execution than the
 * user allows: over all rounds of a loop, and all calls of an agent's tool; where the calls have no
 * execution in common, in an hour of this process. @throws InputError
 */
function allowStarts(context: IExecuteFunctions, ledger: Ledger): void {
	const { executionId, nodeId, settings } = ledger;
	const { keepsContext, tool } = hostOf(context);
	const max = settings.maxRuns ?? (tool ? MAX_RUNS_OF_TOOL : Infinity);
	const wanted = unstarted(ledger).length;
	// A retry is an execution of its own, which has the counts of the one before as well.
	const known = executionContextOf(context);
	const key = keepsContext
		? `browserAutomationStarts/${executionId}/${nodeId}`
		: nodeOfAnyCall(context);
	const { count = 0, until = Date.now() + COUNTED_FOR_MS } = recentStarts.get(key) ?? {};
	const before = Number(known[key] ?? count);
	if (wanted > 0 && before + wanted > max) {
		const where = keepsContext ? 'in this execution' : 'within an hour';
		throw new InputError(
			`This node would start ${before + wanted} runs ${where}, and 'Max Runs per Execution' is ${max}`,
			`None of these ${wanted} was started${before === 0 ? '' : `; ${before} were before`}. Send fewer items, or set 'Max Runs per Execution' under 'Limits and Costs'.`,
		);
	}
	if (keepsContext) known[key] = before + wanted;
	else recentStarts.set(key, { count: before + wanted, until }, until);
}

/** Names a node whose ID n8n makes anew for each call: by what it is set up to do. */
function nodeOfAnyCall(context: IExecuteFunctions): string {
	const { type, name, parameters } = context.getNode();
	const text = JSON.stringify([type, name, parameters]);
	return createHash('sha256').update(text).digest('base64url');
}
