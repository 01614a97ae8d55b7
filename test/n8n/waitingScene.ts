import type { INodeParameters } from 'n8n-workflow';
import { randomUUID } from 'node:crypto';
import { callWebhook } from '../../dev/n8n/callWebhook';
import type { N8nClient } from '../../dev/n8n/client';
import type { Execution } from '../../dev/n8n/execution';
import { isRecord } from '../../dev/n8n/json';
import type { N8nVersion } from '../../dev/n8n/versions';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../dev/n8n/workflow';
import type { SandboxRun } from '../../dev/sandbox/control';
import { inGroups } from '../fixture/parameters';
import {
	manualTrigger,
	openWorkbench,
	PATIENCE,
	runBot,
	until,
	webhookNode,
	Workbench,
	type BenchOptions,
} from './workbench';

/** An n8n to try waiting in. Many scenes are played in it at the same time. */
export interface WaitingSetup {
	version: N8nVersion;
	client: N8nClient;
	/** Where its webhooks are called. */
	webhookUrl: string;
}

/** What waiting is to get right, by what it does. */
export type Cases = Readonly<Record<string, (scene: Scene) => Promise<void>>>;

const caseLimit = 600_000;

/** Who begins an execution: a person in the editor, or a call of an active workflow. */
export const BEGINNINGS = ['in the editor', 'in an active workflow'] as const;

export type Beginning = (typeof BEGINNINGS)[number];

/** One execution or a few, with a service of their own whose runs go on until they are moved. */
export class Scene extends Workbench {
	constructor(
		readonly setup: WaitingSetup,
		{ client, sandbox, credential }: Workbench,
	) {
		super(client, sandbox, credential);
	}

	/** Nodes in a line that run the Product Scraper for each word. */
	scrapes(given: readonly string[], parameters: object = scrapeEach()): NodeSketch[] {
		return [...words(...given), this.botNode(parameters), after];
	}

	/**
	 * Begins an execution of nodes in a line (their trigger comes with it), or of a whole workflow that
	 * begins with `manualTrigger`. A call that n8n is too busy to take is made again, as a caller would.
	 *
	 * @returns its ID
	 */
	async begin(
		nodes: NodeSketch[] | WorkflowDefinition,
		beginning: Beginning = 'in the editor',
	): Promise<string> {
		const { client } = this;
		const definition = Array.isArray(nodes)
			? workflowOf('Waiting', [manualTrigger, ...nodes])
			: nodes;
		if (beginning === 'in the editor') {
			const workflow = await client.createWorkflow(definition);
			return (await client.runManually(workflow, { trigger: manualTrigger.name })) ?? '';
		}
		const path = randomUUID();
		const hook = { ...webhookNode(path, {}, manualTrigger.name), position: [0, 0] };
		const called = { ...definition, nodes: [hook, ...definition.nodes.slice(1)] };
		const workflow = await client.publish(called);
		let call = 'not made';
		const begun = async (): Promise<string | undefined> => {
			const [execution] = await client.executions(workflow);
			if (execution !== undefined || call === 'taken') return execution?.executionId;
			call = await callWebhook(this.setup.webhookUrl, path).then(() => 'taken', String);
			return undefined;
		};
		const describe = (): string => `n8n began no execution; the call was ${call}`;
		return await waitUntil(begun, { timeout: PATIENCE, describe });
	}

	/** Waits until an execution is asleep, and not only until n8n has stored what it is going to start. */
	async asleep(executionId: string): Promise<string> {
		const execution = await this.client.waitForExecution(executionId, {
			until: (found) => found.isOver || (found.status === 'waiting' && !isBeforeStarts(found)),
			timeout: PATIENCE,
		});
		if (execution.status === 'waiting') return executionId;
		throw new Error(`The execution is ${execution.status}: ${execution.failure?.message}`);
	}

