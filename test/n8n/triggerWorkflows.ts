import { isRecord } from '../../n8n/json';
import type { Credential, N8nClient, StoredWorkflow } from '../../n8n/client';
import type { N8nServer } from '../../n8n/server';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../n8n/workflow';
import { waitUntil } from '../../n8n/waitUntil';
import { NODE_VERSION } from '../../nodes/BrowserAutomation/execution/webhook';
import { chosen } from '../fixture/parameters';
import { POLLING_TRIGGER, TRIGGER } from '../fixture/nodeTypes';
import type { Workbench } from './workbench';

function credentials({ type, credentialId, name }: Credential) {
	return { credentials: { [type]: { id: credentialId, name } } };
}

/** The node that follows a trigger. */
const then: NodeSketch = { name: 'Then', type: 'n8n-nodes-base.noOp' };

export function callbackTrigger(
	credential: Credential,
	parameters: Record<string, unknown> = {},
	name = 'Trigger',
): NodeSketch {
	return {
		name,
		type: TRIGGER,
		typeVersion: NODE_VERSION,
		parameters: {
			source: 'elsewhere',
			events: ['runFinished', 'runFailed', 'runCanceled'],
			...parameters,
		},
		...credentials(credential),
	};
}

/** A trigger that starts a run of a bot which needs no input. */
export function ownRunTrigger(credential: Credential): NodeSketch {
	return callbackTrigger(credential, {
		source: 'own',
		start: 'bot',
		botId: chosen('1003'),
		inputMode: 'json',
		input: '{}',
	});
}

export function pollingTrigger(
	credential: Credential,
	parameters: Record<string, unknown> = {},
): NodeSketch {
	return {
		name: 'Trigger',
		type: POLLING_TRIGGER,
		parameters: {
			pollTimes: { item: [{ mode: 'everyMinute' }] },
			events: ['runFinished', 'runFailed', 'runCanceled'],
			...parameters,
		},
		...credentials(credential),
	};
}

/** A trigger and a node behind it. */
export function triggerLine(trigger: NodeSketch): WorkflowDefinition {
	return workflowOf(trigger.name, [trigger, then]);
}

/** A workflow of two lines: a webhook that starts a run, and a trigger. */
export function startAndTrigger(path: string, starter: NodeSketch, trigger: NodeSketch) {
	const start = workflowOf('Start and trigger', [
		{
			name: 'Hook',
			type: 'n8n-nodes-base.webhook',
			typeVersion: 2,
			webhookId: path,
			parameters: { path, httpMethod: 'POST' },
		},
		starter,
	]);
	const reaction = triggerLine(trigger);
	return {
		...start,
		nodes: [...start.nodes, ...reaction.nodes],
		connections: { ...start.connections, ...reaction.connections },
	};
}

/** Where an active workflow's trigger is called. */
export async function addressesOf(
	client: N8nClient,
	workflow: StoredWorkflow,
): Promise<{ completedUrl: string; statusUrl: string }> {
	const { global } = await client.staticData(workflow);
	const text = JSON.stringify(global ?? {});
	const completedUrl = /"(http[^"]+run-completed)"/.exec(text)?.[1];
	if (completedUrl === undefined) throw new Error(`The trigger left no address: ${text}`);
	return {
		completedUrl,
		statusUrl: completedUrl.replace('run-completed', 'run-status-changed'),
	};
}

/** What a workflow's trigger put out, execution by execution, once there are so many. */
export async function triggered(
	client: N8nClient,
	workflow: StoredWorkflow,
	count: number,
	trigger = 'Trigger',
): Promise<Array<Array<Record<string, unknown>>>> {
	return await waitUntil(
		async () => {
			const over = await executionIds(client, workflow);
			const outputs: Array<Array<Record<string, unknown>>> = [];
			for (const executionId of over) {
				const execution = await client.execution(executionId);
				if (!execution.isOver) return undefined;
				if (execution.runs(trigger).length > 0) outputs.push(execution.json(trigger));
			}
			return outputs.length >= count ? outputs : undefined;
		},
		{
			// The polling trigger polls once a minute, and what it starts has to end.
			timeout: 150_000,
			interval: 250,
			describe: () => `The trigger did not start the workflow ${count} times`,
		},
	);
}

