import { attempt } from '../attempt';
import type { ServiceClient } from '../http/client';
import { CanceledError } from '../errors';
import { schemaIn } from '../schema/inputSchema';
import { textAt, type JsonObject } from '../json/json';
import { path } from '../http/request';
import { isTransient } from '../http/retry';

/** The ID of a run's bot. A task names its workflow, which has the same ID as a bot (docs/service.md: Bot and template records). */
export function botIdOf(run: JsonObject): string | undefined {
	return textAt(run, 'bot_id') ?? textAt(run, 'workflow_id');
}

/**
 * The schema of a bot's output; undefined where there is none, or the service tells nothing of the bot.
 *
 * @throws ServiceError or ConnectionError where another try may help; CanceledError
 */
export async function readOutputSchema(
	client: ServiceClient,
	botId: string,
): Promise<JsonObject | undefined> {
	const read = await attempt(client.send({ method: 'GET', path: path`/v3/bots/${botId}` }));
	if (read.ok) return schemaIn(read.value, 'output_schema');
	if (isTransient(read.error) || read.error instanceof CanceledError) throw read.error;
	return undefined;
}

/**
 * The schema of an input, by the path of its bot or template. It is asked for without a second try; undefined
 * where there is none, or it cannot be read: the service checks in any case.
 *
 * @throws CanceledError
 */
export async function readInputSchema(
	client: ServiceClient,
	owner: string,
): Promise<JsonObject | undefined> {
	const read = await attempt(client.send({ method: 'GET', path: owner, once: true }));
	if (read.ok) return schemaIn(read.value);
	if (read.error instanceof CanceledError) throw read.error;
	return undefined;
}
