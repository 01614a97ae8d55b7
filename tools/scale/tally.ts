import { parse } from 'flatted';

import { isRecord } from '../../dev/n8n/json';
import type { Postgres } from '../../dev/n8n/services';
import type { Sandbox } from '../../dev/sandbox/server';
import { next } from '../bench/rows/waiting/workflows';

/** How an execution ended, and what came out of it. */
export interface Outcome {
	executionId: string;
	workflowId: string;
	status: string;
	/** The keyword that it was called with; undefined when its items have keywords of their own. */
	keyword: string | undefined;
	/** The run IDs among the results, in their order; one list for each time that the node after ours ran. */
	results: string[][];
	/** When it ended, as n8n noted it. */
	stoppedAt: string;
	/** What n8n keeps of the execution, as text. */
	data: string;
	/** The message of the error that ended it; empty when none did. */
	error: string;
}

/** How many executions have each status, of all or of those for which an SQL condition is true. */
export async function countByStatus(
	postgres: Postgres,
	condition = 'true',
): Promise<Map<string, number>> {
	const rows = await postgres.query(
		`SELECT status, count(*) FROM execution_entity WHERE ${condition} GROUP BY status ORDER BY status`,
	);
	return new Map(rows.map(([status = '', count]) => [status, Number(count)]));
}

/** All executions with what came out of them. */
export async function readOutcomes(postgres: Pick<Postgres, 'query'>): Promise<Outcome[]> {
	const ids = await postgres.query('SELECT id FROM execution_entity ORDER BY id');
	const outcomes: Outcome[] = [];
	const step = 200;
	for (let from = 0; from < ids.length; from += step) {
		const part = ids.slice(from, from + step).map(([id]) => id);
		const rows = await postgres.query(
			`SELECT e.id, e."workflowId", e.status, e."stoppedAt", d.data FROM execution_entity e
			JOIN execution_data d ON d."executionId" = e.id WHERE e.id IN (${part.join(',')})`,
		);
		for (const [
			executionId = '',
			workflowId = '',
			status = '',
			stoppedAt = '',
			data = '',
		] of rows) {
			const resultData = resultDataOf(data);
			const [called] = runsOf(CALL, resultData).flatMap(itemsOf);
			const { error } = resultData;
			outcomes.push({
				executionId,
				workflowId,
				status,
				stoppedAt,
				keyword: isRecord(called?.body) ? keywordOf(called.body) : undefined,
				// The run IDs that the node after ours was given.
				results: runsOf(next.name, resultData).map((run) =>
					itemsOf(run).map(({ task_id: taskId }) => String(taskId)),
				),
				data,
				error: isRecord(error) ? String(error.message) : '',
			});
		}
	}
	return outcomes;
}

/** The node that is called from outside. */
const CALL = 'Webhook';

/** What came of an execution, of what n8n keeps of it. */
function resultDataOf(data: string): Record<string, unknown> {
	const content: unknown = parse(data);
	const resultData = isRecord(content) ? content.resultData : undefined;
	return isRecord(resultData) ? resultData : {};
}

/** The runs of a node of an execution. */
function runsOf(node: string, { runData }: Record<string, unknown>): unknown[] {
	const runs: unknown = isRecord(runData) ? runData[node] : undefined;
	return Array.isArray(runs) ? runs : [];
}

/** The JSON of the items that a run of a node gave. */
function itemsOf(run: unknown): Array<Record<string, unknown>> {
	const data = isRecord(run) ? run.data : undefined;
	const outputs: unknown = isRecord(data) ? data.main : undefined;
	const items: unknown[] = Array.isArray(outputs) ? outputs.flat() : [];
	return items.map((item) => (isRecord(item) && isRecord(item.json) ? item.json : {}));
}

function keywordOf({ keyword }: Record<string, unknown>): string | undefined {
	return typeof keyword === 'string' ? keyword : undefined;
}

