import { fetchAlone } from '../../dev/fetchAlone';
import { callWebhook } from '../../dev/n8n/callWebhook';
import type { Credential, N8nClient, StoredWorkflow } from '../../dev/n8n/client';
import { isOver } from '../../dev/n8n/execution';
import {
	isWorkflowDefinition,
	workflowOf,
	type NodeSketch,
	type WorkflowDefinition,
} from '../../dev/n8n/workflow';
import type { SeedRuns } from '../../dev/sandbox/control';
import { chosen } from '../fixture/parameters';
import { POLLING_TRIGGER, TRIGGER } from '../fixture/nodeTypes';
import { refersTo, runBot, until, webhookNode, type Workbench } from './workbench';

const ENDS = ['runFinished', 'runFailed', 'runCanceled'];

export const then: NodeSketch = { name: 'Then', type: 'n8n-nodes-base.noOp' };

export function callbackTrigger(credential: Credential, parameters: object = {}): NodeSketch {
	return {
		name: 'Trigger',
		type: TRIGGER,
		parameters: { source: 'elsewhere', events: ENDS, ...parameters },
		credentials: refersTo(credential),
	};
}

/** A trigger that starts a run itself, of a bot that pauses unless said otherwise. */
export function ownRunTrigger(credential: Credential, further: object = {}): NodeSketch {
	const own = { source: 'own', start: 'bot', botId: chosen('1003') };
	return callbackTrigger(credential, { ...own, inputMode: 'json', input: '{}', ...further });
}

export function pollingTrigger(credential: Credential, parameters: object = {}): NodeSketch {
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	return {
		name: 'Trigger',
		type: POLLING_TRIGGER,
		parameters: { pollTimes, events: ENDS, ...parameters },
		credentials: refersTo(credential),
	};
}

export function triggerLine(trigger: NodeSketch): WorkflowDefinition {
	return workflowOf(trigger.name, [trigger, then]);
}

/** A workflow of two lines: a webhook that starts a run, and a trigger. */
export function startAndTrigger(path: string, starter: NodeSketch, trigger: NodeSketch) {
	return beside(workflowOf('Start and trigger', [webhookNode(path), starter]), trigger);
}

export function beside(workflow: WorkflowDefinition, trigger: NodeSketch): WorkflowDefinition {
	const { nodes, connections } = triggerLine(trigger);
	return {
		...workflow,
		nodes: [...workflow.nodes, ...nodes],
		connections: { ...workflow.connections, ...connections },
	};
}

type Json = Record<string, unknown>;

/** Where an active workflow's trigger is called; undefined where it has no address, e.g. as it polls. */
async function addressOf(client: N8nClient, workflow: StoredWorkflow): Promise<string | undefined> {
	const { global } = await client.staticData(workflow);
	return /"(http[^"]+run-completed)"/.exec(JSON.stringify(global ?? {}))?.[1];
}

/** A published workflow with a trigger, and calls to it as the service makes them. */
export class PublishedTrigger {
	private constructor(
		private readonly client: N8nClient,
		readonly workflow: StoredWorkflow,
		/** Where it is called about a run's end; empty where it cannot be called. */
		readonly completedUrl: string,
	) {}

	/** @param what a workflow, or nothing but a trigger, behind which a node stands then */
	static async publish(
		{ client }: Workbench,
		what: WorkflowDefinition | NodeSketch,
	): Promise<PublishedTrigger> {
		const definition = isWorkflowDefinition(what) ? what : triggerLine(what);
		const workflow = await client.publish(definition);
		return new PublishedTrigger(client, workflow, (await addressOf(client, workflow)) ?? '');
	}

	/** Where it is called about another status of a run. */
	get statusUrl(): string {
		return this.completedUrl.replace('run-completed', 'run-status-changed');
	}

	async unpublish(): Promise<void> {
		await this.client.deactivate(this.workflow);
	}

	async publishAgain(): Promise<void> {
		await this.client.activate(this.workflow);
	}

	async hasAddress(): Promise<boolean> {
		return (await addressOf(this.client, this.workflow)) !== undefined;
	}

	/** Calls back about the end of each of these runs, all at once. Answers with n8n's answers. */
	async callBack(taskIds: readonly string[]): Promise<number[]> {
		const call = async (task_id: string): Promise<number> =>
			await post(this.completedUrl, { task_id, status: 'finished' });
		return await Promise.all(taskIds.map(call));
	}

