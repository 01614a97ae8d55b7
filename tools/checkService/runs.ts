import { isObject, textAt, type JsonObject } from '../../dev/sandbox/json';
import { isRunStatus, isTerminal } from '../../dev/sandbox/runs';
import type { Assumption } from './assumptions';
import { disagreements } from './agreement';
import { checkFiles } from './files';
import type { Service } from './service';

/** Whether a status, as the service gives it, is an end. */
export function isEnd(status: unknown): boolean {
	return isRunStatus(status) && isTerminal(status);
}

/** Reads a run of the list in all four ways: they have to say the same of one that has ended. */
export async function checkRun(service: Service, listed: JsonObject): Promise<void> {
	const taskId = textAt(listed, 'task_id');
	if (taskId === undefined) return;
	const status = await service.read('run.getStatus', 'status', { path: { task_id: taskId } });
	const run = await service.read('run.get', 'run', { path: { task_id: taskId } });
	const query = { task_id: taskId };
	const task = await service.read('task.get', 'task', { query });
	const taskStatus = await service.read('task.getStatus', 'task', { query });
	if (isObject(run)) {
		checkRunDetail(service, run);
		await checkFiles(service, run);
	}
	if (!isEnd(listed['status'])) return;
	const compare = (operation: string, other: unknown, assumption: Assumption): void => {
		if (!isObject(other)) return;
		for (const field of disagreements(listed, other)) {
			const what = `\`${field}\` of a run that has ended is another than in the list of runs`;
			service.report.differ(service.nameOf(operation), what, assumption);
		}
	};
	compare('run.getStatus', status, 'status');
	compare('run.get', run, 'runInList');
	compare('task.get', task, 'task');
	compare('task.getStatus', taskStatus, 'task');
	const botId = listed['bot_id'];
	if (isObject(task) && botId !== undefined && task['workflow_id'] !== botId) {
		const what = '`workflow_id` is not the ID of the run’s bot';
		service.report.differ(service.nameOf('task.get'), what, 'sameIds');
	}
}

/** What a run holds depends on how far it is. */
export function checkRunDetail(service: Service, run: JsonObject): void {
	const { status } = run;
	const name = service.nameOf('run.get');
	const differ = (what: string, assumption: Assumption): void =>
		service.report.differ(name, `of a run that is ${String(status)} ${what}`, assumption);
	const ended = isEnd(status);
	if (!ended && 'output' in run) differ('has `output`', 'output');
	if (ended && !('finished_at' in run)) differ('has no `finished_at`', 'run');
	if (!ended && 'finished_at' in run) differ('has `finished_at`', 'run');
	if (status !== 'running' && 'live_url_info' in run) differ('has `live_url_info`', 'run');
	if (status !== 'failed' && 'task_failure_info' in run) differ('has `task_failure_info`', 'run');
	if (status === 'failed' && !('task_failure_info' in run)) {
		service.report.see('Failed runs', 'without `task_failure_info`');
	}
	if (status === 'finished' && !('output' in run) && !('output_files' in run)) {
		service.report.see('Finished runs', 'without `output` and `output_files`');
	}
}
