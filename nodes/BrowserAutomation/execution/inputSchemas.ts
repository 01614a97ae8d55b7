import { attempt } from '../service/attempt';
import type { ServiceClient } from '../service/client';
import { CanceledError } from '../service/errors';
import { inputSchemaOf } from '../service/inputSchema';
import type { JsonObject } from '../service/json';

/**
 * Gives the schema of the input of a bot or template, by its path.
 *
 * @returns undefined where there is none, or it could not be read
 * @throws CanceledError when the execution was stopped
 */
export type SchemaReader = (path: string) => Promise<JsonObject | undefined>;

/**
 * Reads each schema once, however many items need it, and tries only once: without a schema an
 * input is not checked here, and the service checks it in any case.
 */
export function rememberSchemas(client: ServiceClient): SchemaReader {
	const schemas = new Map<string, Promise<JsonObject | undefined>>();
	return async (path) => {
		const known = schemas.get(path);
		if (known !== undefined) return await known;
		const reading = readSchema(client, path);
		schemas.set(path, reading);
		return await reading;
	};
}

async function readSchema(client: ServiceClient, path: string): Promise<JsonObject | undefined> {
	const read = await attempt(async () => await client.send({ method: 'GET', path, once: true }));
	if (read.ok) return inputSchemaOf(read.value);
	if (read.error instanceof CanceledError) throw read.error;
	return undefined;
}
