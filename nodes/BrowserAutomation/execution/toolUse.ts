import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { condense, withoutNoise } from '../service/json/condense';
import { objectIn, type JsonObject } from '../service/json/json';
import { cancelSignalOf } from '../transport/cancellation';
import { toNodeError } from './failures';
import type { ExecutableOperation } from './executable';
import { hostOf } from './host';

/** The longest answer that an agent gets, in characters of JSON: about 10,000 tokens. */
const MAX_CHARACTERS = 40_000;

/** How many of these the note on what was left out may take. */
const CUTS_CHARACTERS = 4_000;

const HOW_TO_GET_THE_REST =
	'Ask for less: fewer results in the input, a filter, a smaller limit, or fewer fields. The whole output of a run is behind the links in its output_files, where it has them.';

const HOW_TO_GET_NEW_ROWS =
	'This tool does not give these rows again. The whole output of a run is behind the links in its output_files, where it has them.';

/**
 * Makes items for a model to read: without nulls and steps, with the names and sizes of downloaded files, and not too long. The
 * last item says what was left out. Without any items there is one that says so.
 *
 * @param areOnlyNew whether they are rows that come once
 */
export function leanItems(items: INodeExecutionData[], areOnlyNew = false): INodeExecutionData[] {
	if (items.length === 0)
		return [{ json: { hint: 'There is nothing: no results were found.' }, pairedItem: 0 }];
	const lean = items.map((item) => objectIn(withoutNoise(withFileNames(item))));
	const { value, cuts } = condense(lean, MAX_CHARACTERS - CUTS_CHARACTERS);
	const answers = value.map((json, index) => ({ json, ...pairing(items[index]) }));
	if (cuts.length === 0) return answers;
	const cut = {
		shown: cuts,
		to_get_the_rest: areOnlyNew ? HOW_TO_GET_NEW_ROWS : HOW_TO_GET_THE_REST,
	};
	return [...answers, { json: { shortened: cut }, ...pairing(items.at(-1)) }];
}

/** An item's JSON, with the names and sizes of its files where it does not list them itself. */
function withFileNames({ json, binary }: INodeExecutionData): JsonObject {
	const object = objectIn(json);
	if (Object.hasOwn(object, 'files')) return object;
	const files = Object.entries(binary ?? {}).map(
		([property, { fileName, fileSize, mimeType }]) => ({
			name: fileName ?? property,
			...(fileSize !== undefined && { size: fileSize }),
			mime_type: mimeType,
		}),
	);
	return files.length === 0 ? object : { ...object, downloaded_files: files };
}

function pairing(item: INodeExecutionData | undefined): Pick<INodeExecutionData, 'pairedItem'> {
	return item?.pairedItem === undefined ? {} : { pairedItem: item.pairedItem };
}

/** Whether calling a tool that starts runs again would start a second one. */
const AGAIN = {
	started: 'Calling this tool again starts another run.',
	uncertain: 'Calling this tool again may start a second run.',
	notStarted: 'No run was started, so this tool may be called again.',
};

/**
 * Tells an agent of a failure: what happened, what to do, and whether calling again may start a second run. Agents before
 * version 3 show their model nothing of an error, so they get the text as a result.
 *
 * @throws NodeError with all of that in its message, for other agents; and when the execution was stopped
 */
export function failureForAgent(
	context: IExecuteFunctions,
	operation: ExecutableOperation,
	error: unknown,
): INodeExecutionData[] {
	const nodeError = toNodeError(context.getNode(), error, 0);
	const { message, description, context: errorContext } = nodeError;
	const facts = objectIn(errorContext.data);
	const taskIds = Array.isArray(facts.task_ids) ? facts.task_ids : [];
	const advice = description ?? '';
	const words = message.includes(advice) ? message : `${message}. ${advice}`;
	const unstarted = facts.uncertain_items === undefined ? AGAIN.notStarted : AGAIN.uncertain;
	const again = taskIds.length > 0 ? AGAIN.started : unstarted;
	const startsRuns = 'run' in operation && 'start' in operation.run;
	const failed = startsRuns ? `${words.replace(/(?<![.!?])$/, '.')} ${again}` : words;
	if (hostOf(context).tool !== 'supplied' || cancelSignalOf(context)?.aborted === true) {
		// The editor shows what is in the place of a description, too.
		delete errorContext.descriptionTemplate;
		throw Object.assign(nodeError, { message: failed, description: undefined });
	}
	// Not under "error": n8n would take it for a reason to carry the node out again.
	const json = { failed, ...(taskIds.length > 0 && { task_ids: taskIds }) };
	return [{ json, pairedItem: { item: 0 } }];
}
