import { HelpfulError } from '../errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { isBegun, outputOf } from './botOutput';
import {
	fieldNames,
	listNames,
	pathToRows,
	rowsAt,
	rowsNamed,
	sampleOf,
	type RowList,
} from './rows';
import { isTerminal, isUnsuccessful, runApiOf, taskIdIn, toRunStatus, V2_TASKS } from './runApi';
import { pick, RUN_FIELDS, simplifyRun, SUMMARY_FIELDS, withCommonNames } from './runFields';
import { nameList } from '../schema/wording';

/** How a run of a list is shown. */
export type SummaryMode = 'simplified' | 'selected' | 'raw';

/** How a run becomes output items. */
export type OutputMode = SummaryMode | 'rows';

/** Which parts of a run become output items. Stored as JSON with a suspended execution. */
export interface RunView<Mode = OutputMode> {
	output: Mode;
	/** The names of the selected fields. */
	fields?: string[];
	/** The name of the list that has the rows. */
	rowsFrom?: string;
	/** Whether each row also gets the fields beside the list. */
	includeBeside?: boolean;
}

/** Hints for the user on how a run became items, or a list of runs, by their subject. */
export type Hints = Partial<Record<HintKind, string | undefined>>;

type HintKind =
	'noOutput' | 'noRows' | 'text' | 'unknownFields' | 'lists' | 'innerLists' | 'shortfall' | 'next';

/** The JSON of output items, and hints about them. */
export interface Presentation {
	items: JsonObject[];
	hints: Hints;
	/** Whether each item is a row of the output. */
	areRows?: boolean;
	/** Whether the item is a run without output, in place of the fields that were chosen. */
	isRunItself?: boolean;
}

/**
 * A run as the JSON of output items. An output that cannot have rows, e.g. plain text, gives one item: the run's
 * key fields and the output. So does a run that failed or was canceled: its rows must not look like those of a
 * finished run.
 *
 * @param outputSchema the bot's, where it is known
 * @throws HelpfulError where the output lacks the list that the user named, or no row has any of the
 * selected fields
 */
export function presentRun(
	run: JsonObject,
	view: RunView,
	outputSchema?: JsonObject,
): Presentation {
	const { output: mode, fields = [], includeBeside = false } = view;
	if (mode === 'raw') return { items: [run], hints: {} };
	if (mode === 'simplified') return { items: [simplifyRun(run)], hints: {} };
	if (isUnsuccessful(toRunStatus(run.status))) {
		const shown = simplifyRun(run);
		const names = ['task_id', 'status', 'task_failure_info', ...fields, 'output'];
		return { items: [mode === 'rows' ? shown : pick(shown, names)], hints: {} };
	}
	const lists = rowsOf(run, view.rowsFrom, outputSchema);
	const rows = lists?.length === 1 ? lists[0]?.rows : lists?.flatMap((list) => list.rows);
	const hints = hintsOn(run, view, rows);
	if (mode === 'rows') {
		if (lists === undefined || rows === undefined) return { items: [simplifyRun(run)], hints };
		const withOthers = ({ rows: of, beside }: RowList) => of.map((row) => ({ ...beside, ...row }));
		return { items: includeBeside ? lists.flatMap(withOthers) : rows, hints, areRows: true };
	}
	const { output = null, ...ofRun } = withCommonNames(run);
	const shown = lists ?? [{ rows: [{ output }], beside: {} }];
	const records = shown.flatMap(({ rows: of, beside }) => of.map((row) => [row, beside, ofRun]));
	const goesOn = !isTerminal(toRunStatus(run.status));
	const mayLackFields = lists === undefined && (goesOn || outputOf(run) === undefined);
	const orElse = mayLackFields ? runItself(run, goesOn) : undefined;
	const selected = selectFields(records, fields, `row of run ${runName(run)}`, orElse);
	return { ...selected, hints: { ...hints, ...selected.hints } };
}

/** A run without output, in place of rows. @param goesOn whether it may have some later */
function runItself(run: JsonObject, goesOn: boolean): Presentation {
	const noOutput = `Run ${runName(run)} is ${String(run.status)} and has no output yet, so its item is the run itself.`;
	return { items: [simplifyRun(run)], hints: goesOn ? { noOutput } : {}, isRunItself: true };
}

/** The runs of a list as the JSON of output items. @throws HelpfulError where no run has any of the selected fields */
export function presentSummaries(
	runs: JsonObject[],
	{ output: mode, fields = [] }: RunView<SummaryMode>,
): Presentation {
	if (mode === 'raw') return { items: runs, hints: {} };
	const common = runs.map((run) =>
		runApiOf(run) === V2_TASKS ? { ...run, task_id: run.id ?? null } : run,
	);
	if (mode === 'simplified') {
		return { items: common.map((run) => pick(run, SUMMARY_FIELDS)), hints: {} };
	}
	const records = common.map((run) => [run]);
	return selectFields(records, fields, 'run of the list');
}

/**
 * The rows of a run's output: the elements of a list. The list is the first of these: the one that the user names, the output,
 * the one in it with only facts of paging beside it, the one for which the bot's output schema says so. Any other object is one
 * row. An empty list or object has none.
 *
 * @returns undefined where the output cannot have rows, e.g. plain text
 * @throws HelpfulError where the output has no list of the given name
 */
