import type {
	ILoadOptionsFunctions,
	INodeListSearchItems,
	INodeListSearchResult,
} from 'n8n-workflow';

import { toNodeError } from '../execution/failures';
import { connect } from '../execution/request';
import { textAt, type JsonObject } from '../service/json';
import { toPage } from '../service/pages';
import type { ServiceRequest } from '../service/request';

/** How one of the service's lists is searched and shown. */
interface SearchableList {
	path: string;
	/** The list's largest page (interface: Limits). */
	limit: number;
	/** The query parameter that searches by name. */
	searchBy: string;
	toChoice(record: JsonObject): INodeListSearchItems | undefined;
}

type ListSearch = (
	this: ILoadOptionsFunctions,
	filter?: string,
	paginationToken?: string,
) => Promise<INodeListSearchResult>;

/**
 * A search over a list, a page at a time. What the service finds is filtered here again, because
 * not every service knows the search parameter.
 */
function search(list: SearchableList): ListSearch {
	return async function (filter, paginationToken) {
		const pageNumber = Number(paginationToken ?? 1);
		const request: ServiceRequest = {
			method: 'GET',
			path: list.path,
			query: { page: pageNumber, limit: list.limit, [list.searchBy]: filter },
		};
		try {
			const client = await connect(this);
			const page = toPage(await client.send(request), list.limit);
			const choices = page.items.flatMap((record) => list.toChoice(record) ?? []);
			const isLast =
				page.items.length === 0 ||
				(page.totalPages === undefined
					? page.items.length < page.limit
					: pageNumber >= page.totalPages);
			return {
				results: choices.filter(({ name, value }) => matches(`${name} ${value}`, filter)),
				...(!isLast && { paginationToken: String(pageNumber + 1) }),
			};
		} catch (error) {
			throw toNodeError(this.getNode(), error, 0);
		}
	};
}

function matches(text: string, filter: string | undefined): boolean {
	return filter === undefined || text.toLowerCase().includes(filter.toLowerCase());
}

function namedChoice(idKey: string): SearchableList['toChoice'] {
	return (record) => {
		const value = textAt(record, idKey);
		if (value === undefined) return undefined;
		const name = textAt(record, 'name') ?? value;
		const type = textAt(record, 'bot_type');
		const url = textAt(record, 'detail_url');
		return {
			name: type === undefined ? name : `${name} (${type})`,
			value,
			...(url !== undefined && { url }),
		};
	};
}

/** Bots that can be run. */
export const searchBots = search({
	path: '/v3/bots',
	limit: 100,
	searchBy: 'keyword',
	toChoice: namedChoice('bot_id'),
});

/** Official templates. */
export const searchTemplates = search({
	path: '/v3/bots/templates',
	limit: 100,
	searchBy: 'keyword',
	toChoice: namedChoice('template_id'),
});

/** Runs, found by the name of their bot. */
export const searchRuns = search({
	path: '/v3/bots/runs',
	limit: 100,
	searchBy: 'bot_name',
	toChoice: (record) => {
		const value = textAt(record, 'task_id');
		if (value === undefined) return undefined;
		const facts = ['bot_name', 'status', 'created_at'].flatMap((key) => textAt(record, key) ?? []);
		return { name: facts.length === 0 ? value : facts.join(', '), value };
	},
});
