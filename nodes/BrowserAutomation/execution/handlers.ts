import type { Field, ReadParam } from '../fields/field';
import { DOWNLOAD, includeInputFilesOption } from '../fields/files';
import { fullResponseOption, neverErrorOption } from '../fields/bodies';
import { LISTED, RESULT } from '../fields/output';
import { lastRunBotField, lastRunStatusField, whichRunField } from '../fields/records';
import { PAGING } from '../fields/requests';
import { attempt } from '../service/attempt';
import { errorFacts, hasCode, HelpfulError, messageOf, ServiceError } from '../service/errors';
import { isRefused, readContent, type BytesAnswer, type Content } from '../service/http/content';
import { TASK_ALREADY_COMPLETED } from '../service/http/errorCodes';
import { MAX_PAGES, readList, shortfall, toPage } from '../service/http/pages';
import { isJsonObject, type JsonObject, type JsonValue } from '../service/json/json';
import { readRun } from '../service/runs/oneRun';
import { RunList } from '../service/runs/runList';
import { taskIdIn, toRunStatus, V2_TASKS, V3_RUNS } from '../service/runs/runApi';
import { presentRun, presentSummaries, type Presentation } from '../service/runs/runOutput';
import { downloadFilesOf, withLateOutput } from './files/downloadFiles';
import { withHints } from './hints';
import type { Handler, ItemResult } from './executable';
import { fileItem, resultItems, withInput } from './runResult';

/** One item: the resource as the service returns it, with the requested ID if the answer has none. */
export const item: Handler = async (request, { client }) => [
	{ json: { ...request.about, ...asObject(await client.send({ expects: {}, ...request })) } },
];

/** A run in the user's choice of Output, with its files. */
export const runResult: Handler = async (request, { client, values, context, itemIndex }) => {
	const run = asObject(await client.send(request));
	const settings = RESULT.read(values);
	const results = await resultItems({ context, client, request, run }, settings);
	return withInput(context, itemIndex, results, settings);
};
runResult.fields = RESULT.fields;

/** The same, of the chosen run or of a bot's last run. @throws HelpfulError where the bot has none */
export const runOrLast: Handler = async (request, call) => {
	const { client, values } = call;
	if (values(whichRunField) === 'id') return await runResult(request, call);
	const status = values(lastRunStatusField);
	const wanted = status === 'any' ? undefined : toRunStatus(status);
	const run = await new RunList(client, values(lastRunBotField)).findNewest(wanted);
	if (run !== undefined) return await runResult(V3_RUNS.detailRequest(run.taskId), call);
	throw new HelpfulError(
		`The bot has no run${wanted === undefined ? '' : ` with the status ${wanted}`}`,
		"Choose another bot, or another 'Status'. Runs of templates belong to no bot: set 'Which Run' to 'Chosen Below'.",
	);
};
runOrLast.fields = RESULT.fields;

/** One item with the files of a run as binary fields, listed under `files`. */
export const runFiles: Handler = async (request, { client, context, values, itemIndex }) => {
	const settings = DOWNLOAD.read(values);
	const run = asObject(await client.send(request));
	const reading = await withLateOutput({ context, client, request, run });
	const files = await downloadFilesOf(reading, settings);
	const includeInputFiles = values(includeInputFilesOption);
	return withInput(context, itemIndex, [fileItem(run, files)], { includeInputFiles });
};
runFiles.fields = DOWNLOAD.fields;

/** One item for each element of a list that is not paged. */
export const list: Handler = async (request, { client }) =>
	toResults(toPage(await client.send({ ...request, expects: 'list' })).items);

/** One item with these fields, for answers without content. */
function saying(json: JsonObject): Handler {
	return async (request, { client }) => {
		await client.send(request);
		return [{ json }];
	};
}

export const done = saying({ success: true });

export const deleted = saying({ deleted: true });

/**
 * One item with a task's key fields, read after the request: the service's answer has no content.
 *
 * @param nothingLeft refusals with these codes count as success: nothing was left to do
 */
function taskAfterwards(...nothingLeft: number[]): Handler {
	return async (request, { client, context }) => {
		const sent = await attempt(client.send(request));
		if (!sent.ok && !nothingLeft.some((code) => hasCode(sent.error, code))) throw sent.error;
		const taskId = String(request.about?.task_id);
		const run = await readRun(client, V2_TASKS, taskId).catch((error: unknown) => {
			throw new HelpfulError(
				`The service accepted the request, but task ${taskId} could not be read afterwards: ${messageOf(error)}`,
				'Do not repeat the request: read the task with Task (V2) > Get.',
				undefined,
				errorFacts(error),
			);
		});
		const { items, hints } = presentRun(run, { output: 'simplified' });
		return withHints(context, toResults(items), hints, taskId);
	};
}

