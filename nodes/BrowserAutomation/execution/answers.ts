import { isJsonObject, type JsonObject, type JsonValue } from '../service/json';
import { readPages, toPage } from '../service/pages';
import { presentRun } from '../service/runOutput';
import { outputField } from './output';
import type { Answer, ItemResult } from './operation';
import { limitField, returnAllField } from './paging';

/** Pages asked for at once when all are wanted and the service says how many there are. */
const PAGES_AHEAD = 4;

/** One item: the resource itself. */
export const item: Answer = async (request, { client }) => [
	{ json: asObject(await client.send(request)) },
];

/** A run as the user wants to see it: its key fields, its rows, or all of it. */
export const runResult: Answer = async (request, { client, values }) =>
	presentRun(asObject(await client.send(request)), values(outputField)).map((json) => ({ json }));

/** One item for each element of a bare list. */
export const list: Answer = async (request, { client }) =>
	toPage(await client.send(request), Infinity).items.map((json) => ({ json }));

/** One item that says it worked, for answers without content. */
export const done: Answer = async (request, { client }) => {
	await client.send(request);
	return [{ json: { success: true } }];
};

/** One item that says the thing is gone. */
export const deleted: Answer = async (request, { client }) => {
	await client.send(request);
	return [{ json: { deleted: true } }];
};

/**
 * One item for each record of a paged list, up to Limit or to its end (Return All).
 *
 * @param max the list's largest page (interface: Limits)
 */
export function page({ max }: { max: number }): Answer {
	return async (request, { client, values }) => {
		const most = values(returnAllField) ? Infinity : values(limitField);
		const limit = Math.min(most, max);
		const pages = readPages({
			readPage: async (pageNumber) =>
				toPage(
					await client.send({ ...request, query: { ...request.query, page: pageNumber, limit } }),
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

/** An answer as an item's JSON: n8n's items are objects, so anything else is put under `value`. */
function asObject(body: JsonValue | undefined): JsonObject {
	if (isJsonObject(body)) return body;
	return body === undefined ? {} : { value: body };
}
