import { HelpfulError } from '../errors';
import { filesOf, toMilliseconds } from '../files/files';
import { isJsonObject, parseJson, textAt, type JsonObject, type JsonValue } from '../json/json';
import {
	BYTE_ORDER_MARK,
	fieldNames,
	listNames,
	pathToRows,
	rowsAt,
	rowsNamed,
	sampleOf,
	type Row,
} from './rows';
import { runApiOf, taskIdIn, V2_TASKS } from './runApi';
import { nameList, shorten } from '../schema/wording';

/** The longest name that an error shows, in characters. */
const LONGEST_NAME = 100;

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

/** The fields that say which run it is and how it went. */
const KEY_FIELDS = [
	'task_id',
	'status',
	'task_failure_info',
	'live_url_info',
	'bot_id',
	'bot_name',
	'bot_type',
	'workflow_id',
	'profile_id',
	'created_at',
	'finished_at',
	'credit',
	'log_detail_url',
] as const;

const FILE_FIELDS = ['output_files', 'download_files', 'files_expires_at'] as const;

/** The fields of a run in a list, which shows no output (docs/service.md: Bot and template records). */
export const SUMMARY_FIELDS = [
	'task_id',
	'status',
	'task_failure_info',
	'live_url_info',
	'bot_id',
	'bot_name',
	'workflow_id',
	'profile_id',
	'created_at',
	'finished_at',
	'input',
	'input_parameters',
	'credit',
] as const;

/**
 * What the run put out; undefined when there is nothing. Text that holds a JSON object or list is
 * read, any other text stays as it is but for a byte order mark. A V2 task's output is the text in `output.string`
 * (docs/service.md: Task).
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const { output } = run;
	return (
		unpack(runApiOf(run) === V2_TASKS && isJsonObject(output) ? output.string : output) ?? undefined
	);
}

function unpack(value: JsonValue | undefined): JsonValue | undefined {
	if (typeof value !== 'string') return value;
	const text = value.startsWith(BYTE_ORDER_MARK) ? value.slice(1) : value;
	if (!/^\s*[[{]/.test(text)) return text;
	try {
		return parseJson(text);
	} catch {
		return text;
	}
}

/** The fields that say which run it is and how it went. Those that are not there are left out. */
export function keyFieldsOf(run: JsonObject): JsonObject {
	return pick(withCommonNames(run), KEY_FIELDS);
}

/** The run's output, ready to use, its key fields, and links to its files. */
export function simplifyRun(run: JsonObject): JsonObject {
	return pick(withCommonNames(run), ['output', ...KEY_FIELDS, ...FILE_FIELDS]);
}

/** A run with the browser profile that the answer to its start named, where it names none itself. */
export function withProfile(run: JsonObject, profileId: string | undefined): JsonObject {
	if (profileId === undefined || textAt(run, 'profile_id') !== undefined) return run;
	return { ...run, profile_id: profileId };
}

function pick(record: JsonObject, fields: readonly string[]): JsonObject {
	const picked: JsonObject = {};
	for (const field of fields) {
		const value = record[field];
		if (value !== undefined && value !== null) picked[field] = value;
	}
	return picked;
}

/** A run, or a V2 task under the names of a run. Moments are ISO-8601 throughout. */
function withCommonNames(run: JsonObject): JsonObject {
	const { live_url: liveUrl, download_files: files } = run;
	const isTask = runApiOf(run) === V2_TASKS;
	const common: JsonObject = {
		...withIsoMoments(run),
		output: outputOf(run) ?? null,
		download_files: Array.isArray(files)
			? files.map((file) => withIsoMoments(isTask ? inSnakeCase(file) : file))
			: null,
	};
	if (!isTask) return common;
	return {
		...common,
		task_id: run.id ?? null,
		live_url_info: run.live_url_info ?? (liveUrl ? { live_url: liveUrl } : null),
		output_files: resultLinksOf(run),
	};
}

/** A record whose moments the service writes as numbers, as the text that n8n's date functions read. */
function withIsoMoments<T extends JsonValue>(record: T): T | JsonObject {
	if (!isJsonObject(record)) return record;
	const entries = Object.entries(record).map(([name, value]): [string, JsonValue] => [
		name,
		typeof value === 'number' && /_(?:at|time)$/.test(name) ? (isoOf(value) ?? value) : value,
	]);
	return Object.fromEntries(entries);
}

function isoOf(moment: number): string | undefined {
	const date = new Date(toMilliseconds(moment));
	return moment > 0 && !Number.isNaN(date.getTime()) ? date.toISOString() : undefined;
}

