import { randomUUID } from 'node:crypto';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

import { botNode, items, next, ownWait, startEach } from '../bench/rows/waiting/workflows';
import { openService, webhookNode, type Service } from '../bench/setup';
import { callWebhook } from '../../dev/n8n/callWebhook';
import { N8nClient, type StoredWorkflow } from '../../dev/n8n/client';
import { QueueMode } from '../../dev/n8n/queueMode';
import { startWithPackage } from '../../dev/n8n/startWithPackage';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import { newestN8n } from '../../dev/n8n/versions';
import type { Sandbox } from '../../dev/sandbox/server';
import { closeAudit, printAudit } from '../soak/audit';
import { readExecutions, readHistory } from '../soak/history';
import type { CalledJob } from '../soak/load';
import { readOutputs } from '../soak/outputs';
import { callbacksOf, countByStatus, describe, isToRetry } from './tally';
import { makeTrouble, supervise } from './trouble';
import { Watch } from './watch';

const MINUTE = 60_000;

/** How late n8n's wait timer may resume what nobody watches any more where so many sleep: a quarter of an hour, and an hour. */
const LATEST_CLOCK = 80 * MINUTE;

/** How often n8n is asked to retry an execution: it cannot where it has thrown its data away. */
const RETRY_REQUESTS = 10;

export interface LoadOptions {
	/** Executions of one item. */
	executions: number;
	/** Items of one further execution; 0 for none. */
	batch: number;
	workers: number;
	/** Time in which the service ends all runs, in seconds. */
	seconds: number;
	/** Whether processes are killed and the data services restarted in the middle. */
	trouble: boolean;
	/** Whether as many executions of n8n's own nodes sleep beside them. */
	hasPeer: boolean;
	/** Whether a killed process starts again without the events that it noted, as a new container does. */
	isForgetful: boolean;
	/** Further environment variables of all processes of n8n. */
	environment: Record<string, string>;
}

/** n8n in queue mode with a service. */
interface Site extends Service {
	queue: QueueMode;
}

/**
 * Executions in queue mode, all asleep on callbacks, which come within seconds.
 *
 * @returns what was not as it should be
 */
export async function load(options: LoadOptions): Promise<string[]> {
	const site = await openSite(options);
	const watch = new Watch(site.queue);
	const supervisor = supervise(site.queue);
	try {
		return await play(site, options, watch);
	} finally {
		watch.stop();
		supervisor.stop();
		await site.close();
		await site.queue.remove();
	}
}

async function openSite(options: LoadOptions): Promise<Site> {
	const queue = await startWithPackage(
		async (given) =>
			await QueueMode.start({
				version: newestN8n(),
				workers: options.workers,
				webhookProcesses: 2,
				concurrency: 10,
				environment: options.environment,
				data: { postgres: { durable: true }, redis: { durable: true } },
				...given,
			}),
	);
	const service = await openService(await N8nClient.signIn(queue.url), {
		durations: { created: 0, running: null },
		recordLimit: 10 * (options.executions + options.batch),
	});
	return { queue, ...service };
}