function rowsOf(
	run: JsonObject,
	rowsFrom: string | undefined,
	outputSchema: JsonObject | undefined,
): RowList[] | undefined {
	const output = outputOf(run);
	if (!Array.isArray(output) && !isJsonObject(output)) return undefined;
	if (Object.keys(output).length === 0) return [];
	if (rowsFrom !== undefined) {
		const rows = rowsNamed(output, rowsFrom);
		if (rows !== undefined) return rows;
		const lists = nameList(listNames(output));
		const there = lists === '' ? 'has no lists in it' : `has these lists: ${lists}`;
		throw new HelpfulError(
			`The output of run ${runName(run)} has no "${nameList([rowsFrom])}"`,
			`Change 'List to Split Into Rows'. The output ${there}.`,
		);
	}
	const path = pathToRows(output) ?? pathToRows(sampleOf(outputSchema)) ?? [];
	return [rowsAt(output, path) ?? rowsAt(output, []) ?? []].flat();
}

/** Whether a run's output is a record with lists, or null in place of one. The bot's output schema may then say which one has the rows. */
export function mayHoldRows(run: JsonObject, { output: mode, rowsFrom }: RunView): boolean {
	const output = outputOf(run);
	if ((mode !== 'rows' && mode !== 'selected') || rowsFrom !== undefined) return false;
	if (!isJsonObject(output) || pathToRows(output) !== undefined) return false;
	return listNames(output).length > 0 || Object.values(output).includes(null);
}

/** @param rows undefined where the output cannot have any */
function hintsOn(run: JsonObject, view: RunView, rows: JsonObject[] | undefined): Hints {
	const [name, output] = [runName(run), outputOf(run) ?? null];
	if (rows === undefined) return run.status === 'finished' ? hintsOnOther(run, output) : {};
	if (rows.length === 0) {
		return { noRows: `Run ${name} is ${String(run.status)} and brought no rows.` };
	}
	const ofRecords = (list: JsonValue[]): boolean => list.some(isJsonObject);
	if (rows.length === 1 && mayHoldRows(run, view)) {
		const lists = nameList(listNames(output, ofRecords));
		if (lists === '') return {};
		return {
			lists: `The output of run ${name} is one record, so it is one item. For an item for each element of a list in it, choose the list under 'List to Split Into Rows': ${lists}.`,
		};
	}
	const isList = (row: JsonObject): boolean => pathToRows(row) !== undefined;
	const lists = rows.every(isList) ? nameList(listNames(rows, ofRecords)) : '';
	if (lists === '' || view.rowsFrom !== undefined) return {};
	return {
		innerLists: `Each row of run ${name} holds nothing but a list, as of a loop within a loop. For an item for each element of it, choose it under 'List to Split Into Rows': ${lists}.`,
	};
}

/** @param output neither a list nor a record */
function hintsOnOther(run: JsonObject, output: JsonValue): Hints {
	const name = runName(run);
	if (output === null) {
		return {
			noOutput: `Run ${name} has finished without output, so its item is the run itself. The fields of the run are ${nameList(Object.keys(run))}.`,
		};
	}
	const what = isBegun(output)
		? 'begins like JSON, but is none: it may be cut off'
		: 'is text, not JSON';
	return {
		text: `The output of run ${name} ${what}. So its item is the run itself. For rows, set the bot’s 'Default Output Format' to JSON. n8n’s node Extract from File reads CSV: add the file by 'Download Files'.`,
	};
}

function runName(run: JsonObject): string {
	return taskIdIn(run) ?? '';
}

/**
 * Records with the named fields only, and the run's ID last.
 *
 * @param records each in parts; the first part that has a field gives its value, the last one the run's ID unless that is named
 * @param what how messages call a record, e.g. `row of run 9`
 * @param orElse what comes where no record has any of the fields
 * @throws HelpfulError in that case, without `orElse`
 */
function selectFields(
	records: JsonObject[][],
	names: readonly string[],
	what: string,
	orElse?: Presentation,
): Presentation {
	const has = (name: string) => (part: JsonObject) => Object.hasOwn(part, name);
	const unknown = names.filter(
		(name) => !RUN_FIELDS.includes(name) && !records.some((parts) => parts.some(has(name))),
	);
	const shown = [...new Set([...names, 'task_id'])].map((name) => [name, has(name)] as const);
	const items = records.map((parts) =>
		Object.fromEntries(
			shown.flatMap(([name, hasIt]) => {
				const part = (names.includes(name) ? parts : parts.slice(-1)).find(hasIt);
				return part === undefined ? [] : [[name, part[name] ?? null]];
			}),
		),
	);
	if (records.length === 0 || unknown.length === 0) return { items, hints: {} };
	const text = `No ${what} has a field named ${nameList(unknown)}`;
	const there = `There are ${nameList(fieldNames(records.flat()))}.`;
	if (unknown.length < names.length)
		return { items, hints: { unknownFields: `${text}. ${there}` } };
	if (orElse !== undefined) return orElse;
	throw new HelpfulError(text, `Change 'Field Names or IDs'. ${there}`);
}
