import type { StoredWorkflow } from '../../n8n/client';
import { isRecord } from '../../n8n/json';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf, type NodeSketch } from '../../n8n/workflow';
import { inTurn, ratios, shown, spreadOf } from '../rounds';
import { credentialsOf, httpRequest, webhookNode, type Stage } from '../stage';

/** Callbacks of each measurement that start executions, and of each that start none. */
const EVENTS = 100;
const IDLE = 400;
const ROUNDS = 5;
const AT_ONCE = 10;

const OURS = 'Browser Automation Trigger';

/**
 * Callbacks taken in each second, up to the last saved execution: our trigger, n8n's Webhook alone,
 * and Webhook with an HTTP Request that reads the run, as our trigger does. Then callbacks that
 * start no execution.
 */
export async function triggers(stage: Stage): Promise<void> {
	const ours = await line(stage, [ourTrigger(stage)]);
	const webhook = await line(stage, [webhookNode('bench-alone')]);
	const verifying = await line(stage, [webhookNode('bench-verifying'), readRun(stage)]);
	const oursUrl = await ourAddress(stage, ours);
	const webhookUrl = `${stage.server.url}/webhook/bench-alone`;
	const verifyingUrl = `${stage.server.url}/webhook/bench-verifying`;
	let told: string[] = [];
	let forged = 0;
	const measures = await inTurn(ROUNDS, {
		[OURS]: async () => {
			told = await newRuns(stage);
			return await takeIn(stage, ours, oursUrl, told);
		},
		'Webhook alone': async () => await takeIn(stage, webhook, webhookUrl, await newRuns(stage)),
		'Webhook + HTTP Request': async () =>
			await takeIn(stage, verifying, verifyingUrl, await newRuns(stage)),
		'Ours, repeats': async () =>
			await rate(IDLE, async () => {
				await post(
					oursUrl,
					Array.from({ length: IDLE }, (_, at) => told[at % EVENTS] ?? ''),
					[200],
				);
			}),
		'Ours, forgeries': async () =>
			await rate(IDLE, async () => {
				await post(
					oursUrl,
					Array.from({ length: IDLE }, () => `forged-${forged++}`),
					[404, 429],
				);
			}),
	});
	const alone = measures['Webhook alone'] ?? [];
	console.log(`\nCallbacks a second, ${AT_ONCE} at a time, executions saved`);
	console.table(
		Object.fromEntries(
			Object.entries(measures).map(([name, rates]) => [
				name,
				{
					'a second': shown(spreadOf(rates), 1),
					'of Webhook alone': shown(spreadOf(ratios(rates, alone)), 2),
				},
			]),
		),
	);
}

async function line(stage: Stage, nodes: NodeSketch[]): Promise<StoredWorkflow> {
	const end: NodeSketch = { name: 'End', type: 'n8n-nodes-base.noOp' };
	const workflow = await stage.client.createWorkflow(workflowOf('Bench', [...nodes, end]));
	await stage.client.activate(workflow);
	return workflow;
}

function ourTrigger(stage: Stage): NodeSketch {
	return {
		name: 'Trigger',
		type: 'n8n-nodes-browser-automation.browserAutomationTrigger',
		parameters: { source: 'elsewhere', events: ['runCompleted'] },
		credentials: credentialsOf(stage),
	};
}

function readRun(stage: Stage): NodeSketch {
	return httpRequest(stage, `=${stage.sandbox.url}/v3/bots/runs/{{ $json.body.task_id }}`);
}

async function ourAddress({ client }: Stage, workflow: StoredWorkflow): Promise<string> {
	const text = JSON.stringify(await client.staticData(workflow));
	const url = /"completedUrl":"([^"]+)"/.exec(text)?.[1];
	if (url === undefined) throw new Error(`The trigger left no address: ${text}`);
	return url;
}

async function newRuns({ sandbox }: Stage): Promise<string[]> {
	return (await sandbox.seedRuns({ count: EVENTS })).taskIds;
}

/** How many of a workflow's executions are over. */
async function countOf({ client }: Stage, { workflowId }: StoredWorkflow): Promise<number> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status: ['success'] }));
	const answer = await client.request('GET', `/executions?limit=1&filter=${filter}`);
	if (!isRecord(answer) || typeof answer.count !== 'number') throw new Error('n8n does not count');
	return answer.count;
}

async function takeIn(
	stage: Stage,
	workflow: StoredWorkflow,
	url: string,
	taskIds: string[],
): Promise<number> {
	const wanted = (await countOf(stage, workflow)) + taskIds.length;
	return await rate(taskIds.length, async () => {
		await post(url, taskIds, [200]);
		await waitUntil(async () => ((await countOf(stage, workflow)) >= wanted ? true : undefined), {
			timeout: 120_000,
			interval: 20,
			describe: () => `There are no ${wanted} executions`,
		});
	});
}

async function rate(count: number, work: () => Promise<void>): Promise<number> {
	const begin = performance.now();
	await work();
	return (count * 1_000) / (performance.now() - begin);
}

async function post(url: string, taskIds: string[], expected: number[]): Promise<void> {
	const left = [...taskIds];
	const lane = async (): Promise<void> => {
		for (let taskId = left.pop(); taskId !== undefined; taskId = left.pop()) {
			const answer = await fetch(url, {
				method: 'POST',
				headers: { 'content-type': 'application/json' },
				body: JSON.stringify({ task_id: taskId, status: 'finished' }),
			});
			await answer.arrayBuffer();
			if (!expected.includes(answer.status)) throw new Error(`${url} answered ${answer.status}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
