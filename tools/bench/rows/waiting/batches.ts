import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../../../dev/n8n/workflow';
import { inTurn, ratios, shown, spreadOf, timesOf } from '../../rounds';
import { httpRequest, untilAtRest, webhookNode, type Setup } from '../../setup';
import { endAfter } from './measureLateness';
import { beginNode, botNode, ifTrue, items, next, pause } from './workflows';

/** How long each run takes at least, and up to how much longer at random, in milliseconds. */
const RUN_MS = 4_000;
const VARIES_MS = 4_000;

/** Over how long the ends of runs are spread where they are, in milliseconds. */
const SPREAD_MS = 60_000;

/** How long an execution may take, in milliseconds. */
const PATIENCE_MS = 300_000;

interface Batch {
	/** From the call of the webhook to the next node, in milliseconds. */
	time: number;
	/** From the end of the last run to the next node, in milliseconds. */
	late: number;
	/** From the call of the webhook to the last start, in milliseconds. */
	started: number;
	requests: number;
}

/**
 * Batches of runs of 4 to 8 s in one execution: our node beside a loop made by hand, which starts them with
 * HTTP Request in batches, waits 2 s, asks for the list, and reads the results when all have ended.
 */
export async function batches(setup: Setup): Promise<void> {
	const table: Record<string, Record<string, string>> = {};
	for (const count of setup.isQuick ? [10] : [10, 100, 500, 1_000]) {
		const rounds = count > 100 ? 3 : 5;
		table[`${count} runs`] = await compare(setup, count, setup.isQuick ? 1 : rounds, 0);
	}
	console.log('\nBatches of runs of 4 to 8 s, beside a loop of HTTP Request and Wait 2 s');
	console.table(table);
}

/** The same where the runs end one after the other, over a minute. */
export async function spread(setup: Setup): Promise<void> {
	const [count, rounds] = setup.isQuick ? [10, 1] : [100, 4];
	const row = await compare(setup, count, rounds, SPREAD_MS);
	console.log('\nA batch whose runs end over a minute, beside a loop of HTTP Request and Wait 2 s');
	console.table({ [`${count} runs`]: row });
}

/** @param spreadMs over how long the ends are spread, in milliseconds */
async function compare(
	setup: Setup,
	count: number,
	rounds: number,
	spreadMs: number,
): Promise<Record<string, string>> {
	const ourWay = (path: string): WorkflowDefinition =>
		workflowOf('Ours', [webhookNode(path), items(count), botNode(setup, 'automatic'), next]);
	const byHand = (path: string): WorkflowDefinition => handMade(setup, path, count);
	const { ours = [], loop = [] } = await inTurn(rounds, {
		ours: async () => await measure(setup, ourWay, count, spreadMs),
		loop: async () => await measure(setup, byHand, count, spreadMs),
	});
	return {
		'ours s': shown(spreadOf(timesOf(ours).map(toSeconds)), 1),
		'loop s': shown(spreadOf(timesOf(loop).map(toSeconds)), 1),
		'ours / loop': shown(spreadOf(ratios(timesOf(ours), timesOf(loop))), 2),
		'ours after the last end s': shown(spreadOf(ours.map(({ late }) => toSeconds(late))), 1),
		'loop after it s': shown(spreadOf(loop.map(({ late }) => toSeconds(late))), 1),
		'ours until the last start s': shown(
			spreadOf(ours.map(({ started }) => toSeconds(started))),
			1,
		),
		'loop until it s': shown(spreadOf(loop.map(({ started }) => toSeconds(started))), 1),
		requests: `${spreadOf(ours.map(({ requests }) => requests)).median} and ${spreadOf(loop.map(({ requests }) => requests)).median}`,
	};
}

function toSeconds(milliseconds: number): number {
	return milliseconds / 1_000;
}

async function measure(
	setup: Setup,
	workflowAt: (path: string) => WorkflowDefinition,
	count: number,
	spreadMs: number,
): Promise<Batch> {
	const { client, sandbox, server } = setup;
	await sandbox.reset();
	const running = spreadMs > 0 ? null : RUN_MS;
	await sandbox.setDurations({ created: 0, running, spread: VARIES_MS });
	const path = `bench-${randomUUID()}`;
	const workflow = await client.publish(workflowAt(path));
	await untilAtRest(setup);
	const begun = Date.now();
	await callWebhook(server.url, path);
	const [started] = await client.executions(workflow);
	const executionId = started?.executionId ?? '';
	if (spreadMs > 0) await endOneByOne(setup, count, spreadMs);
	const execution = await client.waitForExecution(executionId, { timeout: PATIENCE_MS });
	const [run] = execution.runs('Next');
	if (run === undefined) throw new Error(`Execution ${executionId}: ${execution.failure?.message}`);
	const runs = await sandbox.runs();
	const ends = runs.map(({ finishedAt }) => finishedAt ?? NaN);
	const lastStart = Math.max(...runs.map(({ createdAt }) => createdAt));
	const requests = (await sandbox.load()).total;
	await client.deactivate(workflow);
	return {
		time: run.startedAt - begun,
		late: run.startedAt - Math.max(...ends),
		started: lastStart - begun,
		requests,
	};
}

async function endOneByOne(setup: Setup, count: number, spreadMs: number): Promise<void> {
	const runs = await waitUntil(
		async () => {
			const started = await setup.sandbox.runs();
			return started.length === count ? started : undefined;
		},
		{ timeout: 60_000, interval: 20, describe: () => 'Not all runs were started' },
	);
	const durations = runs.map((_, index) => RUN_MS + (index * spreadMs) / count);
	await Promise.all(runs.map(async (run, index) => await endAfter(setup, run, durations[index])));
}

/** What a good user builds of n8n's own nodes for a batch. */
function handMade(setup: Setup, path: string, count: number): WorkflowDefinition {
	const { url } = setup.sandbox;
	const begin = beginNode(setup);
	const code = (name: string, jsCode: string): NodeSketch => ({
		name,
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: { jsCode },
	});
	const definition = workflowOf('Loop by hand', [
		webhookNode(path),
		items(count),
		{
			...begin,
			parameters: {
				...begin.parameters,
				options: { batching: { batch: { batchSize: 50, batchInterval: 0 } } },
			},
		},
		pause(2),
		code(
			'Pages',
			`return Array.from({ length: ${Math.ceil(count / 100)} }, (_, i) => ({ json: { page: i + 1 } }));`,
		),
		{ ...httpRequest(setup, `=${url}/v3/bots/runs?limit=100&page={{ $json.page }}`), name: 'List' },
		code(
			'Ended?',
			`const ended = new Set();
for (const { json } of $input.all()) {
	for (const run of json.items) if (['finished', 'failed', 'canceled'].includes(run.status)) ended.add(run.task_id);
}
const all = $('Begin').all().map(({ json }) => json.task_id);
return [{ json: { over: all.every((id) => ended.has(id)) } }];`,
		),
		ifTrue('If', '={{ $json.over }}'),
		code(
			'Runs',
			`return $('Begin').all().map(({ json }) => ({ json: { task_id: json.task_id } }));`,
		),
		{ ...httpRequest(setup, `=${url}/v3/bots/runs/{{ $json.task_id }}`), name: 'Result' },
		next,
	]);
	definition.connections = {
		...definition.connections,
		If: {
			main: [
				[{ node: 'Runs', type: 'main', index: 0 }],
				[{ node: 'Wait 2 s', type: 'main', index: 0 }],
			],
		},
	};
	return definition;
}