async function executionIds(client: N8nClient, workflow: StoredWorkflow): Promise<string[]> {
	return (await client.executions(workflow)).map(({ executionId }) => executionId);
}

/** How often a workflow was started and came to its end, however many executions there are. */
export async function countExecutions(
	client: N8nClient,
	workflow: StoredWorkflow,
): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId: workflow.workflowId }));
	const answer = await client.request('GET', `/executions?limit=1&filter=${filter}`);
	if (!isRecord(answer) || typeof answer.count !== 'number') {
		throw new Error(`n8n does not count executions: ${JSON.stringify(answer)}`);
	}
	return answer.count;
}

/** Sends JSON as the service sends a callback. */
async function send(url: string, body: object): Promise<{ status: number; text: string }> {
	const answer = await fetch(url, {
		method: 'POST',
		headers: { 'content-type': 'application/json' },
		body: JSON.stringify(body),
	});
	return { status: answer.status, text: await answer.text() };
}

/** Sends JSON as the service sends a callback, and gives the status of the answer. */
export async function post(url: string, body: object): Promise<number> {
	return (await send(url, body)).status;
}

/** Whether it is a trigger of ours that answers at an address, rather than n8n, which knows no such webhook. */
export async function isAnsweredByTrigger(url: string): Promise<boolean> {
	return (await send(url, {})).text.includes('This callback names no run.');
}

/** Publishes a trigger that hears of runs, which end while it is `away`; nobody calls back about that until it is `back`. */
async function afterAbsence(
	{ client, credential, sandbox }: Workbench,
	count: number,
	absence: {
		away: (workflow: StoredWorkflow) => Promise<void>;
		back: (workflow: StoredWorkflow) => Promise<void>;
	},
): Promise<{ taskIds: string[]; told: string[]; executions: number }> {
	const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
	await client.activate(workflow);
	const { statusUrl } = await addressesOf(client, workflow);
	const { taskIds } = await sandbox.seedRuns({ count, statuses: ['running'] });
	for (const task_id of taskIds) await post(statusUrl, { task_id, status: 'running' });
	await absence.away(workflow);
	for (const taskId of taskIds) await sandbox.moveRun({ taskId, status: 'finished' });
	await absence.back(workflow);
	const told = (await triggered(client, workflow, count)).flat();
	for (const task_id of taskIds) await post(statusUrl, { task_id, status: 'finished' });
	await client.deactivate(workflow);
	return {
		taskIds: [...taskIds].sort(),
		told: told.map(({ task_id }) => String(task_id)).sort(),
		executions: await countExecutions(client, workflow),
	};
}

/** Publishes a trigger, and publishes it again after runs have ended that it has heard of; nobody calls back about them. */
export async function afterLostCallbacks(bench: Workbench, count: number) {
	return await afterAbsence(bench, count, {
		away: async (workflow) => await bench.client.deactivate(workflow),
		back: async (workflow) => await bench.client.activate(workflow),
	});
}

/** Publishes a trigger and floods it with forged callbacks, all at once, and then with true ones that nobody repeats; `answers` are those of the forged. */
export async function afterFlood(
	{ client, credential, sandbox }: Workbench,
	{ forged, count }: { forged: number; count: number },
): Promise<{
	taskIds: string[];
	told: string[];
	executions: number;
	answers: number[];
	reads: number;
}> {
	const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
	await client.activate(workflow);
	const { completedUrl } = await addressesOf(client, workflow);
	const { taskIds } = await sandbox.seedRuns({ count, statuses: ['finished'] });
	await sandbox.clearRequests();
	const postAll = async (ids: string[]) =>
		await Promise.all(
			ids.map(async (task_id) => await post(completedUrl, { task_id, status: 'finished' })),
		);
	const [answers] = await Promise.all([
		postAll(Array.from({ length: forged }, (_, index) => `forged-${index}`)),
		postAll(taskIds),
	]);
	const told = (await triggered(client, workflow, count)).flat();
	await client.deactivate(workflow);
	return {
		taskIds: [...taskIds].sort(),
		told: told.map(({ task_id }) => String(task_id)).sort(),
		executions: await countExecutions(client, workflow),
		answers: [...new Set(answers)].sort(),
		reads: (await sandbox.requests({ method: 'GET', path: '^/v3/bots/runs/' })).length,
	};
}

