import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { NewRows } from '../fields/output';
import { attempt } from '../service/attempt';
import { CanceledError, HelpfulError, InputError, messageOf } from '../service/errors';
import { inOrder, type JsonObject } from '../service/json/json';
import { nameList } from '../service/schema/wording';
import { cancelSignalOf } from '../transport/cancellation';
import { continuesAfter, failureItems } from './failures';
import { hostOf } from './host';
import { withHints } from './hints';
import type { ItemResult } from './executable';

/**
 * For each node of a workflow n8n keeps hashes of what was processed, in its database at once, in test executions too (2.41.1 and
 * 1.123: n8n/dist/deduplication/deduplication-helper.js). Beyond this many the oldest are forgotten.
 */
export const HISTORY = { mode: 'entries', maxEntries: 100_000 } as const;

/** What is known of items that are rows; `identity` is the same for rows that count as the same. */
const rowsByJson = new WeakMap<
	object,
	{ identity: string; taskId: string; firstTime: NewRows['firstTime'] }
>();

/**
 * Records that a run's results are rows, to be compared with those of earlier executions.
 *
 * @param results of which the first may have more in it than the row
 * @throws HelpfulError where no row has any of the fields to compare
 */
export function recordRows(
	rows: JsonObject[],
	results: ItemResult[],
	taskId: string,
	{ compare, firstTime }: NewRows,
): void {
	const has = (row: JsonObject): boolean => compare.some((name) => Object.hasOwn(row, name));
	const [first] = rows;
	if (first !== undefined && compare.length > 0 && !rows.some(has)) {
		throw new HelpfulError(
			`No row of run ${taskId} has a field named ${nameList(compare)}`,
			`Change 'Only New Rows: Field Names or IDs'. There are ${nameList(Object.keys(first))}.`,
		);
	}
	for (const [index, row] of rows.entries()) {
		const names = has(row) ? compare : Object.keys(row).sort();
		const identity = JSON.stringify(
			names.map((name) => [name, row[name]]),
			inOrder,
		);
		const json = results[index]?.json;
		if (json !== undefined) rowsByJson.set(json, { identity, taskId, firstTime });
	}
}

/** JSON that counts as the same row as another, if that is one. */
export function asSameRow(json: JsonObject, other: JsonObject): JsonObject {
	const row = rowsByJson.get(other);
	if (row !== undefined) rowsByJson.set(json, row);
	return json;
}

/** @throws InputError where n8n does not know the node again in a later execution */
export function checkHistory(context: IExecuteFunctions): void {
	if (hostOf(context).keepsHistory) return;
	throw new InputError(
		"'Only New or Changed Rows' has nothing to compare with here: n8n keeps nothing of this call",
		'Remove the option. Or use it in a workflow, which an agent may have as its tool.',
	);
}

/**
 * Items without the rows that this node has given before. All are remembered from here on, so nothing of the node may fail
 * afterwards. A run's files, which its first row has, go on with the first one that stays.
 *
 * @throws HelpfulError where n8n cannot compare them, unless the node goes on after failures; it names their runs. CanceledError, before anything is remembered
 */
export async function onlyNewRows(context: IExecuteFunctions, items: INodeExecutionData[]) {
	const rows = items.flatMap(({ json }) => rowsByJson.get(json) ?? []);
	const [first] = rows;
	if (first === undefined) return items;
	if (cancelSignalOf(context)?.aborted) throw new CanceledError();
	checkHistory(context);
	const compared = await attempt(async () => {
		const known = await context.helpers.getProcessedDataCount('node', HISTORY);
		const identities = [...new Set(rows.map(({ identity }) => identity))];
		const checked = await context.helpers.checkProcessedAndRecord(identities, 'node', HISTORY);
		return { fresh: new Set(checked.new), isFirstTime: known === 0 };
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
	const isForLater = isFirstTime && first.firstTime === 'none';
	const kept = items.filter(({ json, binary }, index) => {
		const row = rowsByJson.get(json);
		if (row === undefined || (!isForLater && fresh.delete(row.identity))) return true;
		const next = items[index + 1];
		const isOfSameRun = next !== undefined && rowsByJson.get(next.json)?.taskId === row.taskId;
		if (isOfSameRun && binary !== undefined) next.binary = binary;
		return false;
	});
	if (kept.length > 0) return kept;
	const noRows = isForLater
		? `Remembered ${rows.length} rows. From the next execution on, only new or changed rows are output.`
		: `None of the ${rows.length} rows is new or changed since the last execution, tests included.`;
	return withHints(context, [], { noRows }).map((hint) => ({ ...hint }));
}
