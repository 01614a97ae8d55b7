import { empty, json } from '../call';
import type { Call, Operations } from '../call';
import { pageOf } from '../paging';
import { selectRuns } from '../runFilter';
import { cancelRun, findRun, resumeRun } from '../runRequests';
import type { Run } from '../runs';
import type { Service } from '../service';

/** Tasks: the V2 view of the same runs (docs/service.md: V2 workflow). */
export function taskOperations(service: Service): Operations {
	const { taskView } = service;
	const find = (call: Call): Run => findRun(service, call.key, call.query['task_id']);

	return {
		'task.getAll': ({ query, key }) => {
			const shown = selectRuns(service.runs, key.company, {
				automationId: query['workflow_id'],
				name: query['workflow_name'],
				status: undefined,
				createdFrom: query['created_at_from'],
				createdTo: query['created_at_to'],
			}).filter((run) => query['status'] === undefined || query['status'] === taskView.status(run));
			return json(pageOf(shown, query, 20, (run) => taskView.summary(run)));
		},
		'task.get': (call) => json(taskView.detail(find(call))),
		'task.getStatus': (call) => json({ status: taskView.status(find(call)) }),
		'task.stop': (call) => {
			cancelRun(service, find(call), call.query['biz_code']);
			return empty();
		},
		'task.resume': (call) => {
			resumeRun(service, find(call));
			return empty();
		},
	};
}
