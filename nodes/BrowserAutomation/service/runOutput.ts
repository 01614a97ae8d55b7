import { isJsonObject, parseJson, type JsonObject, type JsonValue } from './json';

/** How a run becomes output items. */
export type OutputMode = 'simplified' | 'rows' | 'raw';

/** The fields of a run that people work with, in the order they read them. */
const KEY_FIELDS = [
	'task_id',
	'status',
	'bot_id',
	'bot_name',
	'bot_type',
	'workflow_id',
	'created_at',
	'finished_at',
	'output',
	'output_files',
	'download_files',
	'task_failure_info',
	'live_url_info',
	'log_detail_url',
	'credit',
];

/**
 * What the run put out. Text that holds JSON is read; a V2 task's output is the text in
 * `output.string` (interface: Task).
 */
export function outputOf(run: JsonObject): JsonValue | undefined {
	const { output } = run;
	if (isJsonObject(output) && 'string' in output && 'files' in output) return unpack(output.string);
	return unpack(output);
}

function unpack(value: JsonValue | undefined): JsonValue | undefined {
	if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
	try {
		return parseJson(value);
	} catch {
		return value;
	}
}

/** The run's key fields with its output ready to use. Fields that are not there are left out. */
export function simplifyRun(run: JsonObject): JsonObject {
	const named: JsonObject = { task_id: run.id ?? null, ...run, output: outputOf(run) ?? null };
	const simple: JsonObject = {};
	for (const field of KEY_FIELDS) {
		const value = named[field];
		if (value !== undefined && value !== null) simple[field] = value;
	}
	return simple;
}

/**
 * The rows of a run's output: the elements of a list, or of the only list in an object. Undefined
 * when the output holds no list.
 */
export function rowsOf(run: JsonObject): JsonObject[] | undefined {
	const output = outputOf(run);
	const list = Array.isArray(output) ? output : onlyList(output);
	return list?.map((row) => (isJsonObject(row) ? row : { value: row }));
}

function onlyList(output: JsonValue | undefined): JsonValue[] | undefined {
	if (!isJsonObject(output)) return undefined;
	const lists = Object.values(output).filter(Array.isArray);
	return lists.length === 1 ? lists[0] : undefined;
}

/** A run as the JSON of output items. Where there are no rows, its key fields stand in for them. */
export function presentRun(run: JsonObject, mode: OutputMode): JsonObject[] {
	if (mode === 'raw') return [run];
	if (mode === 'rows') return rowsOf(run) ?? [simplifyRun(run)];
	return [simplifyRun(run)];
}
