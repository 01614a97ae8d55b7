import { textAt, type JsonObject, type JsonValue } from '../json/json';
import { path, type Expectation, type HttpMethod, type ServiceRequest } from '../http/request';

export type RunApiName = 'v3' | 'v2';

/** One of the service's two APIs for runs: runs of V3, tasks of V2. */
export interface RunApi {
	name: RunApiName;
	/** The field of its records that has the ID of a run. */
	idName: 'task_id' | 'id';
	statusRequest(taskId: string): ServiceRequest;
	/** The smallest request whose answer has the status by the interface. Without one, the status is `unknown`. */
	stateRequest(taskId: string): ServiceRequest;
	detailRequest(taskId: string): ServiceRequest;
	cancelRequest(taskId: string): ServiceRequest;
	resumeRequest(taskId: string): ServiceRequest;
	/** The list, filtered by the service's query parameters, e.g. `page` and `status`. */
	listRequest(query?: ServiceRequest['query']): ServiceRequest;
	/** The largest page of the list (docs/service.md: Limits). */
	listLimit: number;
}

/** Runs of bots and templates (docs/service.md: V3 bots and templates). */
export const V3_RUNS: RunApi = {
	name: 'v3',
	idName: 'task_id',
	statusRequest: (taskId) => v3('GET', taskId, '/status', { task_id: taskId, status: null }),
	stateRequest: (taskId) => v3('GET', taskId, '/status', { task_id: taskId }),
	detailRequest: (taskId) => v3('GET', taskId, '', { task_id: taskId }),
	cancelRequest: (taskId) => v3('POST', taskId, '/cancel'),
	resumeRequest: (taskId) => v3('POST', taskId, '/resume'),
	listRequest: (query = {}) => ({ method: 'GET', path: '/v3/bots/runs', query }),
	listLimit: 100,
};

/** Tasks of workflows and workflow templates (docs/service.md: V2 workflow). */
export const V2_TASKS: RunApi = {
	name: 'v2',
	idName: 'id',
	statusRequest: (taskId) => v2('GET', taskId, 'get-task-status', { status: null }),
	stateRequest: (taskId) => v2('GET', taskId, 'get-task', { id: taskId }),
	detailRequest: (taskId) => v2('GET', taskId, 'get-task', { id: taskId }),
	cancelRequest: (taskId) => v2('PUT', taskId, 'stop-task'),
	resumeRequest: (taskId) => v2('PUT', taskId, 'resume-task'),
	listRequest: (query = {}) => ({ method: 'GET', path: '/v2/workflow/list-tasks', query }),
	listLimit: 500,
};

function v3(method: HttpMethod, id: string, place: string, expects?: Expectation): ServiceRequest {
	const whole = `${path`/v3/bots/runs/${id}`}${place}`;
	return { method, path: whole, about: { task_id: id }, ...(expects && { expects }) };
}

function v2(method: HttpMethod, id: string, name: string, expects?: Expectation): ServiceRequest {
	const about = { task_id: id };
	return { method, path: `/v2/workflow/${name}`, query: about, about, ...(expects && { expects }) };
}

/** The API with this name. */
export function runApi(name: RunApiName): RunApi {
	return name === 'v3' ? V3_RUNS : V2_TASKS;
}

/** The API of a run's record or callback. Each names the ID differently. */
export function runApiOf(record: JsonObject): RunApi {
	const isTask = record[V3_RUNS.idName] === undefined && record[V2_TASKS.idName] !== undefined;
	return isTask ? V2_TASKS : V3_RUNS;
}

/** The ID in a run's record or callback. Undefined without one. */
export function taskIdIn(record: JsonObject): string | undefined {
	return textAt(record, runApiOf(record).idName);
}

/** The statuses of a run (docs/service.md: States and transitions). */
export const RUN_STATUSES = [
	'created',
	'running',
	'finished',
	'canceled',
	'pausing',
	'paused',
	'failed',
] as const;

/** A run's status. A V2 task may also say `unknown`, and a newer service may say more. */
export type RunStatus = (typeof RUN_STATUSES)[number] | 'unknown';

/** Reads a status. One that is not in the interface becomes `unknown`. */
export function toRunStatus(value: JsonValue | undefined): RunStatus {
	return RUN_STATUSES.find((status) => status === value) ?? 'unknown';
}

/** Whether a run has ended: finished, failed or canceled. */
export function isTerminal(status: RunStatus): boolean {
	return status === 'finished' || status === 'failed' || status === 'canceled';
}

/** Whether a run failed or was canceled. */
export function isUnsuccessful(status: RunStatus): boolean {
	return status === 'failed' || status === 'canceled';
}
