import { createHash } from 'crypto';
import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import type { NewRows } from '../fields/output';
import { attempt } from '../service/attempt';
import { CanceledError, HelpfulError, InputError, messageOf } from '../service/errors';
import { inOrder, isJsonObject, type JsonObject } from '../service/json/json';
import { memoryOf } from '../service/processMemory';
import { nameList } from '../service/schema/wording';
import { cancelSignalOf } from '../transport/cancellation';
import { continuesAfter, failureItems } from './failures';
import { executionContextOf, hostOf, roundKeyOf } from './host';
import { withHints } from './hints';
import { HISTORY, KEPT, MAX_EVENT_RECORDS, recordTurn } from './sharedRecord';
import type { ItemResult, Row } from './executable';

/** Recorded with a node's first rows: so many that `isFirstToRecord` sees that there are rows, and forgets none for events. */
const FIRST_ROWS: ReadonlySet<string | number> = new Set(
	Array.from({ length: MAX_EVENT_RECORDS }, (_, index) => `first rows ${index}`),
);

/** The largest round whose rows are kept alive: for each row n8n looks through all that it keeps. */
const MAX_KEPT_ALIVE = 2_000;

/** The digests of the rows that a round has given, and for how long they are remembered, in milliseconds. */
const givenRows = memoryOf<string[]>('givenRows');
const REMEMBERED_FOR_MS = 86_400_000;

/** Under which an execution keeps the nodes whose rows it only remembers, in all rounds of a loop. */
const FIRST_TIME = 'browserAutomationFirstTime';

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
			`Change 'Only New: Field Names or IDs'. There are ${nameList(Object.keys(first))}.`,
		);
	}
	const [main] = compare;
	return rows.map((json) => {
		const fields = new Map(Object.entries(json));
		// What has no value for the first of them would be one row with all others of that kind.
		const isNamed = main !== undefined && (fields.get(main) ?? '') !== '';
		const names = isNamed ? compare : [...fields.keys()].sort();
		const identity = JSON.stringify(
			names.map((name) => [name, fields.get(name)]),
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

/**
 * Before n8n forgets the oldest, as events are recorded, too, the rows of this round become the newest, and n8n forgets all but the
 * newest (`KEPT`). Never throws: where n8n fails between the two, these rows come once more.
 */
async function keepAlive({ helpers }: IExecuteFunctions, identities: string[]): Promise<void> {
	const record = async () => await helpers.checkProcessedAndRecord(identities, 'node', KEPT);
	const removed = await attempt(helpers.removeProcessed(identities, 'node', KEPT));
	if (removed.ok) await attempt(record().catch(record));
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
 * n8n executes a node again within a round where it retries on failure, also after output whose first item has a field `error`
 * (2.41.1: `checkFailure` in n8n-core's workflow-execute.js), and where it resumes an execution from an old state (waiting/fence.ts).
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
	const compare = async () => {
		const known = await context.helpers.getProcessedDataCount('node', HISTORY);
		const identities = [...new Set(rows.map(({ identity }) => identity))];
		const named = [...FIRST_ROWS, ...identities];
		const checked = await context.helpers.checkProcessedAndRecord(named, 'node', HISTORY);
		const fresh = checked.new.filter((name) => !FIRST_ROWS.has(name));
		const isFirst = checked.new.length === fresh.length + FIRST_ROWS.size;
		const isNearlyFull = known + named.length >= HISTORY.maxEntries - MAX_EVENT_RECORDS;
		if (isNearlyFull && identities.length <= MAX_KEPT_ALIVE) await keepAlive(context, identities);
		return { fresh, isFirstTime: isFirst && known <= MAX_EVENT_RECORDS };
	};
	const compared = await attempt(recordTurn.inTurn(compare));
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
	const round = roundKeyOf(context) ?? '';
	const flow = executionContextOf(context);
	const firstTime = `${FIRST_TIME}/${context.getNode().name}`;
	if (isFirstTime && first.firstTime === 'none') flow[firstTime] = true;
	const areOnlyRemembered = flow[firstTime] === true;
	const newOnes = fresh.map(String).map(digestOf);
	const given = areOnlyRemembered ? [] : [...(givenRows.get(round) ?? []), ...newOnes];
	if (round !== '') givenRows.set(round, given, Date.now() + REMEMBERED_FOR_MS);
	const due = new Set(given);
	const kept = items.flatMap(({ row, ...item }, index) => {
		if (!isRow(row) || due.delete(digestOf(row.identity))) return item;
		const next = items[index + 1];
		if (!isRow(next?.row) || next.row.taskId !== row.taskId || item.binary === undefined) return [];
		next.binary = item.binary;
		if (row.files === undefined) return [];
		next.row.files = row.files;
		next.json = { ...next.json, files: row.files };
		return [];
	});
	if (kept.length > 0) return kept;
	const noRows = areOnlyRemembered
		? `Remembered ${rows.length} rows. From the next execution on, only new or changed rows are output.`
		: `None of the ${rows.length} rows is new or changed since the last execution, tests included.`;
	return withHints(context, [], { noRows }).map((hint) => ({ ...hint }));
}
