import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { valuesOfItems, type ReadParam } from '../../../fields/field';
import {
	readWaitSettings,
	waitForCompletionField,
	type WaitSettings,
} from '../../../fields/waiting';
import { mapConcurrently, onceEach } from '../../../service/concurrency';
import { checkCallbackUrl } from '../../../service/events/callback';
import { limitsOf, type ServiceClient } from '../../../service/http/client';
import {
	inOrder,
	isJsonObject,
	objectIn,
	textAt,
	type JsonObject,
} from '../../../service/json/json';
import { readInputSchema } from '../../../service/runs/schemas';
import { memoryOf } from '../../../service/processMemory';
import { unknownFields } from '../../../service/schema/inputSchema';
import type { Caller } from '../../caller';
import type { RunSource } from '../../executable';
import { continuesAfter, toNodeError } from '../../failures';
import { hostOf } from '../../host';
import { checkHistory } from '../../newRows';
import { isProduction, nodeKey } from '../../workflow';
import { runIndexOf } from '../platform';
import { newNonce } from '../suspension/secret';
import { LEDGER_VERSION, toRefusal, type Entry, type Ledger, type StoredRequest } from './ledger';
import { callerWaitsUntil, callbackUrlFor, planWaiting } from './plan';

/**
 * Makes a new ledger. The requests of all items are made and checked here, before anything is started.
 *
 * @param caller who waits for the results, if anybody does
 * @returns also a hint for the user, which holds where nothing watches the runs of the suspended execution
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on
 * after failures
 */
export async function newLedger(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	account: string,
	caller?: Caller,
) {
	const valuesOf = valuesOfItems(context);
	const attaches = 'attach' in source;
	const mode = attaches ? 'automatic' : valuesOf(0)(waitForCompletionField);
	const settings = readWaitSettings(valuesOf(0));
	if (settings.onlyNew !== undefined) checkHistory(context);
	const schemaOf = schemaReader(context, client, account);
	const unknown = new Set<string>();
	const toEntry = async (values: ReadParam): Promise<Entry> => {
		if (attaches) {
			const taskId = source.attach(values);
			return { taskId, inputKey: taskId };
		}
		const owner = source.inputOwner?.(values);
		const schema = owner === undefined ? undefined : await schemaOf(owner);
		const { method, path, body } = source.start(values, schema);
		const request = { method, path, ...(body !== undefined && { body }) };
		checkCallbacks(request, client.baseUrl);
		const input = objectIn(isJsonObject(body) ? body.input : undefined);
		for (const name of unknownFields(schema ?? {}, input)) unknown.add(name);
		return { request, inputKey: digestOf(request) };
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
	const { resumeUrl, executionId, answersBy = Infinity } = hostOf(context);
	const isTaken = entries.some((entry) => isCallbackTaken(entry, settings));
	const isOfUse = !attaches && !isTaken && now >= callerWaitsUntil(caller);
	const callbackUrl =
		isOfUse && resumeUrl && callbackUrlFor(resumeUrl, items.length, keys.callbackKey);
	const plan = planWaiting(mode, client.baseUrl, resumeUrl, callbackUrl || undefined);
	const ledger: Ledger = {
		version: LEDGER_VERSION,
		executionId,
		nodeId: context.getNode().id,
		runIndex: runIndexOf(context),
		resumes: 0,
		...keys,
		waitMethod: plan.waitMethod,
		api: source.api.name,
		settings,
		...(!attaches && { firstStartedAt: now }),
		begunAt: now,
		deadline: Math.min(now + settings.limitMs, answersBy),
		activity: {},
		...(unknown.size > 0 && { unknownFields: [...unknown] }),
		entries,
	};
	return { ledger, hint: plan.hint };
}

/** For how long executions of one node share a schema that one of them has read, in milliseconds. */
const TOGETHER_MS = 2_000;

const sharedReaders = memoryOf<(owner: string) => Promise<JsonObject | undefined>>('inputSchemas');

/** Reads the schema of each input once: for all items, and for executions of the node that begin together. */
function schemaReader(context: IExecuteFunctions, client: ServiceClient, account: string) {
	const read = async (owner: string) => await readInputSchema(client, owner);
	// Who tests a workflow may be editing its bot as well.
	if (!isProduction(context)) return onceEach(read);
	const key = `${nodeKey(context)} ${account}`;
	const reader = sharedReaders.get(key) ?? onceEach(read);
	if (sharedReaders.get(key) !== reader) sharedReaders.set(key, reader, Date.now() + TOGETHER_MS);
	// The other execution may have been stopped while it read.
	return async (owner: string) => await reader(owner).catch(async () => await read(owner));
}

/** A digest of a start: two starts of the same input have the same, whatever the order of its members. */
function digestOf({ path, body }: StoredRequest): string {
	const text = JSON.stringify([path, body], inOrder);
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

/** Whether the user has a callback sent elsewhere that this node would need. */
function isCallbackTaken({ request }: Entry, { resumeWhenPaused }: WaitSettings): boolean {
	if (!isJsonObject(request?.body)) return false;
	const { callback_url: completed, status_change_callback_url: changed } = request.body;
	return completed !== undefined || (resumeWhenPaused && changed !== undefined);
}
