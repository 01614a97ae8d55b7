import type { Handler, RequestOperation } from '../execution/executable';
import type { Field, ReadParam } from '../fields/field';
import { V2_TASKS, V3_RUNS, type RunApi } from '../service/runs/runApi';
import {
	bizCodeOption,
	lastRunBotField,
	lastRunStatusField,
	pickDefined,
	item,
	operation,
	resource,
	RUN_FILTERS,
	runField,
	runFiles,
	runOrLast,
	runPage,
	runResult,
	TASK_FILTERS,
	taskField,
	taskResumed,
	taskStopped,
	whichRunField,
	V3_ALONE,
	type Operation,
} from './operation';

/** How one of the two APIs speaks of runs. */
interface RunKind {
	api: RunApi;
	field: Field<string>;
	noun: string;
	/** What stands behind the names of actions. */
	mark: string;
	/** What runs. */
	owner: string;
	filters: Readonly<Record<string, Field<string | undefined>>>;
	/** What is made of the answers to requests that change a run: V2 has none, so that the task is read. */
	resumed: Handler;
	ended: Handler;
}

/** What both APIs do with runs. To end one has another name in each. */
function runOperations(kind: RunKind): Record<string, Operation> {
	const { api, field, noun, mark, filters } = kind;
	const about = (request: RunApi['detailRequest'], answer: Handler) => ({
		fields: [field],
		request: (values: ReadParam) => request(values(field)),
		answer,
	});
	return {
		get: operation('Get', `Get ${noun}${mark}`, {
			description: `Read a ${noun} with its output, files and steps`,
			...about(api.detailRequest, runResult),
		}),
		getAll: operation('Get Many', `Get many ${noun}s${mark}`, {
			description: `List ${noun}s by ${kind.owner}, status or time of creation`,
			fields: Object.values(filters),
			request: (values) => api.listRequest(pickDefined(values, filters)),
			answer: runPage({ max: api.listLimit }),
		}),
		wait: operation('Wait for Completion', `Wait for ${noun} to complete${mark}`, {
			description: `Wait for a ${noun} that was started elsewhere, and get its result`,
			fields: [field],
			run: { api, attach: (values) => values(field) },
		}),
		downloadFiles: operation('Download Files', `Download files of ${noun}${mark}`, {
			description: `Download the result files of a ${noun}, and the files that it created`,
			...about(api.detailRequest, runFiles),
		}),
		getStatus: operation('Get Status', `Get status of ${noun}${mark}`, {
			description: `Read only the status of a ${noun}, which is faster than reading the whole ${noun}`,
			...about(api.statusRequest, item),
		}),
		resume: operation('Resume', `Resume ${noun}${mark}`, {
			description: `Continue a paused ${noun} from where it paused`,
			...about(api.resumeRequest, kind.resumed),
		}),
	};
}

/** Ends a run, with the reason that the user gives. */
function ending({ api, field, ended }: RunKind): RequestOperation {
	return {
		fields: [field, bizCodeOption],
		request: (values) => {
			const request = api.cancelRequest(values(field));
			return { ...request, query: { ...request.query, biz_code: values(bizCodeOption) } };
		},
		answer: ended,
	};
}

const RUN: RunKind = {
	api: V3_RUNS,
	field: runField,
	noun: 'run',
	mark: '',
	owner: 'bot',
	filters: RUN_FILTERS,
	resumed: item,
	ended: item,
};

const TASK: RunKind = {
	api: V2_TASKS,
	field: taskField,
	noun: 'task',
	mark: ' (V2)',
	owner: 'workflow',
	filters: TASK_FILTERS,
	resumed: taskResumed,
	ended: taskStopped,
};

export const run = resource('run', 'Run', {
	description: 'Read, wait for, resume and cancel runs; get their files',
	operations: {
		...runOperations(RUN),
		get: operation('Get', 'Get run', {
			description: 'Read a run, or a bot’s last, with output, files and steps',
			fields: [
				whichRunField,
				{ ...runField, showWhen: { whichRun: ['id'] } },
				lastRunBotField,
				lastRunStatusField,
			],
			request: (values) =>
				values(whichRunField) === 'id'
					? V3_RUNS.detailRequest(values(runField))
					: V3_RUNS.listRequest({ bot_id: values(lastRunBotField) }),
			answer: runOrLast,
		}),
		cancel: operation('Cancel', 'Cancel run', {
			description: 'Stop a running or paused run permanently',
			...ending(RUN),
		}),
	},
});

/** Runs of workflows, as V2 has them. */
export const task = resource('task', 'Task (V2)', {
	description: 'Runs in the older V2 API',
	isOlder: true,
	without: V3_ALONE,
	operations: {
		...runOperations(TASK),
		stop: operation('Stop', 'Stop task (V2)', {
			description: 'Stop a running task immediately and permanently',
			...ending(TASK),
		}),
	},
});
