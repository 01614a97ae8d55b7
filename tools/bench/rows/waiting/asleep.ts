import { setTimeout as sleep } from 'node:timers/promises';

import { callWebhook } from '../../../../dev/n8n/callWebhook';
import type { StoredWorkflow } from '../../../../dev/n8n/client';
import { isRecord } from '../../../../dev/n8n/json';
import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf } from '../../../../dev/n8n/workflow';
import { webhookNode, type Setup } from '../../setup';
import { botNode, items, next, startEach } from './workflows';

const MEGABYTE = 1024 ** 2;
const MINUTE = 60_000;

/** What n8n needs while nothing happens to the runs. */
interface Held {
	/** Resident memory of n8n at most, in bytes. */
	memory: number;
	/** CPU time of n8n by the minute, in milliseconds. */
	cpu: number[];
	/** Requests to the service by the minute. */
	requests: number[];
}

/** The same of executions that sleep. */
interface Asleep extends Held {
	/** Resident memory before they were started, in bytes. */
	before: number;
	/** Until all runs were started, in milliseconds. */
	starting: number;
}

/**
 * What it costs that runs go on: a thousand executions asleep on one run each, and one asleep on a
 * thousand. In these first minutes n8n's clock looks every minute, later four times an hour.
 */
export async function asleep(setup: Setup): Promise<void> {
	const [count, minutes] = setup.isQuick ? [20, 1] : [1_000, 3];
	console.log(`\nAsleep for callbacks, the first ${minutes} minutes`);
	show('n8n with nothing to do', await measure(setup, 1));
	show(`1 execution of ${count} items`, await sleeper(setup, count, minutes));
	show(`${count} executions of 1 item`, await sleepers(setup, count, minutes));
}

function show(
	what: string,
	{ before, starting, memory, cpu, requests }: Held & Partial<Asleep>,
): void {
	const megabytes = [before, memory].filter((bytes) => bytes !== undefined);
	console.log(
		[
			what.padEnd(27),
			...(starting === undefined ? [] : [`started in ${(starting / 1_000).toFixed(0)} s`]),
			`memory ${megabytes.map((bytes) => (bytes / MEGABYTE).toFixed(0)).join(' -> ')} MB`,
			`CPU by the minute ${cpu.map((ms) => (ms / 1_000).toFixed(1)).join(', ')} s`,
			`requests by the minute ${requests.join(', ')}`,
		].join('; '),
	);
}

/** Executions in production, each asleep on one run. */
async function sleepers(setup: Setup, count: number, minutes: number): Promise<Asleep> {
	const { client, server } = setup;
	await begin(setup);
	const path = `bench-${crypto.randomUUID()}`;
	const bot = botNode(setup, 'automatic', '$json.body.keyword');
	const workflow = await client.createWorkflow(workflowOf(path, [webhookNode(path), bot, next]));
	await client.activate(workflow);
	const before = server.memory();
	const begun = Date.now();
	await startEach(server.url, path, count);
	await untilStarted(setup, count);
	const starting = Date.now() - begun;
	const figures = await measure(setup, minutes);
	await endRuns(setup, count);
	await untilThereAre(setup, workflow, 'success', count);
	return { before, starting, ...figures };
}

/** One execution in production, asleep on many runs. */
async function sleeper(setup: Setup, count: number, minutes: number): Promise<Asleep> {
	const { client, server } = setup;
	await begin(setup);
	const path = `bench-${crypto.randomUUID()}`;
	const workflow = await client.createWorkflow(
		workflowOf(path, [webhookNode(path), items(count), botNode(setup, 'automatic'), next]),
	);
	await client.activate(workflow);
	const before = server.memory();
	const begun = Date.now();
	await callWebhook(server.url, path);
	await untilStarted(setup, count);
	const starting = Date.now() - begun;
	const figures = await measure(setup, minutes);
	await endRuns(setup, count);
	await untilThereAre(setup, workflow, 'success', 1);
	return { before, starting, ...figures };
}

/** A service without runs, whose runs end when they are told to, and an n8n that has time. */
async function begin({ client, sandbox }: Setup): Promise<void> {
	await waitUntil(
		async () => await client.request('GET', '/executions?limit=1').catch(() => undefined),
		{ timeout: MINUTE, interval: 500, describe: () => 'n8n does not answer for a minute' },
	);
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: null });
}

/** Leaves n8n alone for some minutes. */
async function measure({ server, sandbox }: Setup, minutes: number): Promise<Held> {
	const cpu: number[] = [];
	const requests: number[] = [];
	let memory = 0;
	for (let minute = 0; minute < minutes; minute++) {
		const [cpuBefore, { total }] = [server.cpu(), await sandbox.load()];
		await sleep(MINUTE);
		const { memory: now, cpu: cpuNow } = server.usage();
		memory = Math.max(memory, now);
		cpu.push(cpuNow - cpuBefore);
		requests.push((await sandbox.load()).total - total);
	}
	return { memory, cpu, requests };
}

/** Ends all runs one after another. @throws Error when there are more or fewer than expected */
async function endRuns({ sandbox }: Setup, count: number): Promise<void> {
	const runs = await sandbox.runs();
	if (runs.length !== count) throw new Error(`${runs.length} runs for ${count} items`);
	for (const { taskId } of runs) {
		await sandbox.moveRun({ taskId, status: 'finished' });
		await sleep(20);
	}
}

async function untilStarted({ sandbox }: Setup, count: number): Promise<void> {
	await waitUntil(async () => ((await sandbox.runs()).length >= count ? true : undefined), {
		timeout: 10 * MINUTE,
		interval: 200,
		describe: () => 'Not all runs were started in ten minutes',
	});
}

/** Waits until so many executions of a workflow have a status. */
async function untilThereAre(
	{ client }: Setup,
	{ workflowId }: StoredWorkflow,
	status: string,
	count: number,
): Promise<void> {
	const filter = encodeURIComponent(JSON.stringify({ workflowId, status: [status] }));
	let found = 0;
	await waitUntil(
		async () => {
			// n8n may be too busy to answer for a while.
			const answer = await client
				.request('GET', `/executions?limit=1&filter=${filter}`)
				.catch(() => undefined);
			found = isRecord(answer) ? Number(answer.count) : found;
			return found >= count ? true : undefined;
		},
		{
			timeout: 10 * MINUTE,
			interval: 500,
			describe: () => `${found} of ${count} executions are ${status} after ten minutes`,
		},
	);
}
