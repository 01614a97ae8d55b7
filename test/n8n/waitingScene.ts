import type { INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { callWebhook } from '../../dev/n8n/callWebhook';
import type { N8nClient } from '../../dev/n8n/client';
import type { Execution } from '../../dev/n8n/execution';
import { isRecord } from '../../dev/n8n/json';
import type { N8nVersion } from '../../dev/n8n/versions';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import { inGroups } from '../fixture/parameters';
import {
	manualTrigger,
	openWorkbench,
	PATIENCE,
	runBot,
	until,
	webhookNode,
	type BenchOptions,
	type Workbench,
} from './workbench';

/** An n8n to try waiting in. Many scenes are played in it at the same time. */
export interface WaitingSetup {
	version: N8nVersion;
	client: N8nClient;
	/** Where its webhooks are called. */
	webhookUrl: string;
}

/** One execution or a few, with a service of their own whose runs go on until they are moved. */
export interface Scene extends Workbench {
	setup: WaitingSetup;
}

/** Something that waiting is to get right in every n8n, or in those versions. */
export interface WaitingCase {
	title: string;
	versions?: readonly N8nVersion[];
	act(scene: Scene): Promise<void>;
}

export function waitingCase(
	title: string,
	act: WaitingCase['act'],
	versions?: readonly N8nVersion[],
): WaitingCase {
	return { title, act, ...(versions && { versions }) };
}

const caseLimit = 420_000;

/** A service's public address, which n8n reaches by its proxy only. */
export const PUBLIC_SERVICE = 'http://service.example.com';

export async function openScene(setup: WaitingSetup, options: BenchOptions = {}): Promise<Scene> {
	const durations = { created: 0, running: null };
	const bench = await openWorkbench(setup.client, { durations, ...options });
	return { ...bench, setup };
}

/** Makes each case a test; all of them run at the same time. */
export function testCases(
	version: N8nVersion,
	cases: readonly WaitingCase[],
	connect: () => WaitingSetup,
): void {
	const fitting = cases.filter(({ versions }) => versions?.includes(version) ?? true);
	it.concurrent.each(fitting)(
		'$title',
		async ({ act }) => {
			const scene = await openScene(connect());
			try {
				await act(scene);
			} finally {
				await scene.close();
			}
		},
		caseLimit,
	);
}

/** Who begins an execution: a person in the editor, or a call of an active workflow. */
export const BEGINNINGS = ['in the editor', 'in an active workflow'] as const;

export type Beginning = (typeof BEGINNINGS)[number];

/**
 * Begins an execution of nodes in a line (their trigger comes with it), or of a whole workflow that
 * begins with `manualTrigger`. A call that n8n is too busy to take is made again, as a caller would.
 *
 * @returns its ID
 */
export async function begin(
	{ setup: { client, webhookUrl } }: Scene,
	nodes: NodeSketch[] | WorkflowDefinition,
	beginning: Beginning = 'in the editor',
): Promise<string> {
	const definition = Array.isArray(nodes)
		? workflowOf('Waiting', [manualTrigger, ...nodes])
		: nodes;
	if (beginning === 'in the editor') {
		const workflow = await client.createWorkflow(definition);
		return (await client.runManually(workflow, { trigger: manualTrigger.name })) ?? '';
	}
	const path = randomUUID();
	const hook = { ...webhookNode(path, {}, manualTrigger.name), position: [0, 0] };
	const workflow = await client.createWorkflow({
		...definition,
		nodes: [hook, ...definition.nodes.slice(1)],
	});
	await client.activate(workflow);
	let call = 'not made';
	const begun = async (): Promise<string | undefined> => {
		const [execution] = await client.executions(workflow);
		if (execution !== undefined || call === 'taken') return execution?.executionId;
		call = await callWebhook(webhookUrl, path).then(() => 'taken', String);
		return undefined;
	};
	const describe = (): string => `n8n began no execution; the call was ${call}`;
	return await waitUntil(begun, { timeout: PATIENCE, describe });
}

/** Waits until an execution is asleep, and not only until n8n has stored what it is going to start. */
export async function asleep(client: N8nClient, executionId: string): Promise<string> {
	const execution = await client.waitForExecution(executionId, {
		until: (found) => found.isOver || (found.status === 'waiting' && !isBeforeStarts(found)),
		timeout: PATIENCE,
	});
	if (execution.status !== 'waiting') {
		throw new Error(`The execution is ${execution.status}: ${execution.failure?.message}`);
	}
	return executionId;
}

/** Whether n8n carries the execution on at once, to start runs; whatever version of the package it is of. */
function isBeforeStarts({ data: { executionData } }: Execution): boolean {
	const contexts = isRecord(executionData) ? executionData.contextData : undefined;
	return recordsIn(contexts)
		.flatMap(recordsIn)
		.some(({ waveEnd, queuedAt, entries }) => {
			const isWave = waveEnd !== undefined && queuedAt === undefined;
			return isWave && recordsIn(entries).some(({ request }) => request !== undefined);
		});
}

function recordsIn(value: unknown): Array<Record<string, unknown>> {
	return typeof value === 'object' && value !== null ? Object.values(value).filter(isRecord) : [];
}

/** Begins an execution and waits until it sleeps. */
export async function fallAsleep(
	scene: Scene,
	nodes: NodeSketch[] | WorkflowDefinition,
	beginning?: Beginning,
): Promise<string> {
	return await asleep(scene.client, await begin(scene, nodes, beginning));
}

/** Waits until an execution is over. */
export async function ending(
	{ client }: Workbench,
	executionId: string,
	timeout = PATIENCE,
): Promise<Execution> {
	return await client.waitForExecution(executionId, { timeout });
}

/** Retries a failed execution as a user does, and waits until the new one is over. */
export async function retry(bench: Workbench, executionId: string): Promise<Execution> {
	return await ending(bench, await bench.client.retryExecution(executionId));
}

const word = 'keyword';

/** Items `{ keyword }`, one for each word. */
export function words(...given: string[]): NodeSketch {
	return {
		name: 'Words',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return ${JSON.stringify(given)}.map((${word}) => ({ json: { ${word} } }));`,
		},
	};
}

/** What follows the bot: says to which word each item belongs. */
export const after: NodeSketch = {
	name: 'After',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: {
			assignments: [
				{ id: '1', name: 'of', type: 'string', value: "={{ $('Words').item.json.keyword }}" },
			],
		},
		includeOtherFields: true,
		options: {},
	},
};

/** Runs the Product Scraper for the item's word, and sleeps. */
export function scrapeEach(options: INodeParameters = {}, further = {}) {
	return runBot('1001', {
		inputMode: 'json',
		input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
		...inGroups(options),
		...further,
	});
}

/**
 * n8n 1 is asked to check by its wait timer every quarter of an hour only, because it resumes executions
 * without checking that they still sleep. There the wait limit stands in for the first check.
 */
export function firstCheck({ setup }: Scene): { options: INodeParameters; within: number } {
	return setup.version === '1.123'
		? { options: { waitLimit: 0.03 }, within: 200_000 }
		: { options: {}, within: 100_000 };
}

/** Waits until the run for a word was started, and is not over. */
export async function openRun({ sandbox }: Workbench, keyword: string): Promise<string> {
	const { taskId } = await until(
		async () =>
			(await sandbox.runs()).find(
				(run) => run.input.keyword === keyword && run.finishedAt === null,
			),
		`a run for ${keyword}`,
	);
	return taskId;
}

/** Ends the runs of these words, in this order. */
export async function finish(bench: Workbench, ...given: string[]): Promise<void> {
	for (const keyword of given) {
		const taskId = await openRun(bench, keyword);
		await bench.sandbox.moveRun({ taskId, status: 'finished' });
	}
}

/** How many runs were started, also those that do not exist any more. */
export async function starts({ sandbox }: Workbench): Promise<number> {
	const sent = await sandbox.requests({ method: 'POST', path: '/runs$|/run-task$' });
	return sent.filter(({ status }) => status === 200).length;
}

/** Requests by which the node finds out how runs are, as regular expression on the path. */
export const CHECKS = '/status$|^/v3/bots/runs$|get-task|list-tasks';

/** When the node is polled once more after it went to sleep, at the earliest, in milliseconds. */
const CHECK_AGAIN_AFTER = 2_000;

/** Waits until the runs were polled once more after the node fell asleep, so that it sees nothing that happens from now on. */
export async function untilCheckedAgain({ sandbox }: Workbench): Promise<void> {
	const asleepAt = Date.now();
	await until(async () => {
		const checks = await sandbox.requests({ path: CHECKS });
		return checks.some(({ at, status }) => at > asleepAt + CHECK_AGAIN_AFTER && status === 200);
	}, 'another poll');
}

/** The results arrived, in order and paired, by one run of each node. */
export function expectResults(execution: Execution, ...of: string[]): void {
	expect(execution.failure?.message).toBeUndefined();
	expect(execution.json('After').map((item) => item.of)).toEqual(of);
	expect(execution.json('After').map(({ status }) => status)).toEqual(of.map(() => 'finished'));
	expect(execution.runs('After')).toHaveLength(1);
}