/** The result files of a V2 task as V3 shows them: by format. */
function resultLinksOf(task: JsonObject): JsonObject | null {
	const links = filesOf({ ...task, download_files: null }).map(
		({ key, name, url }): [string, JsonObject] => [
			key,
			{ ...(name !== undefined && { file_name: name }), download_url: url ?? null },
		],
	);
	return links.length === 0 ? null : Object.fromEntries(links);
}

function inSnakeCase(record: JsonValue): JsonValue {
	if (!isJsonObject(record)) return record;
	const renamed = Object.entries(record).map(([name, value]): [string, JsonValue] => [
		name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
		value,
	]);
	return Object.fromEntries(renamed);
}

/**
 * The rows of a run's output. They are the elements of a list: of the one that is named, else of the
 * output itself, or of the list in it beside which there is nothing but facts of paging, or of the one
 * for which that is true in the schema of the bot's output. Any other object is one row. An empty list
 * or object has none.
 *
 * @param rowsFrom the name of the list
 * @param outputSchema where it is known
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
		const lists = listNames(output);
		throw new HelpfulError(
			`The output of run ${nameOf(run)} has no "${shorten(rowsFrom, LONGEST_NAME)}"`,
			`Change Rows From. ${lists.length === 0 ? 'The output has no lists in it' : `The output has these lists: ${nameList(lists)}`}.`,
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

/** What a user should know about how a run became items, by what it is about. */
export interface Notes {
	/** It brought no rows, or no output at all. */
	nothing?: string;
	/** Fields were selected that no row has. */
	unknownFields?: string;
	/** The output is one item, and has lists that could be many. */
	lists?: string;
	/** Of a list not all came that was announced. */
	shortfall?: string | undefined;
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
): { items: JsonObject[]; notes: Notes } {
	const { output: mode, fields = [], rowsFrom, keepOthers = false } = view;
	if (mode === 'raw') return { items: [run], notes: {} };
	if (mode === 'simplified') return { items: [simplifyRun(run)], notes: {} };
	const rows = rowsOf(run, rowsFrom, outputSchema);
	const notes = rows === undefined ? noteOnOutput(run) : noteOnRows(run, view, rows);
	if (mode === 'rows') {
		const items = rows?.map(({ row, beside }) => (keepOthers ? { ...beside, ...row } : row));
		return { items: items ?? [simplifyRun(run)], notes };
	}
	const { output = null, ...ofRun } = withCommonNames(run);
	const records = rows?.map(({ row, beside }) => ({ ...row, ...ofRun, ...beside, ...row })) ?? [
		{ output, ...ofRun },
	];
	const selected = selectFields(records, fields, `row of run ${nameOf(run)}`);
	return { items: selected.items, notes: { ...notes, ...selected.notes } };
}

function noteOnOutput(run: JsonObject): Notes {
	if (outputOf(run) !== undefined || run.status !== 'finished') return {};
	return {
		nothing: `Run ${nameOf(run)} has finished, and no output is told: its item is the run itself. The fields of the run are ${nameList(Object.keys(run))}.`,
	};
}

function noteOnRows(run: JsonObject, view: RunView, rows: Row[]): Notes {
	const nothing = `Run ${nameOf(run)} is ${String(run.status)} and brought no rows.`;
	if (rows.length === 0) return { nothing };
	const lists =
		mayHoldRows(run, view) && rows.length === 1
			? listNames(outputOf(run) ?? null, isOfRecords)
			: [];
	if (lists.length === 0) return {};
	return {
		lists: `The output of run ${nameOf(run)} is one record, so it is one item. For an item for each element of a list in it, choose the list in the option Rows From: ${nameList(lists)}.`,
	};
}

function isOfRecords(list: JsonValue[]): boolean {
	return list.some(isJsonObject);
}

function nameOf(run: JsonObject): string {
	return taskIdIn(run) ?? '';
}

/**
 * The runs of a list as the JSON of output items.
 *
 * @throws HelpfulError where no run has any of the selected fields
 */
export function presentSummaries(
	runs: JsonObject[],
	{ output: mode, fields = [] }: RunView<SummaryMode>,
): { items: JsonObject[]; notes: Notes } {
	if (mode === 'raw') return { items: runs, notes: {} };
	const common = runs.map((run) =>
		runApiOf(run) === V2_TASKS ? { ...run, task_id: run.id ?? null } : run,
	);
	if (mode === 'selected') return selectFields(common, fields, 'run of the list');
	return { items: common.map((run) => pick(run, SUMMARY_FIELDS)), notes: {} };
}

/** The fields that a run may have beside its output, and a run of a list. */
export const RUN_FIELDS: readonly string[] = [...KEY_FIELDS, ...FILE_FIELDS];

/**
 * Records with the named fields alone.
 *
 * @param what a record is
 */
function selectFields(
	records: JsonObject[],
	names: readonly string[],
	what: string,
): { items: JsonObject[]; notes: Notes } {
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
