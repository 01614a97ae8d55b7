import { attempt } from '../service/attempt';
import { CanceledError, errorFacts, HelpfulError, messageOf } from '../service/errors';
import { inOrder, isJsonObject, type JsonObject, type JsonValue } from '../service/json/json';
import type { ServiceClient } from '../service/http/client';
import { path, type ServiceRequest } from '../service/http/request';
import { RunList, type ListedRun } from '../service/runs/runList';
import { ifKnown, isUncertainStart, readStatus } from '../service/runs/oneRun';
import { isUnsuccessful, type RunApi } from '../service/runs/runApi';
import { mayBeOfBot, readInputSchema } from '../service/runs/schemas';
import { memoryOf } from '../service/processMemory';
import { digestOf } from './preparation';
import { onceEach } from '../service/concurrency';

/**
 * Reuse Results For: an input that was started lately gets the run of that start. n8n's own stores
 * cannot say which run that is. Its deduplication keeps digests alone. Its static data is written back
 * as it was when the execution began, which would undo what triggers have recorded since
 * (`hookFunctionsSave` and `ExecutionService.retry` of n8n 1.123 and 2.41).
 */

/** The latest starts of this process, by account and digest: the run's ID, once it is known; and when, in milliseconds since 1970. */
const begun = memoryOf<{ taskId: Promise<string>; at: number }>('recentRuns');

/** After this time a start whose answer was lost, and whose run is not listed, is taken to have begun none, in milliseconds. */
const LISTED_WITHIN_MS = 15 * 60_000;

/** How long after a start the service knows its run for certain, in milliseconds. */
export const KNOWN_AFTER_MS = 120_000;

/**
 * Makes a function that starts an item's run, unless one of the same input was started within the time that
 * the user has set. The function takes a request, and what sends it and gives the run's ID.
 * It gives the ID of the run that was there already, if there is one. It throws what sending throws. Where an earlier
 * start may have begun a run that nobody finds, it throws what that start has thrown, for a quarter of an hour.
 *
 * @param account names the account among all that this process knows
 * @param reuseMs that time, in milliseconds
 */
export function makeStarter(client: ServiceClient, api: RunApi, account: string, reuseMs = 0) {
	const since = Date.now() - reuseMs;
	const earlierRuns = onceEach(async (botId) => await readEarlier(client, botId, since));
	const isOfUse = async (taskId: string, startedAt: number): Promise<boolean> => {
		const status = await polled(ifKnown(readStatus(client, api, taskId)));
		// The service may not know yet what was started just now.
		if (status === undefined) return Date.now() - startedAt < KNOWN_AFTER_MS;
		return !isUnsuccessful(status);
	};
	return async (
		request: ServiceRequest,
		start: () => Promise<string>,
	): Promise<string | undefined> => {
		if (reuseMs === 0) {
			await start();
			return undefined;
		}
		const key = `${account} ${digestOf([request.path, request.body])}`;
		for (let known = begun.get(key); known !== undefined; known = begun.get(key)) {
			if (known.at < since) break;
			const earlier = await attempt(known.taskId);
			if (earlier.ok && (await isOfUse(earlier.value, known.at))) return earlier.value;
			if (!earlier.ok && isUncertainStart(earlier.error)) {
				const found = await listedRun(request, earlierRuns);
				if (found !== undefined) return found;
				if (Date.now() - known.at < LISTED_WITHIN_MS) throw earlier.error;
			}
			if (begun.get(key) === known) break;
		}
		let repeated: string | undefined;
		const polling = listedRun(request, earlierRuns);
		const taskId = polling.then(async (found) => (repeated = found) ?? (await start()));
		begun.set(key, { taskId, at: Date.now() }, Date.now() + reuseMs);
		await taskId;
		// It began earlier than now.
		if (repeated !== undefined) begun.delete(key);
		return repeated;
	};
}

/** A bot's runs, and the defaults of its input: the service may list an input with them or without. */
async function readEarlier(client: ServiceClient, botId: string, from: number) {
	const { runs } = await new RunList(client, botId).readWhole({ from });
	if (runs.length === 0) return { runs, defaults: {} };
	const schema = await readInputSchema(client, path`/v3/bots/${botId}`);
	const properties = isJsonObject(schema?.properties) ? schema.properties : {};
	const defaults = Object.entries(properties).flatMap(
		([name, property]): Array<[string, JsonValue]> =>
			isJsonObject(property) && property.default !== undefined ? [[name, property.default]] : [],
	);
	return { runs, defaults: Object.fromEntries(defaults) };
}

/** The run of a bot with this input that the service lists: started by whichever process or workflow. */
async function listedRun(
	{ path: startPath, body }: ServiceRequest,
	earlierRuns: (botId: string) => ReturnType<typeof readEarlier>,
): Promise<string | undefined> {
	const [, botId] = /^\/v3\/bots\/([^/]+)\/runs$/.exec(startPath) ?? [];
	const input = isJsonObject(body) ? body.input : undefined;
	if (botId === undefined || !isJsonObject(input)) return undefined;
	const bot = decodeURIComponent(botId);
	const { runs, defaults } = await polled(earlierRuns(bot));
	const textOf = (given: JsonObject): string => JSON.stringify({ ...defaults, ...given }, inOrder);
	const wanted = textOf(input);
	const isSame = ({ status, record }: ListedRun): boolean =>
		!isUnsuccessful(status) &&
		mayBeOfBot(bot, record) &&
		isJsonObject(record.input) &&
		textOf(record.input) === wanted;
	return runs.find(isSame)?.taskId;
}

/** @throws HelpfulError where earlier runs cannot be looked for; CanceledError */
async function polled<T>(reading: Promise<T>): Promise<T> {
	return await reading.catch((error: unknown): never => {
		if (error instanceof CanceledError) throw error;
		throw new HelpfulError(
			`The run was not started, because earlier ones could not be looked for: ${messageOf(error)}`,
			"Try again in a moment, or remove 'Reuse Results For' under 'Limits and Costs'.",
			undefined,
			errorFacts(error),
		);
	});
}
