import { attempt } from '../service/attempt';
import { HelpfulError } from '../service/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../service/json';
import { readPages, toPage } from '../service/pages';
import type { ServiceRequest } from '../service/request';
import { presentRun, summarizeRun } from '../service/runOutput';
import { readRun, V2_TASKS } from '../service/runs';
import { keepInputFilesOption, readAttachingSettings } from '../fields/files';
import { withInputFiles } from './files/inputFiles';
import { readListOutput, readResultOutput, readStateOutput } from '../fields/output';
import type { Handler, ItemResult } from './operation';
import { limitField, returnAllField } from '../fields/paging';
import { resultItems } from './runResult';

/** Pages asked for at once when all are wanted and the service says how many there are. */
const PAGES_AHEAD = 4;

/** One item: the resource itself. */
export const item: Handler = async (request, { client }) => [
	{ json: asObject(await client.send({ expects: {}, ...request })) },
];

/** A run as the user wants to see it: its key fields, its rows or all of it, and its files. */
export const runResult: Handler = async (request, { client, values, context, itemIndex }) => {
	const run = asObject(await client.send(request));
	const results = await resultItems(
		{ context, client, request, run },
		{ ...readResultOutput(values), files: readAttachingSettings(values) },
	);
	return withInputFiles(context, itemIndex, results, values(keepInputFilesOption));
};

/** One item for each element of a list that is not paged. */
export const list: Handler = async (request, { client }) =>
	toPage(await client.send({ ...request, expects: 'list' }), Infinity).items.map((json) => ({
		json,
	}));

/** One item that says it worked, for answers without content. */
export const done: Handler = async (request, { client }) => {
	await client.send(request);
	return [{ json: { success: true } }];
};

/** One item that says the thing is gone. */
export const deleted: Handler = async (request, { client }) => {
	await client.send(request);
	return [{ json: { deleted: true } }];
};

/**
 * One item for each record of a paged list, up to Limit or to its end (Return All).
 *
 * @param max the list's largest page (docs/service.md: Limits)
 */
export function page({ max }: { max: number }): Handler {
	return async (request, { client, values }) => {
		const most = values(returnAllField) ? Infinity : values(limitField);
		const limit = Math.min(most, max);
		const pages = readPages({
			readPage: async (pageNumber) =>
				toPage(
					await client.send({
						...request,
						query: { ...request.query, page: pageNumber, limit },
						expects: 'list',
					}),
					limit,
				),
			most,
			ahead: PAGES_AHEAD,
		});
		const results: ItemResult[] = [];
		for await (const records of pages) {
			for (const json of records) results.push({ json });
		}
		return results;
	};
}

/** One item for each run of a paged list, as the user wants to see it. */
export function runPage(list: { max: number }): Handler {
	const whole = page(list);
	return async (request, call) => {
		const { output, fields } = readListOutput(call.values);
		const runs = await whole(request, call);
		return runs.map(({ json }) => ({ json: summarizeRun(json, output, fields) }));
	};
}

/** A task as it is after the service did something to it, for answers without content. */
export const taskAfterwards: Handler = async (request, { client, values }) => {
	const { output, fields } = readStateOutput(values);
	await client.send(request);
	const taskId = taskIdIn(request);
	const read = await attempt(readRun(client, V2_TASKS, taskId));
	if (read.ok) return presentRun(read.value, output, fields).map((json) => ({ json }));
	const reason = read.error instanceof Error ? read.error.message : String(read.error);
	throw new HelpfulError(
		`The service accepted the request, but task ${taskId} could not be read afterwards: ${reason}`,
		'Do not repeat the request: read the task with Task > Get.',
	);
};

/** The status of a task, with the ID that the service leaves out (V2: get-task-status). */
export const taskStatus: Handler = async (request, { client }) => [
	{
		json: {
			task_id: taskIdIn(request),
			...asObject(await client.send(request)),
		},
	},
];

function taskIdIn({ query }: ServiceRequest): string {
	return String(query?.task_id ?? '');
}

/** An answer as items' JSON: the elements of a list, else the answer itself. */
export function asItems(body: JsonValue | undefined): JsonObject[] {
	return Array.isArray(body) ? body.map(asObject) : [asObject(body)];
}

/** An answer as an item's JSON: n8n's items are objects, so anything else is put under `value`. */
export function asObject(body: JsonValue | undefined): JsonObject {
	if (isJsonObject(body)) return body;
	return body === undefined || body === null ? {} : { value: body };
}
