import { attempt } from '../attempt';
import type { Callbacks } from '../events/callback';
import type { ServiceClient } from '../http/client';
import { RUN_NOT_FOUND, TASK_ALREADY_COMPLETED } from '../http/errorCodes';
import { ConnectionError, hasCode, type HelpfulError, ServiceError } from '../errors';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from '../json/json';
import { MOST_PAGES, readPages, toPage } from '../http/pages';
import { path, type ServiceRequest } from '../http/request';
import { isTransient } from '../http/retry';
import { isTerminal, toRunStatus, type RunStatus } from './runStatus';
import { TtlCache } from '../ttlCache';

/** A run as far as a list or a status read tells. */
export interface RunState {
	taskId: string;
	status: RunStatus;
}

export type RunApiName = 'v3' | 'v2';

/** One of the service's two APIs for runs: runs of V3, tasks of V2. */
export interface RunApi {
	name: RunApiName;
	/** Under which name its records have the ID of a run. */
	idName: 'task_id' | 'id';
	/** The fields of a start's body that name the callbacks. */
	callbackFields(callbacks: Callbacks): JsonObject;
	statusRequest(taskId: string): ServiceRequest;
	/** The lightest read with the status in it that the interface promises. An answer without one counts as unknown. */
	stateRequest(taskId: string): ServiceRequest;
	detailRequest(taskId: string): ServiceRequest;
	cancelRequest(taskId: string): ServiceRequest;
	resumeRequest(taskId: string): ServiceRequest;
	/** The list, or what is left of it by query parameters of the service, e.g. `page` and `status`. */
	listRequest(query?: ServiceRequest['query']): ServiceRequest;
	/** The largest page of the list (docs/service.md: Limits). */
	listLimit: number;
}

const callbackFields = ({ completed, statusChanged }: Callbacks): JsonObject => ({
	...(completed !== undefined && { callback_url: completed }),
	...(statusChanged !== undefined && { status_change_callback_url: statusChanged }),
});

function v3StatusRequest(taskId: string): ServiceRequest {
	return {
		method: 'GET',
		path: path`/v3/bots/runs/${taskId}/status`,
		expects: { task_id: taskId, status: null },
		about: { task_id: taskId },
	};
}

function v2DetailRequest(taskId: string): ServiceRequest {
	return {
		method: 'GET',
		path: '/v2/workflow/get-task',
		query: { task_id: taskId },
		expects: { id: taskId },
		about: { task_id: taskId },
	};
}

/** Runs of bots and templates (docs/service.md: V3 bots and templates). */
export const V3_RUNS: RunApi = {
	name: 'v3',
	idName: 'task_id',
	callbackFields,
	statusRequest: v3StatusRequest,
	stateRequest: (taskId) => ({ ...v3StatusRequest(taskId), expects: { task_id: taskId } }),
	detailRequest: (taskId) => ({
		method: 'GET',
		path: path`/v3/bots/runs/${taskId}`,
		expects: { task_id: taskId },
		about: { task_id: taskId },
	}),
	cancelRequest: (taskId) => ({
		method: 'POST',
		path: path`/v3/bots/runs/${taskId}/cancel`,
		about: { task_id: taskId },
	}),
	resumeRequest: (taskId) => ({
		method: 'POST',
		path: path`/v3/bots/runs/${taskId}/resume`,
		about: { task_id: taskId },
	}),
	listRequest: (query = {}) => ({ method: 'GET', path: '/v3/bots/runs', query }),
	listLimit: 100,
};

/** Tasks of workflows and workflow templates (docs/service.md: V2 workflow). */
export const V2_TASKS: RunApi = {
	name: 'v2',
	idName: 'id',
	callbackFields,
	statusRequest: (taskId) => ({
		method: 'GET',
		path: '/v2/workflow/get-task-status',
		query: { task_id: taskId },
		expects: { status: null },
		about: { task_id: taskId },
	}),
	stateRequest: v2DetailRequest,
	detailRequest: v2DetailRequest,
	cancelRequest: (taskId) => ({
		method: 'PUT',
		path: '/v2/workflow/stop-task',
		query: { task_id: taskId },
		about: { task_id: taskId },
	}),
	resumeRequest: (taskId) => ({
		method: 'PUT',
		path: '/v2/workflow/resume-task',
		query: { task_id: taskId },
		about: { task_id: taskId },
	}),
	listRequest: (query = {}) => ({ method: 'GET', path: '/v2/workflow/list-tasks', query }),
	listLimit: 500,
};

