import { createHash } from 'crypto';
import type { IExecuteFunctions } from 'n8n-workflow';

import { valuesOfItems, type ReadParam } from '../fields/field';
import {
	MAX_RUNS_OF_TOOL,
	readWaitSettings,
	waitForCompletionField,
	type WaitMode,
	type WaitSettings,
} from '../fields/waiting';
import { mapConcurrently, onceEach } from '../service/concurrency';
import { checkCallbackUrl } from '../service/events/callback';
import { limitsOf, type ServiceClient } from '../service/http/client';
import type { ServiceRequest } from '../service/http/request';
import { inOrder, isJsonObject, objectIn, textAt, type JsonObject } from '../service/json/json';
import { memoryOf } from '../service/processMemory';
import { readInputSchema } from '../service/runs/schemas';
import { unknownFields } from '../service/schema/inputSchema';
import type { RunSource } from './executable';
import { continuesAfter, toNodeError } from './failures';
import { hostOf } from './host';
import { checkHistory } from './newRows';
import { isProduction, nodeKey } from './workflow';

export type { WaitMode, WaitSettings } from '../fields/waiting';

/** A start that is still to be sent, as data: the part of a request that is stored. */
export type StoredRequest = Pick<ServiceRequest, 'method' | 'path' | 'body'>;

/** What is to be done for an item: its start, or the run that the user has named. Or why nothing can be. */
type PreparedItem =
	| { inputKey: string; request: StoredRequest }
	| { inputKey: string; taskId: string }
	| { error: unknown };

/** What an execution is to do, and how it is to wait. */
export interface Preparation {
	mode: WaitMode;
	settings: WaitSettings;
	items: PreparedItem[];
	/** What of the inputs the bot's schema does not name. */
	unknownFields: string[];
}

/**
 * Reads what the user wants, and makes and checks the requests of all items, before anything is started.
 *
 * @param account names the account among all that this process knows
 * @throws InputError or NodeOperationError when an item cannot be started, unless the node goes on after failures
 */
export async function prepare(
	context: IExecuteFunctions,
	client: ServiceClient,
	source: RunSource,
	account: string,
): Promise<Preparation> {
	const valuesOf = valuesOfItems(context);
	const attaches = 'attach' in source;
	const mode = attaches ? 'automatic' : valuesOf(0)(waitForCompletionField);
	const settings = readWaitSettings(valuesOf(0));
	if (hostOf(context).tool) settings.maxRuns ??= MAX_RUNS_OF_TOOL;
	if (settings.onlyNew !== undefined) checkHistory(context);
	const schemaOf = schemaReader(context, client, account);
	const unknown = new Set<string>();
	const prepareItem = async (values: ReadParam): Promise<PreparedItem> => {
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
	const given = context.getInputData();
	const { concurrency } = limitsOf(client);
	const items = await mapConcurrently(given, concurrency, async (_, itemIndex) => {
		try {
			return await prepareItem(valuesOf(itemIndex));
		} catch (error) {
			if (!continuesAfter(context, error)) throw toNodeError(context.getNode(), error, itemIndex);
			return { error };
		}
	});
	return { mode, settings, items, unknownFields: [...unknown] };
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
