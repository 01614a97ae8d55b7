import { HelpfulError } from '../errors';
import { isJsonObject, type JsonObject } from '../json/json';
import { fieldNames, listNames, pathToRows, rowsAt, rowsNamed, sampleOf, type Row } from './rows';
import { runApiOf, taskIdIn, V2_TASKS } from './runApi';
import { outputOf, RUN_FIELDS, simplifyRun, summarizeRun, withCommonNames } from './runFields';
import { nameList } from '../schema/wording';

/** How a run of a list is shown. */
export type SummaryMode = 'simplified' | 'selected' | 'raw';

/** How a run becomes output items. */
export type OutputMode = SummaryMode | 'rows';

/** What of a run becomes output items. Kept as JSON while an execution sleeps. */
export interface RunView<Mode = OutputMode> {
	output: Mode;
	/** The names of the selected fields. */
	fields?: string[];
	/** The name of the list that has the rows. */
	rowsFrom?: string;
	/** Whether each row has what stands beside the list, too. */
	keepOthers?: boolean;
}

/** What a user should know about how a run became items, by what it is about. */
export interface Notes {
	/** It brought no rows, or no output at all. */
	nothing?: string;
	/** Fields were selected that no row has. */
	unknownFields?: string;
	/** The output is one item, and has lists that could be many. */
	lists?: string;
	/** Less of a list came than was announced. */
	shortfall?: string | undefined;
	/** What may be done with it. */
	next?: string | undefined;
}

/** The JSON of output items, and what the user should know about them. */
export interface Presentation {
	items: JsonObject[];
	notes: Notes;
	/** Whether each item is a row of the output. */
	areRows?: boolean;
}

/**
 * A run as the JSON of output items. Rows may be none at all; where the output can have no rows, the
 * run's key fields stand in for them.
 *
 * @param outputSchema that of the bot, where it is known
 * @throws HelpfulError where the output has no list of the name that the user gave, or no row has any
 * of the selected fields
 */
export function presentRun(
	run: JsonObject,
	view: RunView,
	outputSchema?: JsonObject,
): Presentation {
	const { output: mode, fields = [], keepOthers = false } = view;
	if (mode === 'raw') return { items: [run], notes: {} };
	if (mode === 'simplified') return { items: [simplifyRun(run)], notes: {} };
	const rows = rowsOf(run, view.rowsFrom, outputSchema);
	const notes = notesOn(run, view, rows?.length);
	if (mode === 'rows') {
		if (rows === undefined) return { items: [simplifyRun(run)], notes };
		const items = rows.map(({ row, beside }) => (keepOthers ? { ...beside, ...row } : row));
		return { items, notes, areRows: true };
	}
	const { output = null, ...ofRun } = withCommonNames(run);
	const shown = rows ?? [{ row: { output }, beside: {} }];
	const records = shown.map(({ row, beside }) => ({ ...row, ...ofRun, ...beside, ...row }));
	const selected = selectFields(records, fields, `row of run ${nameOf(run)}`);
	return { items: selected.items, notes: { ...notes, ...selected.notes } };
}

/**
 * The runs of a list as the JSON of output items.
 *
 * @throws HelpfulError where no run has any of the selected fields
 */
export function presentSummaries(
	runs: JsonObject[],
	{ output: mode, fields = [] }: RunView<SummaryMode>,
): Presentation {
	if (mode === 'raw') return { items: runs, notes: {} };
	const common = runs.map((run) =>
		runApiOf(run) === V2_TASKS ? { ...run, task_id: run.id ?? null } : run,
	);
	if (mode === 'selected') return selectFields(common, fields, 'run of the list');
	return { items: common.map(summarizeRun), notes: {} };
}

/**
 * The rows of a run's output. They are the elements of a list: of the one that is named, else of the
 * output itself, or of the list in it beside which there is nothing but facts of paging, or of the one
 * for which that is true in the schema of the bot's output. Any other object is one row. An empty list
 * or object has none.
 *
 * @returns undefined where the output can have no rows, as plain text
 * @throws HelpfulError where the output has no list of that name
 */
function rowsOf(
	run: JsonObject,
	rowsFrom: string | undefined,
	outputSchema: JsonObject | undefined,
): Row[] | undefined {
	const output = outputOf(run);
	if (!Array.isArray(output) && !isJsonObject(output)) return undefined;
	if (rowsFrom !== undefined) {
		const rows = rowsNamed(output, rowsFrom);
		if (rows !== undefined) return rows;
		const lists = nameList(listNames(output));
		const there = lists === '' ? 'has no lists in it' : `has these lists: ${lists}`;
		throw new HelpfulError(
			`The output of run ${nameOf(run)} has no "${nameList([rowsFrom])}"`,
			`Change Rows From. The output ${there}.`,
		);
	}
	const path = pathToRows(output) ?? pathToRows(sampleOf(outputSchema));
	const rows = path && rowsAt(output, path);
	if (rows !== undefined || Object.keys(output).length === 0) return rows ?? [];
	return rowsAt(output, []);
}

/** Whether a run's output is a record with lists in it: the schema of the bot's output may say that one has the rows. */
export function mayHoldRows(run: JsonObject, { output: mode, rowsFrom }: RunView): boolean {
	const output = outputOf(run);
	if ((mode !== 'rows' && mode !== 'selected') || rowsFrom !== undefined) return false;
	return isJsonObject(output) && pathToRows(output) === undefined && listNames(output).length > 0;
}

/** @param count how many rows there are; undefined where there can be none */
function notesOn(run: JsonObject, view: RunView, count: number | undefined): Notes {
	if (count === undefined && run.status === 'finished' && outputOf(run) === undefined) {
		return {
			nothing: `Run ${nameOf(run)} has finished without output, so its item is the run itself. The fields of the run are ${nameList(Object.keys(run))}.`,
		};
	}
	if (count === 0) {
		return { nothing: `Run ${nameOf(run)} is ${String(run.status)} and brought no rows.` };
	}
	if (count !== 1 || !mayHoldRows(run, view)) return {};
	const lists = listNames(outputOf(run) ?? null, (list) => list.some(isJsonObject));
	if (lists.length === 0) return {};
	return {
		lists: `The output of run ${nameOf(run)} is one record, so it is one item. For an item for each element of a list in it, choose the list in the option Rows From: ${nameList(lists)}.`,
	};
}

function nameOf(run: JsonObject): string {
	return taskIdIn(run) ?? '';
}

/** Records with the named fields alone. @param what a record is */
function selectFields(records: JsonObject[], names: readonly string[], what: string): Presentation {
	const unknown = names.filter(
		(name) => !RUN_FIELDS.includes(name) && !records.some((record) => Object.hasOwn(record, name)),
	);
	const items = records.map((record) =>
		Object.fromEntries(
			names.flatMap((name) => (Object.hasOwn(record, name) ? [[name, record[name] ?? null]] : [])),
		),
	);
	if (records.length === 0 || unknown.length === 0) return { items, notes: {} };
	const text = `No ${what} has a field named ${nameList(unknown)}`;
	const there = `There are ${nameList(fieldNames(records))}.`;
	if (unknown.length === names.length) throw new HelpfulError(text, `Change Field Names. ${there}`);
	return { items, notes: { unknownFields: `${text}. ${there}` } };
}
