import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { connect } from '../transport/client';
import type { ServiceClient } from '../service/http/client';
import { isJsonObject, type JsonObject } from '../service/json/json';
import { readList, toPage } from '../service/http/pages';
import type { ServiceRequest } from '../service/http/request';
import {
	BOTS,
	BROWSERS,
	RUNS,
	TASKS,
	TEMPLATES,
	toChoices,
	WORKFLOW_TEMPLATES,
	WORKFLOWS,
	type ChoiceList,
} from './choices';

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/** Pages read for one scroll of the editor's list; they are sorted together, newest first. */
const PAGES_A_SCROLL = 5;

/** Longest search text that the service takes (docs/service.md: Limits). */
const KEYWORD_MAX_LENGTH = 200;

/**
 * A search over one of the service's lists, to its end as the user scrolls. What the service finds
 * is filtered here again, because not every list has a search parameter. What may be an ID is asked
 * for directly first, however long the list is.
 *
 * @throws NodeApiError or NodeOperationError that says why the list cannot be shown
 */
function search(list: ChoiceList): ListSearch {
	return async function (filter = '', paginationToken) {
		const wanted = filter.trim();
		const query = { limit: list.limit, ...searchQuery(list, wanted) };
		try {
			const client = await connect(this);
			if (paginationToken === undefined && LIKE_AN_ID.test(wanted)) {
				const found = await readRecord(client, list.recordRequest(wanted));
				if (found !== undefined) return { results: toChoices(list, [found]) };
			}
			const request: ServiceRequest = { method: 'GET', path: list.path, expects: 'list' };
			const { items, end } = await readList({
				readPage: async (page) =>
					toPage(await client.send({ ...request, query: { ...query, page } })),
				most: Infinity,
				mostPages: PAGES_A_SCROLL,
				ahead: PAGES_A_SCROLL,
				first: Number(paginationToken ?? 1),
			});
			const isFound = ({ name, value }: INodeListSearchItems): boolean =>
				`${name} ${value}`.toLowerCase().includes(wanted.toLowerCase());
			return {
				results: toChoices(list, items).filter(isFound),
				...(end.next !== undefined && { paginationToken: String(end.next) }),
			};
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};
}

/** Digits, or a name without spaces that is long and has a digit in it. */
const LIKE_AN_ID = /^(\d+|(?=.*\d)[\w-]{8,})$/;

/** One record; undefined where the service gives none. */
async function readRecord(
	client: ServiceClient,
	request: ServiceRequest,
): Promise<JsonObject | undefined> {
	try {
		const record = await client.send({ ...request, once: true });
		return isJsonObject(record) ? record : undefined;
	} catch {
		return undefined;
	}
}

/** Digits may be an ID, which the service's search by name does not find. */
function searchQuery({ searchBy }: ChoiceList, wanted: string): Record<string, string> {
	const isName = wanted !== '' && !/^\d+$/.test(wanted) && wanted.length <= KEYWORD_MAX_LENGTH;
	return searchBy !== undefined && isName ? { [searchBy]: wanted } : {};
}

/** Bots that can be run. */
export const searchBots = search(BOTS);

/** Official templates. */
export const searchTemplates = search(TEMPLATES);

/** Runs, found by the name of their bot. */
export const searchRuns = search(RUNS);

/** Workflows. */
export const searchWorkflows = search(WORKFLOWS);

/** Official workflow templates. */
export const searchWorkflowTemplates = search(WORKFLOW_TEMPLATES);

/** Tasks, found by the name of their workflow. */
export const searchTasks = search(TASKS);

/** Browser instances. */
export const searchBrowsers = search(BROWSERS);