async function play(site: Site, options: LoadOptions, watch: Watch): Promise<string[]> {
	const { queue, sandbox } = site;
	const { executions, batch } = options;
	const peers = options.hasPeer ? executions : 0;
	const all = executions + peers + (batch > 0 ? 1 : 0);
	const runs = executions + peers + batch;
	const begun = Date.now();
	const since = (): string => `${((Date.now() - begun) / 1_000).toFixed(0)} s`;
	const report = (what: string): void => console.log(`${since().padStart(6)}  ${what}`);

	watch.mark('before');
	const single = await activate(site, (path) => ours(site, path, '$json.body.keyword'));
	const many = await activate(site, (path) => ours(site, path, '$json.keyword', [items(batch)]));
	const peer = await activate(site, (path) => ownWait(site, path, calledItem));
	const jobs = jobsOf(executions, batch);
	if (batch > 0) await callWebhook(queue.webhookUrl, many.path, { job: jobs[executions]?.name });
	await Promise.all([
		startEach(queue.webhookUrl, single.path, executions, JOB),
		startEach(queue.webhookUrl, peer.path, peers),
	]);
	await untilAsleep(site, all, runs);
	report(`${all} executions asleep on ${runs} runs`);
	watch.mark('starting');

	const delivered = Date.now();
	const delivery = endRuns(sandbox, options.seconds * 1_000);
	if (options.trouble) await makeTrouble(site, report, options.isForgetful);
	await delivery;
	await sandbox.callbacksSettled();
	const retried = await untilOver(site, peer.workflow, options.trouble, report);
	report(`all over, ${retried.length} of them after a retry; load ${loadavg()[0]?.toFixed(1)}`);
	watch.mark('delivering');

	console.log(watch.table());
	for (const { workflow, what } of [
		{ workflow: single, what: 'executions' },
		{ workflow: many, what: 'the batch' },
		{ workflow: peer, what: 'the peers' },
	]) {
		const over = await whenOver(site, workflow.workflow, delivered);
		if (over !== undefined) console.log(`${what} ended after the first callback was sent: ${over}`);
	}
	console.log(`callbacks: ${await callbacksOf(sandbox, isOurs)}`);
	if (peers > 0) {
		console.log(`callbacks of the peers: ${await callbacksOf(sandbox, (url) => !isOurs(url))}`);
		const { workflowId } = peer.workflow;
		const asleep = await countByStatus(queue.postgres, `"workflowId" = '${workflowId}'`);
		console.log(`the peers in the end: ${shown(asleep)}`);
	}
	const { byOperation } = await sandbox.load();
	console.log(`requests to the service: ${JSON.stringify(byOperation)}`);
	const ended = (await sandbox.runs()).filter(
		({ input }) => !String(input.keyword).startsWith(PEER),
	);
	const held = (await readHistory(site.client)).filter(
		({ job, executionId }) => job !== undefined && !retried.includes(executionId),
	);
	const audit = closeAudit({
		...{ jobs, runs: ended, executions: held, outputs: await readOutputs(sandbox, ended) },
		// Nothing excuses an error here: what n8n ended was retried.
		...{ stops: [], outages: [], failures: { taskIds: new Set(), words: new Set() } },
		...{ ownWords: [], callbacks: [], polledKey: '' },
	});
	printAudit(audit);
	return audit.findings;
}

/** What the names of jobs begin with: the executions of one item, whose keyword is the name, and the batch after them. */
const JOB = 'job-';

/** What is started, for the audit: each item ends well. */
function jobsOf(executions: number, batch: number): CalledJob[] {
	const job = (index: number, kind: CalledJob['kind'], words: string[]): CalledJob => ({
		...{ name: `${JOB}${index}`, kind, at: Date.now(), isTaken: true },
		items: words.map((word) => ({ word, fails: false })),
	});
	const keywords = Array.from({ length: batch }, (_, index) => `w${index}`);
	return [
		...Array.from({ length: executions }, (_, index) => job(index, 'asleep', [`${JOB}${index}`])),
		...(batch > 0 ? [job(executions, 'batch', keywords)] : []),
	];
}

/** Whether a callback is for a node of this package, which has a secret for each item. */
function isOurs(url: string): boolean {
	return new URL(url).searchParams.has('nonce');
}

/** What the keywords of the peers' runs begin with. */
const PEER = 'peer ';

/** The keyword of a call as an item. */
const calledItem: NodeSketch = {
	name: 'Item',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		mode: 'raw',
		jsonOutput: `={{ { keyword: '${PEER}' + $json.body.keyword } }}`,
		options: {},
	},
};

function ours(
	{ credential }: Site,
	path: string,
	keyword: string,
	between: NodeSketch[] = [],
): WorkflowDefinition {
	const bot = botNode({ credential }, 'automatic', keyword);
	return workflowOf('Bot', [webhookNode(path), ...between, bot, next]);
}

/** A workflow that is started by calls. */
interface Called {
	workflow: StoredWorkflow;
	path: string;
}

async function activate(
	{ client }: Site,
	definition: (path: string) => WorkflowDefinition,
): Promise<Called> {
	const path = randomUUID();
	return { workflow: await client.publish(definition(path)), path };
}

