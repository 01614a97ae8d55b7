import { inSnakeCase, isJsonObject, textAt, type JsonObject, type JsonValue } from '../json/json';
import { momentOf } from '../schema/dateTime';
import { writtenOutput } from '../runs/botOutput';

/** The formats in which the service writes a run's result (docs/service.md: Run detail). */
const RESULT_FORMATS = ['json', 'csv', 'md', 'xml'] as const;

/** The choices of users: each result format, and all other files of a run. */
export const FILE_GROUPS = [...RESULT_FORMATS, 'other'] as const;

export type FileGroup = (typeof FILE_GROUPS)[number];

/** A file of a run, by the run's record. */
export interface RunFile {
	/** Names the file within a reading of its run: `json`, `csv`, …, `file_1`, `file_2`, … */
	key: string;
	/** The service's own name for it. */
	guid?: string | undefined;
	group: FileGroup;
	name?: string | undefined;
	/** In bytes. */
	size?: number | undefined;
	/** Where to download it; missing when the service has not got it. */
	url?: string | undefined;
	/** When the link stops working, in milliseconds since 1970. */
	expiresAt?: number | undefined;
	/** Why the service has not got it, in its own words. */
	obstacle?: string | undefined;
}

/**
 * The files of a run, in the order of the record: result files, then files that the run generated.
 * Reads the shapes of V3 (`output_files`, `download_files`) and of V2 (`output.files`, and
 * `download_files` in camel case).
 */
export function filesOf(run: JsonObject): RunFile[] {
	const expiresAt = momentIn(inSnakeCase(run), 'files_expires_at');
	const taken = new Set<string>();
	// A name may be another one's in capitals, or one of those that are counted.
	const results = resultFilesOf(run).map((file): RunFile => {
		const isFree = !taken.has(file.key) && !/^file_\d+$/.test(file.key);
		taken.add(file.key);
		return isFree ? file : { ...file, key: '', group: 'other' };
	});
	const known = new Set(results.map(({ url }) => url));
	const records = Array.isArray(run.download_files) ? run.download_files : [];
	const generated = records.map(fileIn).filter(({ url }) => url === undefined || !known.has(url));
	const numbered = [...results.filter(({ key }) => key === ''), ...generated];
	return [
		...results.filter(({ key }) => key !== ''),
		...numbered.map((file, index) => ({ ...file, key: `file_${index + 1}` })),
	].map((file) => ({ ...file, expiresAt: file.expiresAt ?? expiresAt }));
}

/** The result files. Those without a format, or a name that can be a key, have an empty key. */
function resultFilesOf(run: JsonObject): RunFile[] {
	if (isJsonObject(run.output_files)) {
		return Object.entries(run.output_files).map(([format, record]) => resultFile(format, record));
	}
	const links = writtenOutput(run)?.files;
	if (!Array.isArray(links)) return [];
	return links.flatMap((url) => {
		if (typeof url !== 'string') return [];
		const name = nameIn(url);
		const format = RESULT_FORMATS.find((ending) => name?.toLowerCase().endsWith(`.${ending}`));
		return { key: format ?? '', group: format ?? 'other', name, url };
	});
}

function resultFile(format: string, record: JsonValue): RunFile {
	const group = RESULT_FORMATS.find((known) => known === format.toLowerCase()) ?? 'other';
	// Names that mean something else to JavaScript, e.g. __proto__, begin with "_".
	const key = /^[a-z0-9]/i.test(format) ? format.toLowerCase().replace(/[^a-z0-9_]/g, '_') : '';
	return { ...fileIn(typeof record === 'string' ? { url: record } : record), key, group };
}

function fileIn(value: JsonValue): RunFile {
	const record = inSnakeCase(isJsonObject(value) ? value : {});
	const url = textAt(record, 'download_url') ?? textAt(record, 'url');
	const reason = textAt(record, 'error_message') ?? textAt(record, 'status');
	return {
		key: '',
		group: 'other',
		guid: textAt(record, 'guid'),
		name: textAt(record, 'file_name'),
		size: sizeIn(record, 'file_size'),
		url,
		expiresAt: momentIn(record, 'expires_at'),
		...(url === undefined && { obstacle: reason }),
	};
}

/** Whether two readings of a run mean the same file: by its `guid`, else its format, else its place and name. */
export function isSameFile(a: RunFile, b: RunFile): boolean {
	if (a.guid !== undefined) return a.guid === b.guid;
	return a.key === b.key && (a.group !== 'other' || a.name === b.name);
}

/** Whether a link has expired, as far as the record says. */
export function isExpired({ expiresAt }: RunFile, now: number): boolean {
	return expiresAt !== undefined && expiresAt <= now;
}

/** The last part of a link's path, which often is the file's name. */
export function nameIn(url: string): string | undefined {
	const path = URL.canParse(url) ? new URL(url).pathname : '';
	const last = path.slice(path.lastIndexOf('/') + 1);
	try {
		return decodeURIComponent(last) || undefined;
	} catch {
		return last;
	}
}

function sizeIn(record: JsonObject, name: string): number | undefined {
	const found = Number(textAt(record, name));
	return Number.isFinite(found) && found > 0 ? found : undefined;
}

/** A moment in milliseconds since 1970, given so or in seconds, which as milliseconds would lie before 1974. */
export function toMilliseconds(moment: number): number {
	return moment < 1e11 ? moment * 1_000 : moment;
}

/** A moment in milliseconds since 1970, written so, in seconds, or as a date: the service does not say which. */
function momentIn(record: JsonObject, name: string): number | undefined {
	const found = sizeIn(record, name);
	const date = found === undefined ? momentOf(textAt(record, name)) : toMilliseconds(found);
	return Number.isNaN(date) ? undefined : date;
}
