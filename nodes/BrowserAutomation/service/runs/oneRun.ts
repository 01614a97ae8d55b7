import { attempt } from '../attempt';
import type { ServiceClient } from '../http/client';
import { RUN_NOT_FOUND, TASK_ALREADY_COMPLETED } from '../http/errorCodes';
import { hasCode, ServiceError } from '../errors';
import { isJsonObject, textAt, type JsonObject } from '../json/json';
import type { RunApi } from './runApi';
import { isTerminal, toRunStatus, type RunStatus } from './runStatus';

/** The status of one run (docs/service.md: Run status response; Task). */
export async function readStatus(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
): Promise<RunStatus> {
	const body = await client.send(api.stateRequest(taskId));
	return toRunStatus(isJsonObject(body) ? body.status : undefined);
}

/** The whole run (docs/service.md: Run detail; Task). */
export async function readRun(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
): Promise<JsonObject> {
	const body = await client.send(api.detailRequest(taskId));
	if (isJsonObject(body)) return body;
	throw new ServiceError(
		`The service’s answer about run ${taskId} is not a run`,
		'Check that the Base URL of the credential is the service’s API, then try again.',
	);
}

/**
 * The whole run, where its status or a list tells that it has ended. Details that still show it going
 * on, as those of a cache may, are not its result.
 *
 * @param known the status that is told; it stands in where the details have none
 * @throws ServiceError as `readRun`, and one that another try may mend while the details are behind
 */
export async function readEndedRun(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
	known: RunStatus,
): Promise<JsonObject> {
	const run = await readRun(client, api, taskId);
	const told = textAt(run, 'status');
	if (told === undefined) return { ...run, status: known };
	if (!isTerminal(known) || isTerminal(toRunStatus(told))) return run;
	throw new ServiceError(
		`The service says that run ${taskId} is ${known}, but its details still say ${told}`,
		'Read the run again in a moment, to get its result. Do not start it again.',
	);
}

/** What is read of a run; undefined when the service knows no such run. */
export async function ifKnown<T>(reading: Promise<T>): Promise<T | undefined> {
	const read = await attempt(reading);
	if (read.ok) return read.value;
	if (hasCode(read.error, RUN_NOT_FOUND)) return undefined;
	throw read.error;
}

/** Cancels a run. A run that has already ended is left as it is. */
export async function cancelRun(client: ServiceClient, api: RunApi, taskId: string): Promise<void> {
	const sent = await attempt(client.send(api.cancelRequest(taskId)));
	if (!sent.ok && !hasCode(sent.error, TASK_ALREADY_COMPLETED)) throw sent.error;
}