export const taskResumed = taskAfterwards();

/** A task that has ended counts as stopped, whether the service says so or refuses (docs/service.md: V2 workflow). */
export const taskStopped = taskAfterwards(TASK_ALREADY_COMPLETED);

/**
 * One item for each record of a paged list, up to 'Limit' or to its end ('Return All'). A hint tells if the
 * service announced more records than it sent.
 *
 * @param maxPerPage the list's largest page (docs/service.md: Limits)
 * @param presenting reads the user's settings before any request, and gives what makes items of the records
 */
function paged(
	maxPerPage: number,
	fields: ReadonlyArray<Field<unknown>>,
	presenting: (values: ReadParam) => (records: JsonObject[]) => Presentation,
): Handler {
	const handler: Handler = async (request, { client, context, values }) => {
		const present = presenting(values);
		const max = PAGING.read(values);
		const limit = Math.min(max, maxPerPage);
		const { items: records, end } = await readList({
			readPage: async (pageNumber) => {
				const query = { ...request.query, page: pageNumber, limit };
				return toPage(await client.send({ ...request, query, expects: 'records' }));
			},
			max,
			ahead: 4,
		});
		if (end.next !== undefined) {
			throw new HelpfulError(
				`The list goes on after ${MAX_PAGES} pages with ${end.count} records`,
				"Narrow it down by 'Filters', or turn off 'Return All' and set a 'Limit'.",
			);
		}
		const { items, hints } = present(records);
		return withHints(context, toResults(items), { shortfall: shortfall(end), ...hints });
	};
	handler.fields = fields;
	return handler;
}

/** One item for each record of a paged list. */
export function page({ max }: { max: number }): Handler {
	return paged(max, PAGING.fields, () => (items) => ({ items, hints: {} }));
}

/** One item for each run of a paged list, in the user's choice of Output. */
export function runPage({ max }: { max: number }): Handler {
	return paged(max, [...PAGING.fields, ...LISTED.fields], (values) => {
		const view = LISTED.read(values);
		return (runs) => {
			const other = runs.findIndex((run) => taskIdIn(run) === undefined);
			if (other === -1) return presentSummaries(runs, view);
			throw new ServiceError(
				`Record ${other + 1} of the service’s list of runs is no run: it has no ID`,
			);
		};
	});
}

/**
 * The answer of the CLI backend, by its content type: JSON as items, text under `text`, anything else as
 * the binary file `data`. With HEAD, OPTIONS, or the option for the full response, the item has
 * `statusCode` and `headers`, and the content as `body` or `data`: the names of n8n's HTTP Request node.
 */
export const forwarded: Handler = async (request, { client, context, values }) => {
	const [neverFails, isFull] = [values(neverErrorOption), values(fullResponseOption)];
	let answer: BytesAnswer = { status: 200, headers: {}, bytes: Buffer.alloc(0) };
	const take = (latest: BytesAnswer): boolean => {
		answer = latest;
		return neverFails || !isRefused(latest);
	};
	await client.send({ ...request, take });
	const { bytes, status: statusCode } = answer;
	const hasNoBody = ['HEAD', 'OPTIONS'].includes(request.method);
	const content: Content = hasNoBody ? { kind: 'none' } : readContent(answer);
	const texts = Object.entries(answer.headers).map(([name, value = '']) => [name, value] as const);
	const head = { statusCode, headers: Object.fromEntries(texts) };
	const isWhole = isFull || hasNoBody;
	switch (content.kind) {
		case 'none':
			return [{ json: isWhole ? head : { success: statusCode >= 200 && statusCode < 300 } }];
		case 'json': {
			const { value } = content;
			if (isWhole) return [{ json: { ...head, body: value } }];
			return toResults((Array.isArray(value) ? value : [value]).map(asObject));
		}
		case 'text':
			return [{ json: isWhole ? { ...head, body: content.text } : { text: content.text } }];
		case 'file': {
			const { fileName, mimeType } = content;
			const data = await context.helpers.prepareBinaryData(bytes, fileName, mimeType);
			const json = { file_name: fileName, mime_type: data.mimeType, file_size: bytes.length };
			return [{ json: isWhole ? { ...head, ...json } : json, binary: { data } }];
		}
	}
};
forwarded.fields = [fullResponseOption, neverErrorOption];

function toResults(items: JsonObject[]): ItemResult[] {
	return items.map((json) => ({ json }));
}

/** An answer as an item's JSON. n8n's items are objects: any other value is put under `value`. */
function asObject(body: JsonValue | undefined): JsonObject {
	if (isJsonObject(body)) return body;
	return body === undefined || body === null ? {} : { value: body };
}
