import { attempt } from '../attempt';
import { callbackFields, type Callbacks } from '../events/callback';
import type { ServiceClient } from '../http/client';
import { RUN_NOT_FOUND, TASK_ALREADY_COMPLETED } from '../http/errorCodes';
import { ConnectionError, hasCode, ServiceError } from '../errors';
import { isJsonObject, objectIn, textAt, type JsonObject } from '../json/json';
import type { ServiceRequest } from '../http/request';
import { isTerminal, type RunApi, type RunStatus, toRunStatus } from './runApi';

/** A run that was just started, by the answer to its start. */
export interface StartedRun {
	taskId: string;
	status: RunStatus;
	/** The browser profile that it uses, if the answer names one. */
	profileId?: string;
}

/**
 * Starts a run with one request, which is never repeated. `callbacks` replace those in the request.
 *
 * @param request the start, with the user's callbacks or none
 * @throws ServiceError, ConnectionError or CanceledError; `isUncertainStart` says which of them leave
 * open whether a run was started
 */
export async function startRun(
	client: ServiceClient,
	api: RunApi,
	request: ServiceRequest,
	callbacks: Callbacks = {},
): Promise<StartedRun> {
	const given = objectIn(request.body);
	const body = { ...given, ...callbackFields(callbacks) };
	const created = await client.send({ ...request, body });
	const taskId = textAt(created, api.idName);
	if (taskId === undefined) {
		throw new ServiceError(
			'The service’s answer to the start names no run',
			'Look for the run in the service’s own list of runs before you start it again.',
		);
	}
	// The interface does not show a status in this answer. A run without one was just created.
	const status = toRunStatus(textAt(created, 'status') ?? 'created');
	const profileId = textAt(created, 'profile_id') ?? textAt(created, 'profileId');
	return { taskId, status, ...(profileId !== undefined && { profileId }) };
}

/**
 * Whether a start that failed may have begun a run, so that another start could begin a second one: the connection broke after
 * the request, the service had a fault (5xx), a gateway gave up (408, 425, 499), or the answer cannot be used.
 */
export function isUncertainStart(error: unknown): boolean {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (!(error instanceof ServiceError)) return false;
	const { httpStatus = 500 } = error.facts;
	return [408, 425, 499].includes(httpStatus) || httpStatus >= 500;
}

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
	throw new ServiceError(`The service’s answer about run ${taskId} is not a run`);
}

/**
 * The whole run, after its status or a list has shown that it ended.
 *
 * @param known that status; it is used where the details have none
 * @throws ServiceError as `readRun`, and where the details still show the run going on, e.g. from a cache
 */
export async function readEndedRun(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
	known: RunStatus,
): Promise<JsonObject> {
	const run = await readRun(client, api, taskId);
	const stated = textAt(run, 'status');
	if (stated === undefined) return { ...run, status: known };
	if (!isTerminal(known) || isTerminal(toRunStatus(stated))) return run;
	throw new ServiceError(
		`The service says that run ${taskId} is ${known}, but its details still say ${stated}`,
		'Read the run again in a moment, to get its result. Do not start it again.',
	);
}

/** The result of reading a run. Undefined when the service knows no such run. */
export async function ifKnown<T>(reading: Promise<T>): Promise<T | undefined> {
	const read = await attempt(reading);
	if (read.ok) return read.value;
	if (hasCode(read.error, RUN_NOT_FOUND)) return undefined;
	throw read.error;
}

/** Cancels a run; repeats the request where that may help. Does nothing if it has ended. @returns whether it had not */
export async function cancelRun(client: ServiceClient, api: RunApi, taskId: string) {
	const sent = await attempt(client.send({ ...api.cancelRequest(taskId), mayRepeat: true }));
	if (!sent.ok && !hasCode(sent.error, TASK_ALREADY_COMPLETED)) throw sent.error;
	return sent.ok;
}
