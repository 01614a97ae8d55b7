import { randomUUID } from 'node:crypto';
import type { StoredWorkflow } from '../../n8n/client';
import { isOver, type ExecutionSummary } from '../../n8n/execution';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../n8n/workflow';
import type { SandboxRun } from '../../sandbox/control';
import { spreadOf } from '../rounds';
import { httpRequest, ourNode, webhookNode, type Stage } from '../stage';

const MEGABYTE = 1024 ** 2;

const start: NodeSketch = { name: 'Start', type: 'n8n-nodes-base.manualTrigger' };

/** As many items `{ keyword }` as wanted. */
function items(count: number): NodeSketch {
	return {
		name: 'Items',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return Array.from({ length: ${count} }, (_, i) => ({ json: { keyword: 'w' + i } }));`,
		},
	};
}

function botNode(stage: Stage, waitForCompletion: string): NodeSketch {
	const node = ourNode(stage, {
		resource: 'bot',
		operation: 'run',
		botId: { __rl: true, mode: 'id', value: '1001' },
		inputMode: 'json',
		input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
		waitForCompletion,
		output: 'simplified',
	});
	return { ...node, name: 'Bot' };
}

/** A marker whose start is the moment at which the workflow went on. */
const next: NodeSketch = { name: 'Next', type: 'n8n-nodes-base.noOp' };

/** What people build of n8n's own nodes: ask for the status, wait 5 s, again until it has ended. */
function ownLoop(stage: Stage, path: string): WorkflowDefinition {
	const { url } = stage.sandbox;
	const begin = httpRequest(stage, `${url}/v3/bots/1001/runs`);
	const run = `=${url}/v3/bots/runs/{{ $('Begin').item.json.task_id }}`;
	const definition = workflowOf('Loop of own nodes', [
		webhookNode(path),
		items(1),
		{
			...begin,
			name: 'Begin',
			parameters: {
				...begin.parameters,
				method: 'POST',
				sendBody: true,
				specifyBody: 'json',
				jsonBody: '={{ { input: { keyword: $json.keyword, max_results: 1 } } }}',
			},
		},
		{ ...httpRequest(stage, `${run}/status`), name: 'Status' },
		{
			name: 'Ended?',
			type: 'n8n-nodes-base.if',
			typeVersion: 2.2,
			parameters: {
				conditions: {
					options: { caseSensitive: true, typeValidation: 'loose', version: 2 },
					combinator: 'and',
					conditions: [
						{
							id: '1',
							leftValue: "={{ ['finished', 'failed', 'canceled'].includes($json.status) }}",
							rightValue: '',
							operator: { type: 'boolean', operation: 'true', singleValue: true },
						},
					],
				},
				options: {},
			},
		},
		{ ...httpRequest(stage, run), name: 'Result' },
		next,
		{
			name: 'Wait 5 s',
			type: 'n8n-nodes-base.wait',
			typeVersion: 1.1,
			webhookId: randomUUID(),
			parameters: { amount: 5 },
		},
	]);
	definition.connections = {
		...definition.connections,
		'Ended?': {
			main: [
				[{ node: 'Result', type: 'main', index: 0 }],
				[{ node: 'Wait 5 s', type: 'main', index: 0 }],
			],
		},
		Next: {},
		'Wait 5 s': { main: [[{ node: 'Status', type: 'main', index: 0 }]] },
	};
	return definition;
}

interface Lateness {
	/** From the end of each run to the start of the next node, in milliseconds. */
	late: number[];
	/** Requests to the service in all. */
	requests: number;
}

/** Starts executions of a workflow at the same time, each with one run, and ends the runs one after another. */
async function measureLateness(
	stage: Stage,
	definition: WorkflowDefinition,
	path: string,
	durations: number[],
): Promise<Lateness> {
	const { client, sandbox, server } = stage;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null });
	const workflow = await client.createWorkflow(definition);
	await client.activate(workflow);
	const calls = durations.map(
		async () => await fetch(`${server.url}/webhook/${path}`, { method: 'POST' }),
	);
	for (const { ok, status } of await Promise.all(calls)) {
		if (!ok) throw new Error(`The webhook answered ${status}`);
	}
	const runs = await waitUntil(
		async () => {
			const started = await sandbox.runs();
			return started.length === durations.length ? started : undefined;
		},
		{ timeout: 60_000, interval: 20, describe: () => 'Not all runs were started' },
	);
	await Promise.all(runs.map(async (run, index) => await endAfter(stage, run, durations[index])));
	const ends = new Map((await sandbox.runs()).map((run) => [run.taskId, run.finishedAt ?? NaN]));
	const late: number[] = [];
	for (const { executionId } of await client.executions(workflow)) {
		const execution = await client.waitForExecution(executionId, { timeout: 120_000 });
		const [run] = execution.runs('Next');
		const taskId = String(execution.json('Next')[0]?.task_id);
		if (run === undefined)
			throw new Error(`Execution ${executionId}: ${execution.failure?.message}`);
		late.push(run.startedAt - (ends.get(taskId) ?? NaN));
	}
	return { late, requests: (await sandbox.load()).total };
}

async function endAfter({ sandbox }: Stage, run: SandboxRun, duration = 0): Promise<void> {
	await new Promise((resolve) => setTimeout(resolve, run.createdAt + duration - Date.now()));
	await sandbox.moveRun({ taskId: run.taskId, status: 'finished' });
}

/** How late workflows go on after the end of a run: by callback, by our polling, by a loop of n8n's own nodes. */
export async function lateness(stage: Stage): Promise<void> {
	const durations = Array.from({ length: 80 }, (_, index) => 6_000 + index * 550);
	const ours = (mode: string) => (path: string) =>
		workflowOf(mode, [webhookNode(path), items(1), botNode(stage, mode), next]);
	const contenders: Record<string, (path: string) => WorkflowDefinition> = {
		callback: ours('sleep'),
		'our polling': ours('poll'),
		'HTTP Request, If, Wait 5 s': (path) => ownLoop(stage, path),
	};
	const found: Record<string, Lateness> = {};
	for (const [name, definition] of Object.entries(contenders)) {
		const path = `bench-${randomUUID()}`;
		found[name] = await measureLateness(stage, definition(path), path, durations);
	}
	const loop = found['HTTP Request, If, Wait 5 s'];
	const reference = loop === undefined ? NaN : spreadOf(loop.late).median;
	console.log(`\nFrom the end of a run to the next node, ${durations.length} runs of 6 to 49 s`);
	for (const [name, { late, requests }] of Object.entries(found)) {
		const { median, max } = spreadOf(late);
		console.log(
			`${name.padEnd(28)} median ${(median / 1_000).toFixed(3)} s, at most ${(max / 1_000).toFixed(3)} s, ` +
				`${(median / reference).toFixed(3)} of the loop, ${(requests / durations.length).toFixed(1)} requests a run`,
		);
	}
}

/** The time from the end of one of the thousand runs to the end of the next, in milliseconds. */
const BETWEEN_ENDS_MS = 100;

/** The ID of the workflow's execution once it fits. n8n may be too busy to answer for a while. */
async function executionThat(
	{ client }: Stage,
	workflow: StoredWorkflow,
	fits: (execution: ExecutionSummary) => boolean,
): Promise<string> {
	const found = await waitUntil(
		async () => (await client.executions(workflow).catch(() => [])).find(fits),
		{ timeout: 600_000, interval: 500, describe: () => 'No execution fits after ten minutes' },
	);
	return found.executionId;
}

/** A thousand runs asleep in one execution: memory, requests, order. */
export async function thousand(stage: Stage): Promise<void> {
	const { client, sandbox, server } = stage;
	const count = 1_000;
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null });
	const before = server.memory();
	const workflow = await client.createWorkflow(
		workflowOf('Thousand', [start, items(count), botNode(stage, 'sleep'), next]),
	);
	const begun = Date.now();
	await client.runManually(workflow, { trigger: 'Start' });
	const executionId = await executionThat(stage, workflow, ({ status }) => status === 'waiting');
	const asleepAfter = Date.now() - begun;
	const cpuBefore = server.cpu();
	await new Promise((resolve) => setTimeout(resolve, 20_000));
	const during = server.memory();
	const cpu = server.cpu() - cpuBefore;
	const runs = await sandbox.runs();
	for (const { taskId } of runs) {
		await sandbox.moveRun({ taskId, status: 'finished' });
		await new Promise((resolve) => setTimeout(resolve, BETWEEN_ENDS_MS));
	}
	const lastEnd = Date.now();
	await executionThat(stage, workflow, ({ status }) => isOver(status));
	const execution = await client.execution(executionId);
	const [marker] = execution.runs('Next');
	const words = new Map(runs.map(({ taskId, input }) => [taskId, input.keyword]));
	const got = execution.json('Next').map(({ task_id }) => words.get(String(task_id)));
	const inOrder = got.every((word, index) => word === `w${index}`);
	const load = await sandbox.load();
	console.log(`
${count} runs asleep in one execution
asleep after            ${(asleepAfter / 1_000).toFixed(1)} s
memory before, asleep   ${(before / MEGABYTE).toFixed(0)} MB, ${(during / MEGABYTE).toFixed(0)} MB
CPU in 20 s asleep      ${cpu.toFixed(0)} ms
results                 ${got.length}, ${inOrder ? 'in order' : 'NOT in order'} (${execution.status})
last end to next node   ${(((marker?.startedAt ?? NaN) - lastEnd) / 1_000).toFixed(1)} s
requests                ${load.total} (${(load.total / count).toFixed(2)} a run): ${JSON.stringify(load.byOperation)}`);
}
