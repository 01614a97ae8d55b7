import { setTimeout as sleep } from 'node:timers/promises';

import { waitUntil } from '../../../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch } from '../../../../dev/n8n/workflow';
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
 * thousand. In these first minutes n8n's wait timer is set to every minute, later four times an hour.
 */
export async function asleep(setup: Setup): Promise<void> {
	const [count, minutes] = setup.isQuick ? [20, 1] : [1_000, 3];
	console.log(`\nAsleep for callbacks, the first ${minutes} minutes`);
	show('n8n with nothing to do', await measure(setup, 1));
	const batch = [items(count), botNode(setup, 'automatic')];
	const one = { nodes: batch, executions: 1, runs: count };
	show(`1 execution of ${count} items`, await held(setup, one, minutes));
	const single = [botNode(setup, 'automatic', '$json.body.keyword')];
	const many = { nodes: single, executions: count, runs: count };
	show(`${count} executions of 1 item`, await held(setup, many, minutes));
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

/** Executions in production that sleep on so many runs in all. */
async function held(
	setup: Setup,
	{ nodes, executions, runs }: { nodes: NodeSketch[]; executions: number; runs: number },
	minutes: number,
): Promise<Asleep> {
	const { client, server } = setup;
	await begin(setup);
	const path = `bench-${crypto.randomUUID()}`;
	const workflow = await client.publish(workflowOf(path, [webhookNode(path), ...nodes, next]));
	const before = server.memory();
	const begun = Date.now();
	await startEach(server.url, path, executions);
	await untilStarted(setup, runs);
	const starting = Date.now() - begun;
	const figures = await measure(setup, minutes);
	await endRuns(setup, runs);
	await client.untilCounted(workflow, 'success', executions);
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
