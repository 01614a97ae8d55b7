import { attempt } from './attempt';
import type { Callbacks } from './callback';
import type { ServiceClient } from './client';
import { hasCode, RUN_NOT_FOUND, ServiceError, TASK_ALREADY_COMPLETED } from './errors';
import { isJsonObject, textAt, type JsonObject, type JsonValue } from './json';
import { readPages, toPage } from './pages';
import { path, type ServiceRequest } from './request';
import { toRunStatus, type RunStatus } from './runStatus';

/** A run as far as a list or a status read tells. */
export interface RunState {
	taskId: string;
	status: RunStatus;
}

export type RunFaceName = 'v3' | 'v2';

/** One of the two faces of the service's runs: runs of V3, tasks of V2. */
export interface RunFace {
	name: RunFaceName;
	/** The ID in the answer to a start; undefined when there is none. */
	startedTaskId(created: JsonValue | undefined): string | undefined;
	/** The fields of a start's body that carry the callbacks. */
	callbackFields(callbacks: Callbacks): JsonObject;
	statusRequest(taskId: string): ServiceRequest;
	detailRequest(taskId: string): ServiceRequest;
	cancelRequest(taskId: string): ServiceRequest;
	listRequest(page: number, limit: number): ServiceRequest;
	/** The largest page of the list (interface: Limits). */
	listLimit: number;
	stateOf(record: JsonObject): RunState | undefined;
}

const callbackFields = ({ completed, statusChanged }: Callbacks): JsonObject => ({
	...(completed !== undefined && { callback_url: completed }),
	...(statusChanged !== undefined && { status_change_callback_url: statusChanged }),
});

function stateBehind(idName: string) {
	return (record: JsonObject): RunState | undefined => {
		const taskId = textAt(record, idName);
		return taskId === undefined ? undefined : { taskId, status: toRunStatus(record.status) };
	};
}

/** Runs of bots and templates (interface: V3 bots and templates). */
export const V3_RUNS: RunFace = {
	name: 'v3',
	startedTaskId: (created) => textAt(created, 'task_id'),
	callbackFields,
	statusRequest: (taskId) => ({ method: 'GET', path: path`/v3/bots/runs/${taskId}/status` }),
	detailRequest: (taskId) => ({ method: 'GET', path: path`/v3/bots/runs/${taskId}` }),
	cancelRequest: (taskId) => ({ method: 'POST', path: path`/v3/bots/runs/${taskId}/cancel` }),
	listRequest: (page, limit) => ({ method: 'GET', path: '/v3/bots/runs', query: { page, limit } }),
	listLimit: 100,
	stateOf: stateBehind('task_id'),
};

/** Tasks of workflows and workflow templates (interface: V2 workflow). */
export const V2_TASKS: RunFace = {
	name: 'v2',
	startedTaskId: (created) => textAt(created, 'id'),
	callbackFields,
	statusRequest: (taskId) => ({
		method: 'GET',
		path: '/v2/workflow/get-task-status',
		query: { task_id: taskId },
	}),
	detailRequest: (taskId) => ({
		method: 'GET',
		path: '/v2/workflow/get-task',
		query: { task_id: taskId },
	}),
	cancelRequest: (taskId) => ({
		method: 'PUT',
		path: '/v2/workflow/stop-task',
		query: { task_id: taskId },
	}),
	listRequest: (page, limit) => ({
		method: 'GET',
		path: '/v2/workflow/list-tasks',
		query: { page, limit },
	}),
	listLimit: 500,
	stateOf: stateBehind('id'),
};

/** The face that has this name. */
export function runFace(name: RunFaceName): RunFace {
	return name === 'v3' ? V3_RUNS : V2_TASKS;
}

/** From this many runs on, reading the list takes fewer requests than asking about each. */
const LIST_FROM = 4;

/** Pages to look through beyond those that our own runs would fill. */
const SPARE_PAGES = 2;

/** What is known of a run: its status, or why the service tells none. */
export type StatusAnswer = RunStatus | ServiceError;

/**
 * The statuses of many runs in few requests: the newest pages of the list, and one request for
 * each run that is not on them. A run that the service refuses to tell about has its refusal.
 *
 * @throws ServiceError, ConnectionError or CanceledError when the service could not be asked
 */
export async function readStatuses(
	client: ServiceClient,
	face: RunFace,
	taskIds: string[],
): Promise<Map<string, StatusAnswer>> {
	const found = new Map<string, StatusAnswer>();
	const wanted = new Set(taskIds);
	if (wanted.size >= LIST_FROM) {
		for await (const state of newestRuns(client, face, wanted.size)) {
			if (wanted.delete(state.taskId)) found.set(state.taskId, state.status);
			if (wanted.size === 0) break;
		}
	}
	for (const taskId of wanted) found.set(taskId, await statusOrRefusal(client, face, taskId));
	return found;
}

async function* newestRuns(
	client: ServiceClient,
	face: RunFace,
	count: number,
): AsyncGenerator<RunState> {
	const limit = face.listLimit;
	const pages = readPages({
		readPage: async (page) => toPage(await client.send(face.listRequest(page, limit)), limit),
		most: (Math.ceil(count / limit) + SPARE_PAGES) * limit,
		ahead: 1,
	});
	for await (const records of pages) {
		for (const record of records) {
			const state = face.stateOf(record);
			if (state !== undefined) yield state;
		}
	}
}

async function statusOrRefusal(
	client: ServiceClient,
	face: RunFace,
	taskId: string,
): Promise<StatusAnswer> {
	const read = await attempt(async () => await readStatus(client, face, taskId));
	if (read.ok) return read.value;
	if (hasCode(read.error, RUN_NOT_FOUND)) return read.error;
	throw read.error;
}

/** The status of one run (interface: Run status response). */
export async function readStatus(
	client: ServiceClient,
	face: RunFace,
	taskId: string,
): Promise<RunStatus> {
	const body = await client.send(face.statusRequest(taskId));
	return toRunStatus(isJsonObject(body) ? body.status : undefined);
}

/** The whole run (interface: Run detail; V2: Task). */
export async function readRun(
	client: ServiceClient,
	face: RunFace,
	taskId: string,
): Promise<JsonObject> {
	const body = await client.send(face.detailRequest(taskId));
	if (isJsonObject(body)) return body;
	throw new ServiceError(
		`The service’s answer about run ${taskId} is not a run`,
		'Check that the Base URL of the credential is the service’s API, then try again.',
	);
}

/** Cancels a run. A run that has already ended is left as it is. */
export async function cancelRun(
	client: ServiceClient,
	face: RunFace,
	taskId: string,
): Promise<void> {
	const sent = await attempt(async () => await client.send(face.cancelRequest(taskId)));
	if (!sent.ok && !hasCode(sent.error, TASK_ALREADY_COMPLETED)) throw sent.error;
}
