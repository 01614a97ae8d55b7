import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import type { StoredWorkflow } from '../../../../dev/n8n/client';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../../../dev/n8n/workflow';
import { httpRequest, ourTrigger, webhookNode, type Setup } from '../../setup';
import { ourWait, ownWait } from '../waiting/workflows';

/** What a number of callbacks took: how many a second, and n8n's CPU time for each in milliseconds. */
export interface Rate {
	rate: number;
	cpu: number;
}

/** How many callbacks each measurement sends. */
export interface Amounts {
	/** Those that start an execution each. */
	events: number;
	/** Those that start none. */
	idle: number;
	/** Executions that sleep, and are resumed. */
	asleep: number;
}

/** How many callbacks are on their way at a time. */
export const AT_ONCE = 10;

export const OURS = 'Browser Automation Trigger';
export const WEBHOOK = 'Webhook';
export const VERIFYING = 'Webhook + HTTP Request';
export const SLACK = 'Slack Trigger';
const REPEATS = 'Browser Automation Trigger: repeats';
const FORGERIES = 'Browser Automation Trigger: forgeries';
export const OUR_RESUME = 'Browser Automation, resumed';
const WAIT_RESUME = 'Wait + HTTP Request, resumed';

const SIGNING_SECRET = 'bench';

/** How often n8n is asked whether the executions are over: seldom, because it costs CPU time too. */
const POLL_EVERY_MS = 100;

/** How long the trigger takes to check runs that do not exist once more, which must not count for what comes next. */
const CHECKED_AGAIN_MS = 20_000;

/**
 * Callbacks up to the last saved execution. Webhook verifies nothing; with an HTTP Request it reads the run, as our
 * trigger does. n8n's Slack Trigger is the closest of its own kind that can be registered without its
 * service: it has a webhook and a credential, and verifies a signature.
 */
export async function candidatesOn(
	setup: Setup,
	{ events, idle, asleep }: Amounts,
): Promise<Record<string, () => Promise<Rate>>> {
	const path = crypto.randomUUID();
	const webhookUrl = `${setup.server.url}/webhook`;
	const ours = await line(setup, [ourTrigger(setup)]);
	const attacked = await line(setup, [ourTrigger(setup)]);
	const webhook = await line(setup, [webhookNode(`${path}-alone`)]);
	const verifying = await line(setup, [webhookNode(`${path}-reading`), readRun(setup)]);
	const slack = await line(setup, [await slackTrigger(setup, path)]);
	const oursUrl = await ourAddress(setup, ours);
	const forgedUrl = await ourAddress(setup, attacked);
	let reported: string[] = [];
	let forged = 0;
	return {
		[WEBHOOK]: async () =>
			await takeIn(
				setup,
				webhook,
				callbacks(`${webhookUrl}/${path}-alone`, await runs(setup, events)),
			),
		[VERIFYING]: async () =>
			await takeIn(
				setup,
				verifying,
				callbacks(`${webhookUrl}/${path}-reading`, await runs(setup, events)),
			),
		[SLACK]: async () =>
			await takeIn(setup, slack, messages(`${webhookUrl}/${path}/webhook`, events)),
		[OURS]: async () => {
			reported = await runs(setup, events);
			return await takeIn(setup, ours, callbacks(oursUrl, reported));
		},
		[REPEATS]: async () => {
			const repeats = Array.from({ length: idle }, (_, at) => reported[at % reported.length] ?? '');
			return await rate(setup, idle, async () => await sendAll(callbacks(oursUrl, repeats)));
		},
		[FORGERIES]: async () => {
			const forgeries = Array.from({ length: idle }, () => `forged-${forged++}`);
			const taken = await rate(
				setup,
				idle,
				async () => await sendAll(callbacks(forgedUrl, forgeries, [404, 503])),
			);
			await sleep(CHECKED_AGAIN_MS);
			return taken;
		},
		[WAIT_RESUME]: await resuming(setup, ownWait, asleep),
		[OUR_RESUME]: await resuming(setup, (on, at) => ourWait(on, at, 'automatic'), asleep),
	};
}

/** A callback that is to be sent, and the statuses that may answer it. */
interface Call {
	url: string;
	headers: Record<string, string>;
	body: string;
	expected: number[];
}

function callbacks(url: string, taskIds: string[], expected = [200]): Call[] {
	return taskIds.map((taskId) => ({
		url,
		headers: {},
		body: JSON.stringify({ task_id: taskId, status: 'finished' }),
		expected,
	}));
}

