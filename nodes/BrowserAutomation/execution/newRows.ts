import { createHash } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { NewRows } from '../fields/output';
import { attempt } from '../service/attempt';
import { CanceledError, HelpfulError, InputError, messageOf } from '../service/errors';
import { inOrder, isJsonObject, type JsonObject } from '../service/json/json';
import { nameList } from '../service/schema/wording';
import { cancelSignalOf } from '../transport/cancellation';
import { continuesAfter, failureItems } from './failures';
import { hostOf, nodeContextOf } from './host';
import { withHints } from './hints';
import type { ItemResult, Row } from './executable';
import { runIndexOf } from './waiting/platform';

/**
 * For each node of a workflow n8n keeps hashes of what was processed, in its database at once, in test executions too (2.41.1 and
 * 1.123: n8n/dist/deduplication/deduplication-helper.js). Beyond this many the oldest are forgotten.
 */
export const HISTORY = { mode: 'entries', maxEntries: 100_000 } as const;

/**
 * The rows of a run as items to be compared with those of earlier executions.
 *
 * @throws HelpfulError where no row has any of the fields to compare
 */
export function toRows(
	rows: JsonObject[],
	taskId: string,
	{ compare, firstTime }: NewRows,
): ItemResult[] {
	const has = (row: JsonObject): boolean => compare.some((name) => Object.hasOwn(row, name));
	const [first] = rows;
	if (first !== undefined && compare.length > 0 && !rows.some(has)) {
		throw new HelpfulError(
			`No row of run ${taskId} has a field named ${nameList(compare)}`,
			`Change 'Only New Rows: Field Names or IDs'. There are ${nameList(Object.keys(first))}.`,
		);
	}
	return rows.map((json) => {
		const names = has(json) ? compare : Object.keys(json).sort();
		const identity = JSON.stringify(
			names.map((name) => [name, json[name]]),
			inOrder,
		);
		return { json, row: { identity, taskId, firstTime } };
	});
}

/** @throws InputError where n8n does not know the node again in a later execution */
export function checkHistory(context: IExecuteFunctions): void {
	if (hostOf(context).keepsHistory) return;
	throw new InputError(
		"'Only New or Changed Rows' has nothing to compare with here: n8n keeps nothing of this call",
		'Remove the option. Or use it in a workflow, which an agent may have as its tool.',
	);
}

/** What came of this round of the node so far. */
interface Round {
	/** Whether the rows were only remembered. */
	isForLater: boolean;
	/** The digests of the rows that were given. */
	given: string[];
}

/** The key of the latest round, and of its `runIndex`, in what the node stores with the execution. */
const ROUND = 'newRows';

/**
 * What came of this round before. n8n executes a node again within a round where it retries on failure, also after output whose
 * first item has a field `error` (2.41.1: `checkFailure` in n8n-core's workflow-execute.js).
 */
function keptRound(context: IExecuteFunctions): Round | undefined {
	const kept = nodeContextOf(context)[ROUND];
	const isOfRound = isJsonObject(kept) && kept.runIndex === runIndexOf(context);
	if (!isOfRound || !Array.isArray(kept.given)) return undefined;
	return { isForLater: kept.isForLater === true, given: kept.given.map(String) };
}

function keepRound(context: IExecuteFunctions, round: Round): void {
	if (context.getNode().retryOnFail !== true) return;
	nodeContextOf(context)[ROUND] = { ...round, runIndex: runIndexOf(context) };
}

function digestOf(identity: string): string {
	return createHash('sha256').update(identity).digest('base64url');
}

function isRow(value: unknown): value is Row {
	return isJsonObject(value) && typeof value.identity === 'string';
}

/**
 * Items without the rows that this node has given before this round of its execution. All are remembered from here on, so
 * nothing of the node may fail afterwards. A run's files, which its first row has, go on with the first one that stays.
 *
 * @throws HelpfulError where n8n cannot compare them, unless the node goes on after failures; it names their runs. CanceledError, before anything is remembered
 */
export async function onlyNewRows(
	context: IExecuteFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const rows = items.flatMap(({ row }) => (isRow(row) ? row : []));
	const [first] = rows;
	if (first === undefined) return items;
	if (cancelSignalOf(context)?.aborted) throw new CanceledError();
	checkHistory(context);
	const compared = await attempt(async () => {
		const known = await context.helpers.getProcessedDataCount('node', HISTORY);
		const identities = [...new Set(rows.map(({ identity }) => identity))];
		const checked = await context.helpers.checkProcessedAndRecord(identities, 'node', HISTORY);
		return { fresh: checked.new, isFirstTime: known === 0 };
	});
	if (!compared.ok) {
		const taskIds = [...new Set(rows.map(({ taskId }) => taskId))];
		const failure = new HelpfulError(
			`n8n could not compare the rows with earlier ones: ${messageOf(compared.error)}`,
			`Nothing is lost: Run > Get reads the rows again. Their runs: ${nameList(taskIds)}.`,
			undefined,
			{ task_ids: taskIds },
		);
		if (!continuesAfter(context, failure)) throw failure;
		return failureItems(context, failure);
	}
	const { fresh, isFirstTime } = compared.value;
	const before = keptRound(context);
	const isForLater = before?.isForLater ?? (isFirstTime && first.firstTime === 'none');
	const given = isForLater ? [] : [...(before?.given ?? []), ...fresh.map(String).map(digestOf)];
	keepRound(context, { isForLater, given });
	const due = new Set(given);
	const kept = items.flatMap(({ row, ...item }, index) => {
		if (!isRow(row) || due.delete(digestOf(row.identity))) return item;
		const next = items[index + 1];
		const isOfSameRun = isRow(next?.row) && next.row.taskId === row.taskId;
		if (isOfSameRun && item.binary !== undefined) next.binary = item.binary;
		return [];
	});
	if (kept.length > 0) return kept;
	const noRows = isForLater
		? `Remembered ${rows.length} rows. From the next execution on, only new or changed rows are output.`
		: `None of the ${rows.length} rows is new or changed since the last execution, tests included.`;
	return withHints(context, [], { noRows }).map((hint) => ({ ...hint }));
}
