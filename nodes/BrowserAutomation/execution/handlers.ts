import { HelpfulError, ServiceError } from '../service/errors';
import { isJsonObject, type JsonObject, type JsonValue } from '../service/json/json';
import { readList, shortfall, toPage } from '../service/http/pages';
import type { ServiceRequest } from '../service/http/request';
import { presentRun, presentSummaries, type Notes } from '../service/runs/runOutput';
import { readRun } from '../service/runs/oneRun';
import { taskIdIn, V2_TASKS } from '../service/runs/runApi';
import {
	ATTACHING_FILES_FIELDS,
	DOWNLOAD_FIELDS,
	keepInputFilesOption,
	readAttachingSettings,
	readDownloadSettings,
} from '../fields/files';
import { downloadFilesOf } from './files/downloadFiles';
import {
	LIST_OUTPUT_FIELDS,
	readListOutput,
	readResultOutput,
	readStateOutput,
	RESULT_FIELDS,
	STATE_FIELDS,
} from '../fields/output';
import { withNotes } from './notes';
import type { Handler, ItemCall, ItemResult } from './operation';
import { limitField, mostPagesField, PAGING_FIELDS, returnAllField } from '../fields/requests';
import { fileItem, resultItems, withInputFiles } from './runResult';

/** Pages asked for at once when all are wanted and the service says how many there are. */
const PAGES_AHEAD = 4;

/** One item: the resource itself, with the ID that was asked about where the service leaves it out. */
export const item: Handler = async (request, { client }) => [
	{ json: { ...request.about, ...asObject(await client.send({ expects: {}, ...request })) } },
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
runResult.fields = [...RESULT_FIELDS, ...ATTACHING_FILES_FIELDS];

/** One item with the files of a run as binary fields. A run without files gives an empty list. */
export const runFiles: Handler = async (request, { client, context, values, itemIndex }) => {
	const settings = readDownloadSettings(values);
	const run = asObject(await client.send(request));
	const files = await downloadFilesOf({ context, client, request, run }, settings);
	const results = [fileItem(run, files)];
	return withInputFiles(context, itemIndex, results, values(keepInputFilesOption));
};
runFiles.fields = DOWNLOAD_FIELDS;

/** One item for each element of a list that is not paged. */
export const list: Handler = async (request, { client }) =>
	toResults(toPage(await client.send({ ...request, expects: 'list' })).items);

/** One item that says this, for answers without content, and which thing it is about. */
function saying(json: JsonObject): Handler {
	return async (request, { client }) => {
		await client.send(request);
		return [{ json: { ...request.about, ...json } }];
	};
}

export const done = saying({ success: true });

export const deleted = saying({ deleted: true });

/** A task as it is after the service did something to it, for answers without content. */
export const taskAfterwards: Handler = async (request, { client, context, values }) => {
	const view = readStateOutput(values);
	await client.send(request);
	const taskId = String(request.about?.task_id);
	const run = await readRun(client, V2_TASKS, taskId).catch((error: unknown) => {
		const reason = error instanceof Error ? error.message : String(error);
		throw new HelpfulError(
			`The service accepted the request, but task ${taskId} could not be read afterwards: ${reason}`,
			'Do not repeat the request: read the task with Task (V2) > Get.',
		);
	});
	const { items, notes } = presentRun(run, view);
	return withNotes(context, toResults(items), notes);
};
taskAfterwards.fields = STATE_FIELDS;

/**
 * The records of a paged list, up to Limit or to its end (Return All), and what the service announced and did not give.
 *
 * @param max the list's largest page (docs/service.md: Limits)
 */
async function readRecords(
	request: ServiceRequest,
	{ client, values }: ItemCall,
	max: number,
): Promise<{ items: JsonObject[]; notes: Notes }> {
	const most = values(returnAllField) ? Infinity : values(limitField);
	const mostPages = values(mostPagesField);
	const limit = Math.min(most, max);
	const { items, end } = await readList({
		readPage: async (pageNumber) => {
			const query = { ...request.query, page: pageNumber, limit };
			return toPage(await client.send({ ...request, query, expects: 'records' }));
		},
		most,
		mostPages,
		ahead: PAGES_AHEAD,
	});
	if (end.next === undefined) return { items, notes: { shortfall: shortfall(end) } };
	throw new HelpfulError(
		`The list goes on after ${mostPages} pages with ${end.count} records`,
		'Raise Max Pages under Options if the list is that long, narrow it down by Filters, or turn off Return All and set a Limit.',
	);
}

/** One item for each record of a paged list. */
export function page({ max }: { max: number }): Handler {
	const handler: Handler = async (request, call) => {
		const { items, notes } = await readRecords(request, call, max);
		return withNotes(call.context, toResults(items), notes);
	};
	handler.fields = PAGING_FIELDS;
	return handler;
}

/** One item for each run of a paged list, as the user wants to see it. */
export function runPage({ max }: { max: number }): Handler {
	const handler: Handler = async (request, call) => {
		const view = readListOutput(call.values);
		const { items: runs, notes } = await readRecords(request, call, max);
		const other = runs.findIndex((run) => taskIdIn(run) === undefined);
		if (other !== -1) {
			throw new ServiceError(
				`Record ${other + 1} of the service’s list of runs is no run: it has no ID`,
				'Check that the Base URL of the credential is the service’s API, then try again.',
			);
		}
		const shown = presentSummaries(runs, view);
		return withNotes(call.context, toResults(shown.items), { ...notes, ...shown.notes });
	};
	handler.fields = [...PAGING_FIELDS, ...LIST_OUTPUT_FIELDS];
	return handler;
}

function toResults(items: JsonObject[]): ItemResult[] {
	return items.map((json) => ({ json }));
}

/** An answer as items' JSON: the elements of a list, else the answer itself. */
export function asItems(body: JsonValue | undefined): JsonObject[] {
	return Array.isArray(body) ? body.map(asObject) : [asObject(body)];
}

/** An answer as an item's JSON: n8n's items are objects, so anything else is put under `value`. */
function asObject(body: JsonValue | undefined): JsonObject {
	if (isJsonObject(body)) return body;
	return body === undefined || body === null ? {} : { value: body };
}
