import type { N8nClient } from '../../dev/n8n/client';
import { Execution, isOver, readSummary, type NodeRun } from '../../dev/n8n/execution';
import { isRecord } from '../../dev/n8n/json';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { mapConcurrently } from '../../nodes/BrowserAutomation/service/concurrency';
import { NODES, type Workflows } from './workflows';

/** An event that a trigger gave. */
export interface GivenEvent {
	trigger: 'notified' | 'own' | 'polling';
	taskId: string;
}

/** An item that came out of the node. */
export interface Result {
	taskId: string;
	/** Position of the input item that it came from, as n8n knows it. */
	item: number | undefined;
	/** What the run put out, as JSON; undefined when the item does not say. */
	output: string | undefined;
	/** How many files it holds. */
	files: number;
}

/** What the audit needs of an execution. */
export interface ExecutionFacts {
	executionId: string;
	status: string;
	/** How it was started: webhook, trigger, retry, ... */
	mode: string;
	/** When n8n stored it for the first time, in epoch milliseconds. */
	createdAt: number | undefined;
	/** Epoch milliseconds; undefined when it never began. After a stop n8n may carry out what it had created before. */
	startedAt: number | undefined;
	/** The job that it carries out; undefined when a trigger began it. */
	job: string | undefined;
	/** When it ended, in epoch milliseconds; undefined when it has not. */
	stoppedAt: number | undefined;
	/** The execution that it tries again. */
	retryOf: string | undefined;
	/** The results, in the order of the output. */
	results: Result[];
	/** Items that left by the error output, or the error that ended the execution: what a user reads. */
	errors: string[];
	/** The runs that outputs and errors name. */
	named: Set<string>;
	/** The runs that stand anywhere in what n8n keeps. */
	kept: Set<string>;
	events: GivenEvent[];
	/** How often the node is in what n8n keeps: once, however often it was resumed. */
	rounds: number;
}

/** How long n8n may be too busy, in milliseconds. */
const PATIENCE = 300_000;

const AT_ONCE = 4;

/**
 * Reads all executions by their IDs, which count up from 1. n8n's own list is in the order of their beginnings, and its
 * next page goes by the last ID: an execution that did not begin in the order of IDs, e.g. one that a stop had
 * kept from beginning, is there twice, or keeps others from being there (2.41: `findManyByRangeQuery`).
 *
 * @param workflows whose triggers give events, where some do
 */
export async function readHistory(client: Pick<N8nClient, 'request'>, workflows?: Workflows) {
	const answer = await request(client, '/executions?limit=100');
	const latest: unknown[] = isRecord(answer) && Array.isArray(answer.results) ? answer.results : [];
	const newest = Math.max(0, ...latest.map((entry) => Number(readSummary(entry).executionId)));
	const ids = Array.from({ length: newest }, (_, index) => String(index + 1));
	return await readExecutions(client, ids, workflows);
}

/** Reads executions; those that are gone are left out. */
export async function readExecutions(
	client: Pick<N8nClient, 'request'>,
	ids: readonly string[],
	workflows?: Workflows,
): Promise<ExecutionFacts[]> {
	const answers = await mapConcurrently(ids, AT_ONCE, async (id) => {
		const execution = await request(client, `/executions/${id}`);
		return isRecord(execution) && 'id' in execution ? [factsOf(execution, workflows)] : [];
	});
	return answers.flat();
}

/** Asks n8n, also while it is too busy to answer: it refuses when its database is slow. */
async function request(client: Pick<N8nClient, 'request'>, address: string): Promise<unknown> {
	return await waitUntil(async () => await client.request('GET', address).catch(() => undefined), {
		timeout: PATIENCE,
		interval: 1_000,
		describe: () => `n8n does not answer ${address}`,
	});
}

function factsOf(answer: unknown, workflows: Workflows | undefined): ExecutionFacts {
	const execution = new Execution(answer);
	const { executionId, status, mode, workflowId } = execution;
	const all = JSON.stringify(execution.data);
	const suffix = execution.runs(`${NODES.hook} 2`).length > 0 ? ' 2' : '';
	const bot = `${NODES.bot}${suffix}`;
	const shown = [NODES.start, bot].flatMap((node) =>
		execution
			.runs(node)
			.flatMap(({ outputs, failure }) => [
				...outputs.flat().map(({ json }) => JSON.stringify(json)),
				...(failure === undefined ? [] : [`${failure.message} ${failure.description}`]),
			]),
	);
	const { failure } = execution;
	const failed = failure === undefined ? [] : [`${failure.message} ${failure.description ?? ''}`];
	const isAsleep = !isOver(status);
	const results = isAsleep ? [] : execution.items(bot);
	return {
		executionId,
		status,
		mode,
		createdAt: momentOf(answer, 'createdAt'),
		startedAt: momentOf(answer, 'startedAt') ?? momentOf(answer, 'createdAt'),
		stoppedAt: momentOf(answer, 'stoppedAt'),
		retryOf: retriedBy(answer),
		job: /job-\d+/.exec(all)?.[0],
		results: results.map(({ json, binary, pairedItem }) => ({
			taskId: String(json.task_id),
			item: pairedItem,
			output: 'output' in json && json.output !== null ? JSON.stringify(json.output) : undefined,
			files: Object.keys(binary).length,
		})),
		errors: [...execution.json(bot, 1).map((json) => JSON.stringify(json)), ...failed],
		named: runsIn([...shown, ...failed].join('\n')),
		kept: runsIn(all),
		events: workflows === undefined ? [] : eventsOf(execution, workflowId, workflows),
		rounds: execution.runs(bot).filter((run) => !isRecovered(run)).length,
	};
}

/**
 * Whether n8n has put this in place of what a node gave: its log had the node's end when n8n died, its database had not. It stays
 * in a retry (n8n 2.41 execution-recovery.service.js).
 */
function isRecovered({ outputs }: NodeRun): boolean {
	return outputs.flat().some(({ json }) => json['isArtificialRecoveredEventItem'] === true);
}

function momentOf(answer: unknown, field: string): number | undefined {
	const moment = isRecord(answer) ? answer[field] : undefined;
	return typeof moment === 'string' ? Date.parse(moment) : undefined;
}

function retriedBy(answer: unknown): string | undefined {
	const original = isRecord(answer) ? answer.retryOf : undefined;
	return original === undefined || original === null ? undefined : String(original);
}

function runsIn(text: string): Set<string> {
	return new Set(text.match(/\b91\d{17}\b/g));
}

function eventsOf(
	execution: Execution,
	workflowId: string,
	{ own, notified, polling }: Workflows,
): GivenEvent[] {
	const trigger = new Map<string, GivenEvent['trigger']>([
		[own.workflowId, 'own'],
		[notified.workflowId, 'notified'],
		[polling.workflowId, 'polling'],
	]).get(workflowId);
	if (trigger === undefined) return [];
	return execution.json(NODES.trigger).map(({ task_id }) => ({ trigger, taskId: String(task_id) }));
}