	/** What it put out, execution by execution, once there are so many. */
	async outputs(count: number): Promise<Json[][]> {
		return await triggered(this.client, this.workflow, count);
	}

	/** The runs that it reported, sorted, once it has started so many executions. */
	async reported(count: number): Promise<string[]> {
		const outputs = (await this.outputs(count)).flat();
		return outputs.map(({ task_id }) => String(task_id)).sort();
	}

	/** How often it has started the workflow, whatever came of it. */
	async executions(): Promise<number> {
		return await this.client.countExecutions([], this.workflow);
	}

	/** What became of its executions, once there are so many: their status, and the message of those that failed. */
	async ends(count: number): Promise<string[]> {
		const summaries = await this.client.waitForExecutions(this.workflow, count);
		const ends = summaries.map(async ({ executionId, status }) => {
			const { failure } = await this.client.execution(executionId);
			return failure?.message ?? status;
		});
		return (await Promise.all(ends)).sort();
	}
}

/** Waits until n8n, which was started again, hands calls of this address to its trigger. */
export async function untilCalled(url: string): Promise<void> {
	const isCalled = async (): Promise<boolean> =>
		(await send(url, {})).text.includes('This callback names no run.');
	await until(isCalled, 'the webhook to be there again', 60_000);
}

/** What a workflow's trigger put out, execution by execution, once there are so many. */
export async function triggered(
	client: N8nClient,
	workflow: StoredWorkflow,
	count: number,
	trigger = 'Trigger',
): Promise<Json[][]> {
	const find = async (): Promise<Json[][] | undefined> => {
		const summaries = await client.executions(workflow);
		const isAtWork = summaries.some(({ status }) => !isOver(status));
		if (summaries.length < count || isAtWork) return undefined;
		const outputs: Json[][] = [];
		for (const { executionId } of summaries) {
			const execution = await client.execution(executionId);
			if (execution.runs(trigger).length > 0) outputs.push(execution.json(trigger));
		}
		return outputs.length >= count ? outputs : undefined;
	};
	// The polling trigger polls once a minute, and what it starts has to end.
	return await until(find, `${count} executions that the trigger starts`, 150_000, 500);
}

async function send(url: string, body: object): Promise<{ status: number; text: string }> {
	const answer = await fetchAlone(url, {
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

/** Runs of a trigger's bench, e.g. ten that go on, or that were created just now. */
export async function seed(
	{ sandbox }: Workbench,
	count: number,
	further: Omit<SeedRuns, 'count'> = {},
): Promise<string[]> {
	const { taskIds } = await sandbox.seedRuns({ count, ...further });
	return taskIds.sort();
}

/** Has a node of a workflow run a bot and notify the trigger beside it, for whoever calls `url`. */
export async function afterNotifying(bench: Workbench, url: string, waitForCompletion: string) {
	const path = `notify-${waitForCompletion}`;
	const starter = bench.botNode(runBot('1008', { waitForCompletion, notify: 'trigger' }));
	const trigger = await PublishedTrigger.publish(
		bench,
		startAndTrigger(path, starter, callbackTrigger(bench.credential)),
	);
	await callWebhook(url, path);
	const outputs = await trigger.outputs(1);
	const ends = await trigger.ends(2);
	await trigger.unpublish();
	return { outputs, ends, trigger };
}

/** Has runs that a trigger has heard of end while it is unpublished; nobody calls back about that until it is published again. */
export async function afterLostCallbacks(bench: Workbench, count: number) {
	const trigger = await PublishedTrigger.publish(bench, callbackTrigger(bench.credential));
	const taskIds = await hearOfRuns(bench, trigger, count);
	await trigger.unpublish();
	await finishAll(bench, taskIds);
	await trigger.publishAgain();
	const reported = await trigger.reported(count);
	await trigger.callBack(taskIds);
	await trigger.unpublish();
	return { taskIds, reported, executions: await trigger.executions() };
}

/** Tells a trigger of so many runs that go on. */
export async function hearOfRuns(
	bench: Workbench,
	{ statusUrl }: PublishedTrigger,
	count: number,
): Promise<string[]> {
	const taskIds = await seed(bench, count, { statuses: ['running'] });
	for (const task_id of taskIds) await post(statusUrl, { task_id, status: 'running' });
	return taskIds;
}

export async function finishAll({ sandbox }: Workbench, taskIds: readonly string[]) {
	for (const taskId of taskIds) await sandbox.moveRun({ taskId, status: 'finished' });
}
