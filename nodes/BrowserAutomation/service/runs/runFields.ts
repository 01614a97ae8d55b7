import { filesOf, toMilliseconds } from '../files/files';
import { inSnakeCase, isJsonObject, textAt, type JsonObject } from '../json/json';
import { outputOf } from './botOutput';
import { runApiOf, V2_TASKS } from './runApi';

/** The fields that a list shows of a run (docs/service.md: Bot and template records). */
const LISTED_FIELDS = `task_id status task_failure_info live_url_info bot_id bot_name workflow_id
	profile_id created_at finished_at credit bot_type`.split(/\s+/);

/** The fields that identify a run and say how it went. */
const KEY_FIELDS = [...LISTED_FIELDS, 'log_detail_url'];

/** The fields of a run beside its output. */
export const RUN_FIELDS: readonly string[] = [
	...KEY_FIELDS,
	'output_files',
	'download_files',
	'files_expires_at',
];

/** The fields of a run in a list. */
export const SUMMARY_FIELDS: readonly string[] = [...LISTED_FIELDS, 'input', 'input_parameters'];

/** A run's key fields, as far as it has them. */
export function keyFieldsOf(run: JsonObject): JsonObject {
	return pick(withCommonNames(run), KEY_FIELDS);
}

/** The run's output, ready to use, its key fields, and links to its files. */
export function simplifyRun(run: JsonObject): JsonObject {
	return pick(withCommonNames(run), ['output', ...RUN_FIELDS]);
}

/** The named fields of a record, without those that are missing or null. */
export function pick(record: JsonObject, fields: readonly string[]): JsonObject {
	const members = fields.map((field) => [field, record[field] ?? null] as const);
	return Object.fromEntries(members.filter(([, value]) => value !== null));
}

/** A run with its browser profile, by the answer to its start where the run names none. */
export function withProfile(run: JsonObject, profileId: string | undefined): JsonObject {
	if (profileId === undefined || textAt(run, 'profile_id') !== undefined) return run;
	return { ...run, profile_id: profileId };
}

/** A run, or a V2 task with the field names of a run. Moments are ISO-8601. */
export function withCommonNames(run: JsonObject): JsonObject {
	const { live_url: liveUrl, download_files: files } = run;
	const common: JsonObject = {
		...withIsoMoments(run),
		output: outputOf(run) ?? null,
		download_files: Array.isArray(files)
			? files.map((file) => (isJsonObject(file) ? withIsoMoments(inSnakeCase(file)) : file))
			: null,
	};
	if (runApiOf(run) !== V2_TASKS) return common;
	// The result files of a task, by format as in V3.
	const links = filesOf({ ...run, download_files: null }).map(({ key, name, url }) => {
		const named = name === undefined ? {} : { file_name: name };
		return [key, { ...named, download_url: url ?? null }] as const;
	});
	return {
		...common,
		task_id: run.id ?? null,
		live_url_info: run.live_url_info ?? (liveUrl ? { live_url: liveUrl } : null),
		output_files: links.length === 0 ? null : Object.fromEntries(links),
	};
}

/** A record with ISO-8601 text, which n8n's date functions read, in place of moments as numbers. */
function withIsoMoments(record: JsonObject): JsonObject {
	const members = Object.entries(record).map(([name, value]) => {
		const isMoment = typeof value === 'number' && value > 0 && /_(?:at|time)$/.test(name);
		const date = new Date(isMoment ? toMilliseconds(value) : NaN);
		return [name, Number.isNaN(date.getTime()) ? value : date.toISOString()] as const;
	});
	return Object.fromEntries(members);
}