/** The API that has this name. */
export function runApi(name: RunApiName): RunApi {
	return name === 'v3' ? V3_RUNS : V2_TASKS;
}

/** The API that a run's record, or a callback about it, is from: each names the ID otherwise. */
export function runApiOf(record: JsonObject): RunApi {
	const isTask = record[V3_RUNS.idName] === undefined && record[V2_TASKS.idName] !== undefined;
	return isTask ? V2_TASKS : V3_RUNS;
}

/** The ID in a run's record, or in a callback about it; undefined when there is none. */
export function taskIdIn(record: JsonObject): string | undefined {
	return textAt(record, runApiOf(record).idName);
}

/** A run that was just started, as far as the answer to its start tells. */
export interface StartedRun extends RunState {
	/** The browser profile that it runs in, where the answer names one. */
	profileId?: string;
}

/**
 * Starts a run with one request, which is never repeated. Callbacks that the request has already
 * stay, where these leave room for them.
 *
 * @param request the start without, or with somebody else's, callbacks
 * @throws ServiceError, ConnectionError or CanceledError; `isUncertainStart` says which of them leave
 * open whether a run was started
 */
export async function startRun(
	client: ServiceClient,
	api: RunApi,
	request: ServiceRequest,
	callbacks: Callbacks = {},
): Promise<StartedRun> {
	const body = isJsonObject(request.body) ? request.body : {};
	const created = await client.send({
		...request,
		body: { ...body, ...api.callbackFields(callbacks) },
	});
	const taskId = textAt(created, api.idName);
	if (taskId === undefined) {
		throw new ServiceError(
			'The service’s answer to the start names no run',
			'Look for the run in the service’s own list of runs before you start it again.',
		);
	}
	// The interface does not show a status in this answer. A run without one was just created.
	const status = textAt(created, 'status');
	const profileId = textAt(created, 'profile_id') ?? textAt(created, 'profileId');
	return {
		taskId,
		status: status === undefined ? 'created' : toRunStatus(status),
		...(profileId !== undefined && { profileId }),
	};
}

/**
 * Whether a start may have begun a run although no answer named one: it may have arrived before the
 * connection broke, the service had a fault (5xx), a gateway gave up waiting (408, 425, 499), or its
 * answer cannot be used. Starting again could begin a second run.
 */
export function isUncertainStart(error: unknown): error is HelpfulError {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	if (!(error instanceof ServiceError)) return false;
	const { httpStatus = 500 } = error.facts;
	return [408, 425, 499].includes(httpStatus) || httpStatus >= 500;
}

/** From this many runs on, reading the list takes fewer requests than asking about each. */
const LIST_FROM = 4;

/** Pages to look through beyond those that our own runs would fill: others' runs are on them too. */
const SPARE_PAGES = 2;

/** How far the service's clock may be behind ours, in milliseconds, before the list is cut too short. */
const CLOCK_MARGIN_MS = 600_000;

/** How many runs are asked about one by one at the same time. */
const SINGLES_AT_ONCE = 10;

/** What is known of a run: its status, or why the service tells none. */
export type StatusAnswer = RunStatus | ServiceError;

/**
 * The statuses of many runs in few requests: some pages of the list, and one request for each run
 * that is not on them. A run that the service refuses to tell about has its refusal.
 *
 * @param within `since`: when the first of the runs was started (milliseconds since 1970), if that is
 * known: the list then need not be newest first (its order is "not shown"); `mostSingles`: how many
 * runs may be asked about one by one, so that nothing is said of the others
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be asked
 */
export async function readStatuses(
	client: ServiceClient,
	api: RunApi,
	taskIds: string[],
	{ since, mostSingles = Infinity }: { since?: number | undefined; mostSingles?: number } = {},
): Promise<Map<string, StatusAnswer>> {
	const found = new Map<string, StatusAnswer>();
	const wanted = new Set(taskIds);
	const listed = await attempt(async () => {
		if (wanted.size < LIST_FROM) return;
		for await (const state of listedRuns(client, api, wanted.size, since)) {
			const { taskId, told } = state;
			if (wanted.delete(taskId)) found.set(taskId, toAnswer(client, api, taskId, told));
			if (wanted.size === 0) break;
		}
	});
	// A service without this list (V2: it is not in the interface) refuses; then each run is asked about.
	if (!listed.ok && (isTransient(listed.error) || !(listed.error instanceof ServiceError))) {
		throw listed.error;
	}
	const missing = [...wanted].slice(0, mostSingles);
	for (let first = 0; first < missing.length; first += SINGLES_AT_ONCE) {
		const group = missing.slice(first, first + SINGLES_AT_ONCE);
		const asked = group.map(async (taskId) => {
			found.set(taskId, await statusOrRefusal(client, api, taskId));
		});
		await Promise.all(asked);
	}
	return found;
}