/** Publishes a trigger, and calls back about a run that the service itself does not know yet. */
export async function afterEarlyCallback({
	client,
	credential,
	sandbox,
}: Workbench): Promise<{ taskId: string; answer: number; told: unknown[] }> {
	const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
	await client.activate(workflow);
	const { completedUrl } = await addressesOf(client, workflow);
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['finished'] });
	const taskId = taskIds[0] ?? '';
	const path = `^/v3/bots/runs/${taskId}$`;
	await sandbox.addFault({
		kind: 'envelopeError',
		code: 10112,
		msg: 'no such run',
		path,
		times: 1,
	});
	const answer = await post(completedUrl, { task_id: taskId, status: 'finished' });
	const told = (await triggered(client, workflow, 1)).flat();
	await client.deactivate(workflow);
	return { taskId, answer, told: told.map(({ task_id }) => task_id) };
}

/** Publishes a trigger, and kills n8n while runs end that it has heard of; nobody calls back about them. */
export async function afterOutage(bench: Workbench, server: N8nServer, count: number) {
	return await afterAbsence(bench, count, {
		away: async () => await server.kill(),
		back: async () => await server.start(),
	});
}

/** Publishes the workflow of a polling trigger again, which polls at once. */
async function pollAgain({ client }: Workbench, workflow: StoredWorkflow): Promise<void> {
	await client.deactivate(workflow);
	await client.activate(workflow);
}

/** Has runs begin and end at a polling trigger: one that is dated a month ahead, then those after it, then some while the workflow is unpublished. */
export async function afterOddDate(bench: Workbench, count: number) {
	const { client, credential, sandbox } = bench;
	const workflow = await client.createWorkflow(triggerLine(pollingTrigger(credential)));
	await client.activate(workflow);
	const month = new Date(Date.now() + 30 * 86_400_000).toISOString();
	const { taskIds: odd } = await sandbox.seedRuns({
		count: 1,
		createdFrom: month,
		createdTo: month,
	});
	await pollAgain(bench, workflow);
	await triggered(client, workflow, 1);
	const now = (): { createdFrom: string } => ({ createdFrom: new Date().toISOString() });
	const { taskIds: later } = await sandbox.seedRuns({ count, ...now() });
	await pollAgain(bench, workflow);
	await triggered(client, workflow, 2);
	await client.deactivate(workflow);
	const { taskIds: away } = await sandbox.seedRuns({ count, ...now() });
	await client.activate(workflow);
	const told = (await triggered(client, workflow, 3)).flat();
	await client.deactivate(workflow);
	return {
		taskIds: [...odd, ...later, ...away].sort(),
		told: told.map(({ task_id }) => String(task_id)).sort(),
	};
}

/** Publishes a polling trigger whose cursor was spoiled (n8n 2 does not take that), and then has runs begin. */
export async function afterSpoiledCursor(bench: Workbench, count: number) {
	const { client, credential, sandbox } = bench;
	const workflow = await client.createWorkflow({
		...triggerLine(pollingTrigger(credential)),
		staticData: { 'node:Trigger': { cursor: { newest: 1e20 } } },
	});
	const before = JSON.stringify(await client.staticData(workflow));
	await client.activate(workflow);
	const createdFrom = new Date().toISOString();
	const { taskIds } = await sandbox.seedRuns({ count, createdFrom });
	await pollAgain(bench, workflow);
	const told = (await triggered(client, workflow, 1)).flat();
	await client.deactivate(workflow);
	return {
		taskIds: [...taskIds].sort(),
		told: told.map(({ task_id }) => String(task_id)).sort(),
		before,
	};
}