/** Waits until all runs are started and nearly all executions sleep: n8n's wait timer resumes some again meanwhile. */
async function untilAsleep(
	{ queue, sandbox }: Site,
	executions: number,
	runs: number,
): Promise<void> {
	let seen = '';
	await waitUntil(
		async () => {
			const started = (await sandbox.runs()).length;
			const counts = await countByStatus(queue.postgres);
			seen = `${started} runs, ${shown(counts)}`;
			const isReady = started >= runs && (counts.get('waiting') ?? 0) >= executions * 0.99;
			return isReady || undefined;
		},
		{ timeout: 20 * MINUTE, interval: 250, describe: () => `Not all fell asleep: ${seen}` },
	);
}

/** Ends all runs, evenly within a time in milliseconds. */
async function endRuns(sandbox: Sandbox, within: number): Promise<void> {
	const runs = await sandbox.runs();
	const begun = Date.now();
	for (const [index, { taskId }] of runs.entries()) {
		const due = begun + (within * index) / runs.length;
		if (due > Date.now()) await sleep(due - Date.now());
		await sandbox.moveRun({ taskId, status: 'finished' });
	}
}

/**
 * Waits until no execution sleeps or is at work; a peer whose callback was not taken sleeps for ever. After
 * trouble, what n8n ended badly is retried, as a user would.
 *
 * @returns the IDs of executions that were retried
 */
async function untilOver(
	site: Site,
	{ workflowId: peerId }: StoredWorkflow,
	trouble: boolean,
	report: (what: string) => void,
): Promise<string[]> {
	const { queue, client, sandbox } = site;
	const retried = new Set<string>();
	const requested = new Map<string, number>();
	const runs = await sandbox.runs();
	let seen = '';
	const check = async (): Promise<true | undefined> => {
		const isLost = `"workflowId" = '${peerId}' AND status = 'waiting'`;
		const counts = await countByStatus(queue.postgres, `NOT (${isLost})`);
		const now = shown(counts);
		if (now !== seen) report(now);
		seen = now;
		const isOver = ['new', 'running', 'waiting'].every((status) => !counts.has(status));
		if (!isOver) return undefined;
		if (!trouble) return true;
		const rows = await queue.postgres.query(
			"SELECT id FROM execution_entity WHERE status NOT IN ('success', 'waiting')",
		);
		const ids = rows.map(([id = '']) => id).filter((id) => !retried.has(id));
		const failed = (await readExecutions(client, ids)).filter(
			(execution) =>
				isToRetry(execution, runs) && (requested.get(execution.executionId) ?? 0) < RETRY_REQUESTS,
		);
		for (const execution of failed) {
			const { executionId } = execution;
			report(`execution ${executionId} is ${describe(execution)}; it is retried`);
			requested.set(executionId, (requested.get(executionId) ?? 0) + 1);
			await client.retryExecution(executionId);
			retried.add(executionId);
		}
		return failed.length === 0 || undefined;
	};
	// n8n and its database may be out of reach for a while.
	await waitUntil(async () => await check().catch(() => undefined), {
		timeout: LATEST_CLOCK,
		interval: 1_000,
		describe: () => `Not all are over: ${seen}`,
	});
	return [...retried];
}

function shown(counts: ReadonlyMap<string, number>): string {
	return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** When half, nine tenths, 99 % and all executions of a workflow had ended, in words; undefined where none did. */
async function whenOver(
	{ queue }: Site,
	{ workflowId }: StoredWorkflow,
	since: number,
): Promise<string | undefined> {
	const rows = await queue.postgres.query(
		`SELECT extract(epoch FROM "stoppedAt") * 1000 FROM execution_entity
		WHERE status = 'success' AND "workflowId" = '${workflowId}' ORDER BY "stoppedAt"`,
	);
	if (rows.length === 0) return undefined;
	const times = rows.map(([at]) => (Number(at) - since) / 1_000);
	const part = (share: number): string => {
		const time = times[Math.max(0, Math.ceil(times.length * share) - 1)] ?? NaN;
		return `${(share * 100).toFixed(0)} % in ${time.toFixed(0)} s`;
	};
	const max = Math.ceil(times.length * 0.9);
	const rate = max / (times[max - 1] ?? NaN);
	return `${[0.5, 0.9, 0.99, 1].map(part).join(', ')}; ${rate.toFixed(1)} a second up to 90 %`;
}