function messages(url: string, count: number): Call[] {
	return Array.from({ length: count }, (_, at) => {
		const body = JSON.stringify({
			type: 'event_callback',
			event: { type: 'message', channel: 'C1', text: `Message ${at}` },
		});
		const timestamp = String(Math.floor(Date.now() / 1_000));
		const signature = createHmac('sha256', SIGNING_SECRET).update(`v0:${timestamp}:${body}`);
		return {
			url,
			headers: {
				'x-slack-request-timestamp': timestamp,
				'x-slack-signature': `v0=${signature.digest('hex')}`,
			},
			body,
			expected: [200],
		};
	});
}

async function sendAll(calls: Call[]): Promise<void> {
	const left = [...calls];
	const lane = async (): Promise<void> => {
		for (let call = left.pop(); call !== undefined; call = left.pop()) {
			const answer = await fetch(call.url, {
				method: 'POST',
				headers: { 'content-type': 'application/json', ...call.headers },
				body: call.body,
			});
			await answer.arrayBuffer();
			if (!call.expected.includes(answer.status))
				throw new Error(`${call.url} answered ${answer.status}`);
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

async function line(setup: Setup, nodes: NodeSketch[]): Promise<StoredWorkflow> {
	const end: NodeSketch = { name: 'End', type: 'n8n-nodes-base.noOp' };
	return await setup.client.publish(workflowOf('Bench', [...nodes, end]));
}

function readRun(setup: Setup): NodeSketch {
	return httpRequest(setup, `=${setup.sandbox.url}/v3/bots/runs/{{ $json.body.task_id }}`);
}

async function slackTrigger({ client }: Setup, webhookId: string): Promise<NodeSketch> {
	const { type, credentialId, name } = await client.createCredential('Slack', 'slackApi', {
		accessToken: 'none',
		signatureSecret: SIGNING_SECRET,
	});
	return {
		name: 'Trigger',
		type: 'n8n-nodes-base.slackTrigger',
		webhookId,
		parameters: { trigger: ['message'], watchWorkspace: true, options: {} },
		credentials: { [type]: { id: credentialId, name } },
	};
}

async function ourAddress({ client }: Setup, workflow: StoredWorkflow): Promise<string> {
	const text = JSON.stringify(await client.staticData(workflow));
	const url = /"(http[^"]+\/run-completed)"/.exec(text)?.[1];
	if (url === undefined) throw new Error(`The trigger left no address: ${text}`);
	return url;
}

async function runs({ sandbox }: Setup, count: number): Promise<string[]> {
	return (await sandbox.seedRuns({ count })).taskIds;
}

/** Executions that sleep on one run each are resumed by the service, all at once. */
async function resuming(
	setup: Setup,
	definition: (setup: Setup, path: string) => WorkflowDefinition,
	count: number,
): Promise<() => Promise<Rate>> {
	const { client, sandbox, server } = setup;
	const path = crypto.randomUUID();
	const workflow = await client.publish(definition(setup, path));
	return async () => {
		await sandbox.reset();
		await sandbox.setDurations({ created: 0, running: null });
		const before = await setup.client.countExecutions(['success'], workflow);
		await sendAll(callbacks(`${server.url}/webhook/${path}`, Array<string>(count).fill('')));
		await setup.client.untilCounted(workflow, 'waiting', count, POLL_EVERY_MS);
		const started = await sandbox.runs();
		return await rate(setup, count, async () => {
			for (const { taskId } of started) await sandbox.moveRun({ taskId, status: 'finished' });
			await setup.client.untilCounted(workflow, 'success', before + count, POLL_EVERY_MS);
		});
	};
}

async function takeIn(setup: Setup, workflow: StoredWorkflow, calls: Call[]): Promise<Rate> {
	const wanted = (await setup.client.countExecutions(['success'], workflow)) + calls.length;
	return await rate(setup, calls.length, async () => {
		await sendAll(calls);
		await setup.client.untilCounted(workflow, 'success', wanted, POLL_EVERY_MS);
	});
}

async function rate({ server }: Setup, count: number, work: () => Promise<void>): Promise<Rate> {
	const [begin, cpuBefore] = [performance.now(), server.cpu()];
	await work();
	const time = performance.now() - begin;
	return { rate: (count * 1_000) / time, cpu: (server.cpu() - cpuBefore) / count };
}
