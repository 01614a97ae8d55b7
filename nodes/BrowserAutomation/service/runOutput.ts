import { filesOf, toMilliseconds } from './files';
import { isJsonObject, parseJson, textAt, type JsonObject, type JsonValue } from './json';
import { runApiOf, V2_TASKS } from './runs';

/** How a run of a list is shown. */
export type SummaryMode = 'simplified' | 'selected' | 'raw';

/** How a run becomes output items. */
export type OutputMode = SummaryMode | 'rows';

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
const SUMMARY_FIELDS = [
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
 * read, any other text stays as it is. A V2 task's output is the text in `output.string`
 * (docs/service.md: Task).
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const { output } = run;
	return (
		unpack(runApiOf(run) === V2_TASKS && isJsonObject(output) ? output.string : output) ?? undefined
	);
}

function unpack(value: JsonValue | undefined): JsonValue | undefined {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	try {
		return parseJson(value);
	} catch {
		return value;
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
 * The rows of a run's output: the elements of a list, also where an object holds that list and no
 * other list of objects; an output that is an object without such a list is one row. An empty list
 * has no rows. Undefined when the output is neither, as with plain text.
 */
export function rowsOf(run: JsonObject): JsonObject[] | undefined {
	const output = outputOf(run);
	const list = listIn(output);
	if (list !== undefined) return list.map((row) => (isJsonObject(row) ? row : { value: row }));
	return isJsonObject(output) ? [output] : undefined;
}

function listIn(output: JsonValue | undefined): JsonValue[] | undefined {
	if (Array.isArray(output)) return output;
	if (!isJsonObject(output)) return undefined;
	const values = Object.values(output);
	const [only] = values;
	if (values.length === 1) return listIn(only);
	const lists = values.filter((value) => Array.isArray(value) && value.some(isJsonObject));
	return lists.length === 1 ? listIn(lists[0]) : undefined;
}

/**
 * A run as the JSON of output items. Rows may be none at all; where the output can have no rows,
 * the run's key fields stand in for them.
 *
 * @param fields the names of the selected fields
 */
export function presentRun(
	run: JsonObject,
	mode: OutputMode,
	fields: readonly string[] = [],
): JsonObject[] {
	if (mode === 'raw') return [run];
	if (mode === 'rows') return rowsOf(run) ?? [simplifyRun(run)];
	return mode === 'selected' ? selectedRows(run, fields) : [simplifyRun(run)];
}

/** A run of a list as an item's JSON. */
export function summarizeRun(
	run: JsonObject,
	mode: SummaryMode,
	fields: readonly string[] = [],
): JsonObject {
	if (mode === 'raw') return run;
	const common = runApiOf(run) === V2_TASKS ? { ...run, task_id: run.id ?? null } : run;
	return mode === 'simplified' ? pick(common, SUMMARY_FIELDS) : select([common], fields);
}

/**
 * The rows with only some of their fields; a field that a row has not got is the run's. One item
 * where no row has any of them.
 */
function selectedRows(run: JsonObject, fields: readonly string[]): JsonObject[] {
	const common = withCommonNames(run);
	const rows = rowsOf(run) ?? [];
	if (rows.some((row) => fields.some((name) => Object.hasOwn(row, name)))) {
		return rows.map((row) => select([row, common], fields));
	}
	const own = select([common], fields);
	return Object.keys(own).length === 0 ? [] : [own];
}

/** The named fields, each of the first record that has it. */
function select(records: JsonObject[], fields: readonly string[]): JsonObject {
	const found = fields.flatMap((name): Array<[string, JsonValue]> => {
		const record = records.find((candidate) => Object.hasOwn(candidate, name));
		return record === undefined ? [] : [[name, record[name] ?? null]];
	});
	return Object.fromEntries(found);
}
