import { json } from '../call';
import type { Call, Operations } from '../call';
import { pageOf } from '../paging';
import { selectRuns } from '../runFilter';
import { cancelRun, findRun, resumeRun } from '../runRequests';
import type { Run } from '../runs';
import type { Service } from '../service';

/** Runs (docs/service.md: V3 bots and templates). */
export function runOperations(service: Service): Operations {
	const { runView } = service;
	const find = (call: Call): Run => findRun(service, call.key, call.path['task_id']);

	return {
		'run.getAll': ({ query, key }) => {
			const shown = selectRuns(service.runs, key.company, {
				automationId: query['bot_id'],
				name: query['bot_name'],
				status: query['status'],
				createdFrom: query['created_at_from'],
				createdTo: query['created_at_to'],
			});
			return json(pageOf(shown, query, 20, (run) => runView.summary(run)));
		},
		'run.get': (call) => json(runView.detail(find(call))),
		'run.getStatus': (call) => json(runView.status(find(call))),
		'run.resume': (call) => {
			const run = find(call);
			resumeRun(service, run);
			return json(runView.status(run));
		},
		'run.cancel': (call) => {
			const run = find(call);
			cancelRun(service, run, call.query['biz_code']);
			return json(runView.status(run));
		},
	};
}
