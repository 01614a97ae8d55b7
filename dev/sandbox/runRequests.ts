import { acceptInput, acceptTextInput } from './automations/input';
import type { Automation } from './automations/automation';
import { json } from './call';
import type { Answer, Call } from './call';
import { isObject, objectOrEmpty, textAt } from './json';
import type { JsonObject } from './json';
import type { ApiKey } from './keys';
import { refusals } from './refusal';
import { isTerminal } from './runs';
import type { Run } from './runs';
import type { Service } from './service';

/** Starts a run, as a bot or a template of V3 does. */
export async function startRun(
	{ starter }: Service,
	automation: Automation,
	{ key, body: sent }: Call,
): Promise<Answer> {
	const body = objectOrEmpty(sent);
	const input = (): JsonObject => acceptInput(automation, objectOrEmpty(body['input']));
	const proxyRegion = textAt(body, 'proxy_region');
	const run = await starter.start({ automation, key, input, proxyRegion, body });
	return json({ task_id: run.taskId, status: run.status });
}

/** Starts a task, as a workflow or a template of V2 does, from name and value pairs. */
export async function startTask(
	{ starter }: Service,
	automation: Automation,
	{ key, body: sent }: Call,
	proxyRegion?: string,
): Promise<Answer> {
	const body = objectOrEmpty(sent);
	const pairs = [body['input_parameters']].flat().filter(isObject);
	const values = pairs.map((pair) => [String(pair['name']), String(pair['value'])] as const);
	const input = (): JsonObject => acceptTextInput(automation, values);
	const run = await starter.start({ automation, key, input, proxyRegion, body });
	return json({ id: run.taskId, profile_id: run.profileId });
}

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
