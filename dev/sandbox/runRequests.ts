import type { ApiKey } from './keys';
import { refusals } from './refusal';
import { isTerminal } from './runs';
import type { Run } from './runs';
import type { Service } from './service';

/** The business code of a cancellation that names none. */
const USER_CANCEL = 10001;

/** The run with this ID if the key's company may see it. Error: 10112. */
export function findRun(service: Service, key: ApiKey, taskId: string | undefined): Run {
	const run = service.runs.find(taskId ?? '');
	if (run?.company !== key.company) throw refusals.runNotFound();
	return run;
}

/** Asks for a paused run to go on. Errors: 10879 for an agent bot, 10127 unless it is paused. */
export function resumeRun(service: Service, run: Run): void {
	if (run.automation.type === 'agent') throw refusals.agentResume();
	if (run.status !== 'paused') throw refusals.notPaused();
	service.lifecycle.resume(run);
}

/** Cancels a run. Error: 10121 when it has ended. */
export function cancelRun(service: Service, run: Run, bizCode: string | undefined): void {
	if (isTerminal(run.status)) throw refusals.alreadyCompleted();
	run.bizCode = bizCode === undefined ? USER_CANCEL : Number(bizCode);
	service.lifecycle.move(run, 'canceled');
}