/**
 * How many runs of the account are running (docs/service.md: V3 bots and templates).
 *
 * @returns undefined where the service does not tell
 */
export async function countRunning(client: ServiceClient): Promise<number | undefined> {
	const request = V3_RUNS.listRequest({ status: 'running', limit: 1 });
	const read = await attempt(client.send(request));
	const count = read.ok && isJsonObject(read.value) ? read.value.total_count : undefined;
	return typeof count === 'number' ? count : undefined;
}

async function* listedRuns(
	client: ServiceClient,
	api: RunApi,
	count: number,
	since: number | undefined,
): AsyncGenerator<{ taskId: string; told: JsonValue | undefined }> {
	const limit = api.listLimit;
	const createdFrom =
		since === undefined ? undefined : new Date(since - CLOCK_MARGIN_MS).toISOString();
	const pages = readPages({
		readPage: async (page) =>
			toPage(await client.send(api.listRequest({ page, limit, created_at_from: createdFrom }))),
		most: (Math.ceil(count / limit) + SPARE_PAGES) * limit,
		mostPages: MOST_PAGES,
		ahead: 1,
	});
	for await (const records of pages) {
		for (const record of records) {
			const taskId = textAt(record, api.idName);
			if (taskId !== undefined) yield { taskId, told: record.status };
		}
	}
}

async function statusOrRefusal(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
): Promise<StatusAnswer> {
	const read = await attempt(client.send(api.stateRequest(taskId)));
	if (read.ok) {
		const told = isJsonObject(read.value) ? read.value.status : undefined;
		return toAnswer(client, api, taskId, told);
	}
	if (hasCode(read.error, RUN_NOT_FOUND)) return read.error;
	throw read.error;
}

/** After so many looks in a row that tell no status of the interface, a run is not waited for any more. */
const STRANGE_LOOKS = 5;

/** How many runs are remembered whose status made no sense, and for how long, in milliseconds. */
const MOST_STRANGE = 10_000;
const STRANGE_FOR_MS = 3_600_000;

/** How many looks in a row told no status of the interface, by service and run. */
const strangeLooks = new TtlCache<number>(MOST_STRANGE);

/** What a look has told of a run; where looks keep telling what the interface does not know, that. */
function toAnswer(
	{ baseUrl }: ServiceClient,
	api: RunApi,
	taskId: string,
	told: JsonValue | undefined,
): StatusAnswer {
	const key = `${baseUrl} ${taskId}`;
	const status = toRunStatus(told);
	const before = strangeLooks.get(key) ?? 0;
	const isKnown = status !== 'unknown' || (api.name === 'v2' && told === status);
	const looks = isKnown ? 0 : before + 1;
	if (looks !== before) {
		strangeLooks.set(key, looks % STRANGE_LOOKS, Date.now() + STRANGE_FOR_MS);
	}
	if (looks < STRANGE_LOOKS) return status;
	const said = told === undefined ? 'no status' : `the status ${JSON.stringify(told).slice(0, 80)}`;
	return new ServiceError(
		`The service has changed: it tells ${said} of run ${taskId}, which this node does not know`,
		'The run may go on: look at it in the service, and update this package. Do not start the run again before.',
	);
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
		`The service tells that run ${taskId} is ${known}, but its details still say ${told}`,
		'Read the run again in a moment, to get its result. Do not start it again.',
	);
}

/** The whole run; undefined when the service knows no such run. */
export async function readRunIfKnown(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
): Promise<JsonObject | undefined> {
	return await ifKnown(readRun(client, api, taskId));
}

/** The status of one run; undefined when the service knows no such run. */
export async function readStatusIfKnown(
	client: ServiceClient,
	api: RunApi,
	taskId: string,
): Promise<RunStatus | undefined> {
	return await ifKnown(readStatus(client, api, taskId));
}

async function ifKnown<T>(reading: Promise<T>): Promise<T | undefined> {
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