	/** Waits until an execution is over, or sleeps at this node, if only until n8n starts runs. */
	async untilAt(node: string, executionId: string): Promise<void> {
		const until = (execution: Execution): boolean =>
			execution.isOver ||
			(execution.status === 'waiting' && execution.runs(node).at(-1)?.status === 'waiting');
		await this.client.waitForExecution(executionId, { until, timeout: PATIENCE });
	}

	async fallAsleep(...given: Parameters<Scene['begin']>): Promise<string> {
		return await this.asleep(await this.begin(...given));
	}

	async ending(executionId: string, timeout = PATIENCE): Promise<Execution> {
		return await this.client.waitForExecution(executionId, { timeout });
	}

	/** Retries a failed execution as a user does, and waits until the new one is over. */
	async retry(executionId: string): Promise<Execution> {
		return await this.ending(await this.client.retryExecution(executionId));
	}

	/** Waits until the run for a word was started, and is not over. */
	async openRun(keyword: string): Promise<string> {
		const isOpen = ({ input, finishedAt }: SandboxRun): boolean =>
			input.keyword === keyword && finishedAt === null;
		const find = async () => (await this.sandbox.runs()).find(isOpen);
		return (await until(find, `a run for ${keyword}`)).taskId;
	}

	/** Ends the runs of these words, in this order. */
	async finish(...given: string[]): Promise<void> {
		for (const keyword of given) {
			await this.sandbox.moveRun({ taskId: await this.openRun(keyword), status: 'finished' });
		}
	}

	/** How many runs were started, also those that do not exist any more. */
	async starts(): Promise<number> {
		const sent = await this.sandbox.requests({ method: 'POST', path: '/runs$|/run-task$' });
		return sent.filter(({ status }) => status === 200).length;
	}

	/** Waits until the runs were polled once more after the node fell asleep, so that it sees nothing that happens from now on. */
	async untilCheckedAgain(): Promise<void> {
		const asleepAt = Date.now();
		await until(async () => {
			const checks = await this.sandbox.requests({ path: CHECKS });
			return checks.some(({ at, status }) => at > asleepAt + CHECK_AGAIN_AFTER && status === 200);
		}, 'another poll');
	}
}

export async function openScene(setup: WaitingSetup, options: BenchOptions = {}): Promise<Scene> {
	const durations = { created: 0, running: null };
	return new Scene(setup, await openWorkbench(setup.client, { durations, ...options }));
}

export async function inScene(
	setup: WaitingSetup,
	act: (scene: Scene) => Promise<void>,
	options: BenchOptions = {},
): Promise<void> {
	const scene = await openScene(setup, options);
	await act(scene).finally(async () => await scene.close());
}

/** Makes each case a test; all of them run at the same time. */
export function testCases(cases: Cases, connect: () => WaitingSetup): void {
	it.concurrent.each(Object.entries(cases))(
		'%s',
		async (_, act) => await inScene(connect(), act),
		caseLimit,
	);
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

/** Items `{ keyword }`, one for each word. */
export function words(...given: string[]): NodeSketch[] {
	const list = { mode: 'raw', jsonOutput: JSON.stringify({ keyword: given }), options: {} };
	const each = { fieldToSplitOut: 'keyword', options: {} };
	return [
		{ name: 'List', type: 'n8n-nodes-base.set', typeVersion: 3.4, parameters: list },
		{ name: 'Words', type: 'n8n-nodes-base.splitOut', parameters: each },
	];
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

/** Requests by which the node finds out how runs are, as regular expression on the path. */
export const CHECKS = '/status$|^/v3/bots/runs$|get-task|list-tasks';

/** When the node is polled once more after it went to sleep, at the earliest, in milliseconds. */
const CHECK_AGAIN_AFTER = 2_000;

/** The results arrived, in order and paired, by one run of each node. */
export function expectResults(execution: Execution, ...of: string[]): void {
	expect([execution.status, execution.failure?.message]).toEqual(['success', undefined]);
	expect(execution.json('After').map((item) => item.of)).toEqual(of);
	expect(execution.json('After').map(({ status }) => status)).toEqual(of.map(() => 'finished'));
	expect(execution.runs('After')).toHaveLength(1);
}
