import type { IExecuteFunctions } from 'n8n-workflow';

import { objectIn, partOf, type JsonObject } from '../service/json/json';
import { botIdOf, readOutputSchema } from '../service/runs/schemas';
import { taskIdIn } from '../service/runs/runApi';
import { keyFieldsOf } from '../service/runs/runFields';
import { mayHoldRows, presentRun, type OutputMode } from '../service/runs/runOutput';
import type { FileSettings } from '../fields/files';
import type { ResultSettings } from '../fields/output';
import { onceEach } from '../service/concurrency';
import { nameList } from '../service/schema/wording';
import { memoryOf } from '../service/processMemory';
import { withSignal } from '../transport/cancellation';
import { isProduction } from './workflow';
import {
	downloadFilesOf,
	withLateOutput,
	withWholeOutput,
	type AttachedFiles,
	type RunReading,
} from './files/downloadFiles';
import { toRows } from './newRows';
import { withHints } from './hints';
import type { ItemResult } from './executable';

/** A run as output items, with its whole output and the requested files. Gives the user hints about them. @throws as `runItems` */
export async function resultItems(
	reading: RunReading & { context: IExecuteFunctions },
	settings: ResultSettings,
): Promise<ItemResult[]> {
	const { items, hints, areRows } = await runItems(reading, settings);
	const taskId = taskIdIn(reading.run);
	const isPlain = areRows && settings.onlyNew === undefined && Object.keys(hints).length === 0;
	const next = isPlain ? nextStepHint(reading.context, settings) : undefined;
	const hasFiles = Object.keys(items[0]?.binary ?? {}).length > 0;
	const files = areRows && items.length > 1 && hasFiles ? ON_FIRST_ROW : next;
	const step = readAsTask(reading.context, items) ?? files;
	return withHints(reading.context, items, { ...hints, next: step }, taskId);
}

/**
 * The same, but returns the hints.
 *
 * @returns also whether each item is a row of the output, or the run in place of fields that it does not have
 * @throws HelpfulError for a file that cannot be downloaded, or where the output lacks the list or fields
 * that the user has named; CanceledError
 */
export async function runItems(given: RunReading, { files, onlyNew, ...view }: ResultSettings) {
	const reading = await withLateOutput(given);
	const run = view.output === 'raw' ? reading.run : await withWholeOutput(reading);
	const schema = mayHoldRows(run, view) ? await outputSchemaFor(reading) : undefined;
	const { items, hints, areRows = false, isRunItself = false } = presentRun(run, view, schema);
	const results =
		areRows && onlyNew !== undefined
			? toRows(items, taskIdIn(run) ?? '', onlyNew)
			: items.map((json) => ({ json }));
	const withFiles = await attachFiles(reading, results, view.output, files);
	return { items: withFiles, hints, areRows, isRunItself };
}

const ON_FIRST_ROW =
	"The files are on the first row of each run. To write or send them, set 'Output' to 'Simplified': one item for each run.";

/** The nodes that have shown the hint about the next step, by their IDs. */
const stepsShown = memoryOf<true>('nextSteps');

/** A hint on what to do with the rows, where nothing is connected to the node. Shown once, in the editor. */
function nextStepHint(
	context: IExecuteFunctions,
	{ includeInput }: ResultSettings,
): string | undefined {
	const { id, name } = context.getNode();
	const isShown = stepsShown.get(id) !== undefined;
	if (isProduction(context) || isShown || context.getChildNodes(name).length > 0) return;
	stepsShown.set(id, true, Infinity);
	if (context.getInputData().length > 1 && includeInput !== true) {
		return "Next: the option 'Include Other Input Fields' gives each row the fields of its input item.";
	}
	return "Next: keep the rows with a Data Table node, add the option 'Only New or Changed Rows', or set 'On Error' under Settings for runs that fail.";
}

/** A hint in the editor, where a later node reads what a task of V2 alone has (docs/service.md: Task): the workflow moved over. */
function readAsTask(context: IExecuteFunctions, [first]: ItemResult[]): string | undefined {
	if (isProduction(context) || first === undefined) return undefined;
	const { name } = context.getNode();
	const lacksOutput = partOf(first.json.output, 'string') === undefined;
	const lacksId = first.json.id === undefined;
	const isNext = (node: string): boolean =>
		context.getParentNodes(node, { depth: 1 }).some((parent) => parent.name === name);
	const later = context.getChildNodes(name, { includeNodeParameters: true });
	const readers = later.flatMap((node) => {
		const text = JSON.stringify(node);
		const title = JSON.stringify(node.name);
		if (lacksOutput && text.includes('output.string')) return [`${title} reads output.string`];
		const [, ...byName] = text.split(`$('${name}')`);
		const readsId =
			(/\$json\.id\b/.test(text) && isNext(node.name)) ||
			byName.some((after) => /^[\w.()]*\.json\.id\b/.test(after));
		return lacksId && readsId ? [`${title} reads id`] : [];
	});
	return readers.length === 0
		? undefined
		: `${nameList(readers)}, which is not here. The fields are those of the items, or use Workflow (V2) > Run with 'Output' set to 'Raw'.`;
}

/** For each client of an execution, or poll of a trigger: reads the output schema of a bot by its ID, once. */
const outputSchemas = new WeakMap<object, (botId: string) => Promise<JsonObject | undefined>>();

/** The output schema of a run's bot, read once for all runs of an execution or a poll. Undefined where there is none. */
async function outputSchemaFor(reading: RunReading): Promise<JsonObject | undefined> {
	const { client, run, signal } = reading;
	// Items may have clients of their own. All polls of a published workflow have one context, but each has its own signal.
	const owner = signal ?? client;
	const botId = botIdOf(run);
	const schemaOf =
		outputSchemas.get(owner) ?? onceEach(async (id) => await readOutputSchema(client, id));
	outputSchemas.set(owner, schemaOf);
	if (botId === undefined) return undefined;
	return await (signal === undefined ? schemaOf(botId) : withSignal(signal, schemaOf(botId)));
}

/**
 * Downloads the chosen files of a run into its first item. `files` lists them in a Simplified item, and in other items if a
 * missing file is to be listed. Without items, one is made of the run's key fields.
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
	const isIncomplete = files.list.some(({ property }) => property === undefined);
	const isListed = output === 'simplified' || isIncomplete;
	const json = isListed ? { ...first.json, files: files.list } : first.json;
	const row = first.row && isIncomplete ? { row: { ...first.row, files: files.list } } : {};
	return [{ ...first, ...row, json, binary: files.binary }, ...others];
}

/** An item with a run's files and its key fields. */
export function fileItem(run: JsonObject, { list, binary }: AttachedFiles): ItemResult {
	return { json: { ...keyFieldsOf(run), files: list }, binary };
}

/**
 * Results of an input item with what the user wants of that: its fields in each result, its binary fields in the first
 * one. A field that a result has itself stays as it is.
 */
export function withInput(
	context: IExecuteFunctions,
	itemIndex: number,
	results: ItemResult[],
	{ includeInput, includeInputFiles }: Pick<ResultSettings, 'includeInput' | 'includeInputFiles'>,
): ItemResult[] {
	const { json: input, binary } = context.getInputData()[itemIndex] ?? {};
	const whole = (json: JsonObject): JsonObject =>
		includeInput === true ? { ...objectIn(input), ...json } : json;
	const [first, ...others] = results.map((result) => ({ ...result, json: whole(result.json) }));
	if (first === undefined) return [];
	const files = includeInputFiles === true && binary !== undefined;
	return [files ? { ...first, binary: { ...binary, ...first.binary } } : first, ...others];
}
