import { onceEach } from './concurrency';
import type { ServiceClient } from '../service/http/client';
import { CanceledError } from '../service/errors';
import { inputSchemaOf } from '../service/schema/inputSchema';
import type { JsonObject } from '../service/json/json';
import { TtlCache } from '../service/ttlCache';

/** For how long executions of the same node share a schema, in milliseconds. */
const SHARED_FOR_MS = 60_000;

/** How many schemas are shared at most, and how long they may be, in characters of JSON. */
const MOST_SHARED = 1_000;
const SHARED_MAX_LENGTH = 50_000;

const shared = new TtlCache<JsonObject>(MOST_SHARED);

/** The schema of an input. */
interface InputSchema {
	/** Undefined where there is none, or it could not be read: the service checks in any case. */
	schema: JsonObject | undefined;
	/** Whether it is from an earlier execution, and may have been changed since. */
	isOld: boolean;
}

/** The schemas of the inputs of bots and templates, by their paths. Each throws CanceledError when the execution was stopped. */
export interface InputSchemas {
	at(path: string): Promise<InputSchema>;
	/** Reads a schema that was old. */
	renew(path: string): Promise<InputSchema>;
}

/**
 * Reads each schema once, however many items need it, and tries only once.
 *
 * @param sharer who may use what was read within the last minute, e.g. the executions of one node;
 * undefined for nobody
 */
export function createInputSchemas(
	client: ServiceClient,
	sharer: string | undefined,
): InputSchemas {
	const keyOf = (path: string): string => `${sharer} ${client.baseUrl}${path}`;
	const read = async (path: string): Promise<InputSchema> => {
		const schema = await readSchema(client, path);
		const length = JSON.stringify(schema)?.length ?? 0;
		if (sharer !== undefined && schema !== undefined && length <= SHARED_MAX_LENGTH) {
			shared.set(keyOf(path), schema, Date.now() + SHARED_FOR_MS);
		}
		return { schema, isOld: false };
	};
	const recall = async (path: string): Promise<InputSchema> => {
		const schema = shared.get(keyOf(path));
		return schema === undefined ? await read(path) : { schema, isOld: true };
	};
	return { at: onceEach(recall), renew: onceEach(read) };
}

async function readSchema(client: ServiceClient, path: string): Promise<JsonObject | undefined> {
	const answer = await client.send({ method: 'GET', path, once: true }).catch((error: unknown) => {
		if (error instanceof CanceledError) throw error;
		return undefined;
	});
	return inputSchemaOf(answer);
}
