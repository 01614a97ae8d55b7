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
import { attempt } from '../service/attempt';
import { mapConcurrently, onceEach } from '../service/concurrency';
import { checkCallbackUrl } from '../service/events/callback';
import { limitsOf, type ServiceClient } from '../service/http/client';
import type { ServiceRequest } from '../service/http/request';
import { inOrder, isJsonObject, objectIn, textAt, type JsonObject } from '../service/json/json';
import { memoryOf } from '../service/processMemory';
import { readInputSchema } from '../service/runs/schemas';
import { unknownFields } from '../service/schema/inputSchema';
import type { RunSource } from './executable';
import { hostOf } from './host';
import { checkHistory } from './newRows';
import { isProduction, nodeKey } from './workflow';

export type { WaitMode, WaitSettings } from '../fields/waiting';

/** A start that is still to be sent, as data: the part of a request that is stored. */
export type StoredRequest = Pick<ServiceRequest, 'method' | 'path' | 'body'>;

/** What is to be done for an item: its start, or the run that the user has named. Or why nothing can be; `inputKey` if it could be read. */
type PreparedItem =
	| { inputKey: string; request: StoredRequest }
	| { inputKey: string; taskId: string }
	| { inputKey?: string | undefined; error: unknown };

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
 * @throws InputError where the node's settings are wrong
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
		const given = source.given?.(values);
		const made = await attempt(async (): Promise<StoredRequest> => {
			const owner = source.inputOwner?.(values);
			const schema = owner === undefined ? undefined : await schemaOf(owner);
			const { method, path, body } = source.start(values, schema);
			const request = { method, path, ...(body !== undefined && { body }) };
			checkCallbacks(request, client.baseUrl);
			const input = objectIn(isJsonObject(body) ? body.input : undefined);
			for (const name of unknownFields(schema ?? {}, input)) unknown.add(name);
			return request;
		});
		if (made.ok) return { request: made.value, inputKey: digestOf(given ?? made.value) };
		return { error: made.error, inputKey: given === undefined ? given : digestOf(given) };
	};
	const given = context.getInputData();
	const { concurrency } = limitsOf(client);
	const items = await mapConcurrently(given, concurrency, async (_, itemIndex) => {
		const prepared = await attempt(async () => await prepareItem(valuesOf(itemIndex)));
		return prepared.ok ? prepared.value : { error: prepared.error };
	});
	return { mode, settings, items, unknownFields: [...unknown] };
}

/** For how long executions of one node share a schema that one of them has read, in milliseconds. */
const TOGETHER_MS = 2_000;

const schemas = memoryOf<Promise<JsonObject | undefined>>('inputSchemas');

/** Reads the schema of each input once: for all items, and for executions of the node that begin together. */
function schemaReader(context: IExecuteFunctions, client: ServiceClient, account: string) {
	const read = onceEach(async (owner) => await readInputSchema(client, owner));
	// Who tests a workflow may be editing its bot as well.
	if (!isProduction(context)) return read;
	const place = `${nodeKey(context)} ${account}`;
	return async (owner: string) => {
		const key = `${place} ${owner}`;
		const shared = schemas.get(key);
		// The other execution may have been stopped while it read.
		if (shared !== undefined) return await shared.catch(async () => await read(owner));
		const reading = read(owner);
		schemas.set(key, reading, Date.now() + TOGETHER_MS);
		return await reading;
	};
}

/** A digest of what a start is made of, whatever the order of its members. */
export function digestOf(start: unknown): string {
	const text = JSON.stringify(start, inOrder);
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
