import type { JsonObject } from '../service/json';
import { keyFieldsOf, presentRun, type OutputMode } from '../service/runOutput';
import type { FileSettings } from '../fields/files';
import type { ResultSettings } from '../fields/output';
import { downloadFilesOf, type AttachedFiles, type RunReading } from './files/downloadFiles';
import { withWholeOutput } from './files/largeOutput';
import type { ItemResult } from './operation';

/**
 * A run as output items: with its output, however large, and the files that were asked for.
 *
 * @throws FileError or CanceledError
 */
export async function resultItems(
	reading: RunReading,
	{ output, fields, files }: ResultSettings,
): Promise<ItemResult[]> {
	const run = output === 'raw' ? reading.run : await withWholeOutput(reading);
	const items = presentRun(run, output, fields).map((json) => ({ json }));
	return files === undefined ? items : await attachFiles(reading, items, output, files);
}

/**
 * Puts a run's files into its first item. A Simplified item lists them too; rows and the raw run
 * stay as they are, unless files are missing and the user wants those listed. Where there are no
 * rows, the files come with an item of the run's key fields.
 */
async function attachFiles(
	reading: RunReading,
	items: ItemResult[],
	output: OutputMode,
	settings: FileSettings,
): Promise<ItemResult[]> {
	const files = await downloadFilesOf(reading, settings);
	const [first, ...others] = items;
	if (first === undefined) return files.list.length === 0 ? [] : [fileItem(reading.run, files)];
	const isIncomplete = settings.ifOneFails === 'continue' && files.list.some(isMissing);
	const isListed = output === 'simplified' || isIncomplete;
	const json = isListed ? { ...first.json, files: files.list } : first.json;
	return [{ json, binary: files.binary }, ...others];
}

function isMissing(file: JsonObject): boolean {
	return file.property === undefined;
}

/** A run's files as an item of their own, with the fields that say which run it was. */
export function fileItem(run: JsonObject, { list, binary }: AttachedFiles): ItemResult {
	return { json: { ...keyFieldsOf(run), files: list }, binary };
}
