import { attempt } from '../attempt';
import type { ServiceClient } from '../http/client';
import { CanceledError } from '../errors';
import { schemaIn } from '../schema/inputSchema';
import { textAt, type JsonObject } from '../json/json';
import { path } from '../http/request';
import { isTransient } from '../http/retry';

/** The ID of a run's bot. A task has it as its workflow's ID (docs/service.md: Bot and template records). */
export function botIdOf(run: JsonObject): string | undefined {
	return textAt(run, 'bot_id') ?? textAt(run, 'workflow_id');
}

/** Whether a run may be of a bot whose runs were asked for: a list need not name it. Without a bot: whether the run has none. */
export function mayBeOfBot(botId: string | undefined, run: JsonObject): boolean {
	return (botIdOf(run) ?? botId) === botId;
}

/**
 * The schema of a bot's output. Undefined without one, or where the service refuses to show the bot.
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
 * The schema of an input. Undefined without one, or where a single try cannot read it: the service checks the
 * input in any case.
 *
 * @param owner the path of the bot or template
 * @throws CanceledError
 */
export async function readInputSchema(
	client: ServiceClient,
	owner: string,
): Promise<JsonObject | undefined> {
	const read = await attempt(client.send({ method: 'GET', path: owner, mayRepeat: false }));
	if (read.ok) return schemaIn(read.value);
	if (read.error instanceof CanceledError) throw read.error;
	return undefined;
}