/** A run of the service. */
interface Run {
	taskId: string;
	input: Record<string, unknown>;
}

/** How an execution ended, how many runs its data name, and with what error. */
export function describe(
	{ status, stoppedAt, data, error }: Outcome,
	runs: readonly Run[],
): string {
	const named = runs.filter(({ taskId }) => data.includes(`"${taskId}"`)).length;
	return `${status} since ${stoppedAt} and names ${named} runs${error && ` (${error})`}`;
}

/**
 * Whether n8n has ended an execution badly, so that a user would retry it. An error that tells of a run is
 * the node's own: here the service finishes every run, and nothing heals it.
 */
export function isToRetry({ status, error }: Outcome, runs: readonly Run[]): boolean {
	const isOver = status === 'success' || status === 'waiting';
	return !isOver && !runs.some(({ taskId }) => error.includes(taskId));
}

/** How many callbacks to some addresses were sent and accepted, and what n8n answered, in words. */
export async function callbacksOf(
	sandbox: Sandbox,
	isMeant: (url: string) => boolean = () => true,
): Promise<string> {
	const records = (await sandbox.callbacks()).filter(({ url }) => isMeant(url));
	const answers = new Map<string, number>();
	for (const { status, error } of records.flatMap(({ attempts }) => attempts)) {
		const answer = String(status ?? error);
		answers.set(answer, (answers.get(answer) ?? 0) + 1);
	}
	const accepted = records.filter(({ outcome }) => outcome === 'accepted').length;
	const shown = [...answers].map(([answer, count]) => `${answer}: ${count}`).join(', ');
	return `${records.length}, accepted ${accepted}; answers ${shown}`;
}

/** What is not as it should be; nothing if all is. */
export function faultsOf(
	outcomes: Outcome[],
	runs: readonly Run[],
	expected: { starts: number; started: number; batchWorkflowId: string; retried: string[] },
): string[] {
	const faults: string[] = [];
	const { starts, started, batchWorkflowId } = expected;
	if (started !== starts) faults.push(`${started} starts for ${starts} items`);
	const over = outcomes.filter(({ executionId }) => !expected.retried.includes(executionId));
	for (const outcome of over) {
		const { executionId, status, results } = outcome;
		if (status !== 'success') faults.push(`execution ${executionId} is ${describe(outcome, runs)}`);
		else if (results.length !== 1) {
			faults.push(`execution ${executionId} went on ${results.length} times`);
		}
	}
	const times = new Map(runs.map(({ taskId }) => [taskId, 0]));
	for (const taskId of over.flatMap(({ results }) => results.flat())) {
		times.set(taskId, (times.get(taskId) ?? 0) + 1);
	}
	const lost = [...times].filter(([, count]) => count === 0).map(([taskId]) => taskId);
	const doubled = [...times].filter(([, count]) => count > 1).map(([taskId]) => taskId);
	if (lost.length > 0) faults.push(`no result of ${lost.length} runs: ${sample(lost)}`);
	if (doubled.length > 0)
		faults.push(`several results of ${doubled.length} runs: ${sample(doubled)}`);
	const keywords = new Map(runs.map(({ taskId, input }) => [taskId, input.keyword]));
	for (const { executionId, workflowId, results, keyword } of over) {
		const ofOthers = results.flat().filter((taskId) => keywords.get(taskId) !== keyword);
		if (keyword !== undefined && ofOthers.length > 0) {
			faults.push(`execution ${executionId} has results of another: ${sample(ofOthers)}`);
		}
		const inOrder = results.every((ids) =>
			ids.every((taskId, index) => keywords.get(taskId) === `w${index}`),
		);
		if (workflowId === batchWorkflowId && !inOrder) {
			faults.push(`execution ${executionId} has results in another order than its items`);
		}
	}
	return faults;
}

function sample(taskIds: string[]): string {
	return taskIds.slice(0, 5).join(', ') + (taskIds.length > 5 ? ', ...' : '');
}