/** Publishes a trigger and calls back as odd clients do: JSON under other content types, and an ID as a number too long for a double. */
export async function afterOddBodies({ client, credential, sandbox }: Workbench) {
	const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
	await client.activate(workflow);
	const { completedUrl } = await addressesOf(client, workflow);
	const types = ['text/plain', 'application/vnd.service+json', 'application/octet-stream', ''];
	const { taskIds } = await sandbox.seedRuns({ count: types.length });
	const answers = await Promise.all(
		taskIds.map(async (taskId, index) => {
			const body = new TextEncoder().encode(`{"task_id":${taskId},"status":"finished"}`);
			const headers = types[index] === '' ? {} : { 'content-type': types[index] ?? '' };
			return (await fetch(completedUrl, { method: 'POST', headers, body })).status;
		}),
	);
	const told = (await triggered(client, workflow, types.length)).flat();
	await client.deactivate(workflow);
	return {
		taskIds: [...taskIds].sort(),
		told: told.map(({ task_id }) => String(task_id)).sort(),
		answers: [...new Set(answers)],
	};
}

/** Publishes a trigger, and calls back so often about each of an unknown and a real run at once, each time with another status. */
export async function afterInventedStatuses(
	{ client, credential, sandbox }: Workbench,
	count: number,
) {
	const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
	await client.activate(workflow);
	const { completedUrl, statusUrl } = await addressesOf(client, workflow);
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['running'] });
	await post(statusUrl, { task_id: taskIds[0], status: 'running' });
	const readsOf = async (taskId = ''): Promise<number> => {
		await sandbox.clearRequests();
		const calls = Array.from({ length: count }, async (_, index) => {
			await post(completedUrl, { task_id: taskId, status: `invented-${index}` });
		});
		await Promise.all(calls);
		return (await sandbox.requests({ path: taskId })).length;
	};
	const unknown = await readsOf('404404');
	const begin = Date.now();
	const real = await readsOf(taskIds[0]);
	const seconds = Math.ceil((Date.now() - begin) / 1_000);
	await client.deactivate(workflow);
	return { unknown, real, seconds, executions: await countExecutions(client, workflow) };
}

/** What became of a workflow's executions: their status, and the message of those that failed. */
async function endsOf(client: N8nClient, workflow: StoredWorkflow, count: number) {
	const summaries = await client.waitForExecutions(workflow, count);
	const ends = summaries.map(async ({ executionId, status }) => {
		const { failure } = await client.execution(executionId);
		return failure?.message ?? status;
	});
	return (await Promise.all(ends)).sort();
}

/** Publishes both triggers so that a run without a file is a failure, with an error workflow; and has two runs end with a file, and one without. */
export async function afterRunWithoutFile(bench: Workbench) {
	const { client, credential, sandbox } = bench;
	const alarm = await client.createWorkflow(
		workflowOf('Alarm', [{ name: 'Failed', type: 'n8n-nodes-base.errorTrigger' }, then]),
	);
	// n8n 1 takes an error workflow as it is, and publishes none.
	await client.activate(alarm).catch(() => undefined);
	const settings = { executionOrder: 'v1', errorWorkflow: alarm.workflowId };
	const options = { downloadFiles: ['csv'], ifNoFile: 'fail' };
	const publish = async (trigger: NodeSketch): Promise<StoredWorkflow> => {
		const workflow = await client.createWorkflow({ ...triggerLine(trigger), settings });
		await client.activate(workflow);
		return workflow;
	};
	const called = await publish(callbackTrigger(credential, { options }));
	const polling = await publish(
		pollingTrigger(credential, { options, filters: { bot: chosen('1002') } }),
	);
	const { completedUrl } = await addressesOf(client, called);
	const { taskIds } = await sandbox.seedRuns({
		count: 3,
		bot: '1002',
		statuses: ['finished', 'failed', 'finished'],
		createdFrom: new Date().toISOString(),
	});
	for (const task_id of [...taskIds, ...taskIds]) await post(completedUrl, { task_id });
	await pollAgain(bench, polling);
	const polled = await endsOf(client, polling, 2);
	const told = (await triggered(client, polling, 1)).flat();
	const result = {
		taskIds,
		called: await endsOf(client, called, 3),
		polled,
		told: told.map(({ task_id }) => String(task_id)).sort(),
		alarms: (await triggered(client, alarm, 2, 'Failed')).flat(),
	};
	for (const workflow of [called, polling]) await client.deactivate(workflow);
	return result;
}
