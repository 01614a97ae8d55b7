import type { IExecuteFunctions } from 'n8n-workflow';

import type { JsonObject } from '../service/json/json';
import { botIdOf, readOutputSchema } from '../service/runs/schemas';
import { taskIdIn } from '../service/runs/runApi';
import { keyFieldsOf } from '../service/runs/runFields';
import { mayHoldRows, presentRun, type OutputMode } from '../service/runs/runOutput';
import type { FileSettings } from '../fields/files';
import type { ResultSettings } from '../fields/output';
import { onceEach } from '../service/concurrency';
import { withSignal } from '../transport/cancellation';
import { isProduction } from './workflow';
import {
	downloadFilesOf,
	withLateOutput,
	withWholeOutput,
	type AttachedFiles,
	type RunReading,
} from './files/downloadFiles';
import { recordRows } from './newRows';
import { withHints } from './hints';
import type { ItemResult } from './executable';

/**
 * A run as output items: with its output, however large, and the files that were asked for. What the
 * user should know about them is told.
 *
 * @throws as `runItems`
 */
export async function resultItems(
	reading: RunReading & { context: IExecuteFunctions },
	settings: ResultSettings,
): Promise<ItemResult[]> {
	const { items, hints, areRows } = await runItems(reading, settings);
	const taskId = taskIdIn(reading.run);
	const isPlain = areRows && settings.onlyNew === undefined && Object.keys(hints).length === 0;
	const next = isPlain ? nextStep(reading.context) : undefined;
	const files = areRows && items.length > 1 && items[0]?.binary !== undefined ? ON_FIRST_ROW : next;
	return withHints(reading.context, items, { ...hints, next: files }, taskId);
}

/**
 * The same, and what the user should know, which is still to be told.
 *
 * @returns also whether each item is a row of the output
 * @throws HelpfulError for a file that cannot be had, or where the output has not got what the user has
 * named; CanceledError
 */
export async function runItems(given: RunReading, { files, onlyNew, ...view }: ResultSettings) {
	const reading = await withLateOutput(given);
	const run = view.output === 'raw' ? reading.run : await withWholeOutput(reading);
	const schema = mayHoldRows(run, view) ? await outputSchemaFor(reading) : undefined;
	const { items, hints, areRows = false } = presentRun(run, view, schema);
	const results = items.map((json) => ({ json }));
	const withFiles = await attachFiles(reading, results, view.output, files);
	if (areRows && onlyNew !== undefined) recordRows(items, withFiles, taskIdIn(run) ?? '', onlyNew);
	return { items: withFiles, hints, areRows };
}

const ON_FIRST_ROW =
	"The files are on the first row of each run. To write or send them, set 'Output' to 'Simplified': one item for each run.";

/** The nodes whose next step was told, by their IDs. */
const stepsShown = new Set<string>();

/** What a user may do with the rows of a node that nothing is connected to: told once, in the editor. */
function nextStep(context: IExecuteFunctions): string | undefined {
	const { id, name } = context.getNode();
	if (isProduction(context) || stepsShown.has(id) || context.getChildNodes(name).length > 0) return;
	stepsShown.add(id);
	if (context.getInputData().length > 1) {
		return 'Next: {{ $("…").item.json }}, with the name of the node before this one, is the item that a row comes from.';
	}
	return "Next: keep the rows with a Data Table node, add the option 'Only New or Changed Rows', or set 'On Error' under Settings for runs that fail.";
}

/** By execution, or what a trigger has found at once: what reads the schema of the output of a bot, by its ID. */
const outputSchemas = new WeakMap<object, (botId: string) => Promise<JsonObject | undefined>>();

/** The schema of the output of a run's bot, read once for all runs of an execution or a poll; undefined where there is none to be had. */
async function outputSchemaFor(reading: RunReading): Promise<JsonObject | undefined> {
	const { context, client, run, signal } = reading;
	// n8n polls with one context for as long as a workflow is published, but each poll has a signal of its own.
	const owner = signal ?? context;
	const botId = botIdOf(run);
	const schemaOf =
		outputSchemas.get(owner) ?? onceEach(async (id) => await readOutputSchema(client, id));
	outputSchemas.set(owner, schemaOf);
	if (botId === undefined) return undefined;
	return await (signal === undefined ? schemaOf(botId) : withSignal(signal, schemaOf(botId)));
}

/**
 * Puts the files of a run that are wanted into its first item. A Simplified item lists them too; rows and the raw run
 * stay as they are, unless files are missing and the user wants those listed. Where there are no
 * rows, the files come with an item of the run's key fields.
 */
export async function attachFiles(
	reading: RunReading,
	items: ItemResult[],
	output: OutputMode,
	settings: FileSettings | undefined,
): Promise<ItemResult[]> {
	if (settings === undefined) return items;
	const files = await downloadFilesOf(reading, settings);
	const [first, ...others] = items;
	if (first === undefined) return files.list.length === 0 ? [] : [fileItem(reading.run, files)];
	const isIncomplete =
		settings.ifOneFails === 'continue' && files.list.some(({ property }) => property === undefined);
	const isListed = output === 'simplified' || isIncomplete;
	const json = isListed ? { ...first.json, files: files.list } : first.json;
	return [{ json, binary: files.binary }, ...others];
}

/** A run's files as an item of their own, with the fields that say which run it was. */
export function fileItem(run: JsonObject, { list, binary }: AttachedFiles): ItemResult {
	return { json: { ...keyFieldsOf(run), files: list }, binary };
}

/**
 * Results of an input item, the first of them with the item's own binary fields if the user likes.
 * A field of the result stays where both have one of the same name.
 */
export function withInputFiles(
	context: IExecuteFunctions,
	itemIndex: number,
	results: ItemResult[],
	keepInputFiles: boolean | undefined,
): ItemResult[] {
	const binary = context.getInputData()[itemIndex]?.binary;
	const [first, ...others] = results;
	if (keepInputFiles !== true || binary === undefined || first === undefined) return results;
	return [{ ...first, binary: { ...binary, ...first.binary } }, ...others];
}
