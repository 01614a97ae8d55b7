import type { INodeListSearchItems } from 'n8n-workflow';

import { asPlainText, isExpression } from './expressions';
import { textAt, type JsonObject } from '../service/json/json';
import { path, type ServiceRequest } from '../service/http/request';
import { V2_TASKS, V3_RUNS } from '../service/runs/runApi';

/** One of the service's lists, as choices in the editor. */
export interface ChoiceList {
	path: string;
	/** The list's largest page (docs/service.md: Limits), or its default where that is not shown. */
	limit: number;
	/** The query parameter that searches by name, where there is one. */
	searchBy?: string;
	/** The request for the one record with an ID, which searching by name does not find. */
	recordRequest(id: string): ServiceRequest;
	/** Where a record has its ID: the first of these that it has. */
	idKeys: readonly string[];
	/** What tells records apart: the first of these that a record has is its title. */
	titleKeys: readonly string[];
	/** What is shown behind the title, in parentheses. */
	factKeys: readonly string[];
	/** Whether the time is worth showing: many records bear the same title. */
	showsTime?: boolean;
}

/** When a record was made or published, what it is for, and the service's page about it: by the first of these that it has. */
const TIME_KEYS = ['published_at', 'publish_at', 'created_at', 'create_at'];
const DESCRIPTION_KEYS = ['recommend_desc', 'recommendDesc', 'description'];
const URL_KEYS = ['detail_url', 'detailUrl', 'log_detail_url'];

export const BOTS: ChoiceList = {
	path: '/v3/bots',
	limit: 100,
	searchBy: 'keyword',
	recordRequest: (id) => ({ method: 'GET', path: path`/v3/bots/${id}`, expects: { bot_id: id } }),
	idKeys: ['bot_id'],
	titleKeys: ['name'],
	factKeys: ['bot_type'],
};

export const TEMPLATES: ChoiceList = {
	path: '/v3/bots/templates',
	limit: 500,
	searchBy: 'keyword',
	recordRequest: (id) => ({
		method: 'GET',
		path: path`/v3/bots/templates/${id}`,
		expects: { template_id: id },
	}),
	idKeys: ['template_id'],
	titleKeys: ['name'],
	factKeys: ['bot_type'],
};

export const RUNS: ChoiceList = {
	path: V3_RUNS.listRequest().path,
	limit: V3_RUNS.listLimit,
	searchBy: 'bot_name',
	recordRequest: V3_RUNS.detailRequest,
	idKeys: ['task_id'],
	titleKeys: ['bot_name', 'task_id'],
	factKeys: ['bot_type', 'status'],
	showsTime: true,
};

export const WORKFLOWS: ChoiceList = {
	path: '/v2/workflow/list-workflows',
	limit: 500,
	recordRequest: (id) => ({
		method: 'GET',
		path: '/v2/workflow/get-workflow',
		query: { workflow_id: id },
		expects: { id },
	}),
	idKeys: ['id'],
	titleKeys: ['name'],
	factKeys: [],
};

export const WORKFLOW_TEMPLATES: ChoiceList = {
	path: '/v2/workflow/list-official-workflow-templates',
	limit: 500,
	searchBy: 'keyword',
	recordRequest: (id) => ({
		method: 'GET',
		path: '/v2/workflow/get-official-workflow-template',
		query: { workflow_template_id: id },
		expects: { name: null },
	}),
	idKeys: ['templateId', 'id'],
	titleKeys: ['name'],
	factKeys: [],
};

export const TASKS: ChoiceList = {
	path: V2_TASKS.listRequest().path,
	limit: V2_TASKS.listLimit,
	searchBy: 'workflow_name',
	recordRequest: V2_TASKS.detailRequest,
	idKeys: ['id'],
	titleKeys: ['workflow_name', 'id'],
	factKeys: ['status'],
	showsTime: true,
};

export const BROWSERS: ChoiceList = {
	path: '/v2/browser',
	limit: 20,
	recordRequest: (id) => ({ method: 'GET', path: path`/v2/browser/${id}`, expects: { id } }),
	idKeys: ['id'],
	titleKeys: ['name'],
	factKeys: ['type', 'status'],
};

/**
 * A list's records as choices, newest first. Records without an ID cannot be chosen, nor those whose
 * ID n8n would take for an expression. Names that are alike have the ends of their IDs beside them.
 */
export function toChoices(list: ChoiceList, records: JsonObject[]): INodeListSearchItems[] {
	const named = [...records]
		.sort((a, b) => (timeOf(b) ?? 0) - (timeOf(a) ?? 0))
		.flatMap((record) => {
			const id = firstText(record, list.idKeys);
			if (id === undefined || isExpression(id)) return [];
			return { record, id, name: nameOf(list, record, id) };
		});
	const idsByName = new Map<string, Set<string>>();
	for (const { name, id } of named) {
		const ids = idsByName.get(name);
		if (ids === undefined) idsByName.set(name, new Set([id]));
		else ids.add(id);
	}
	const ends = new Map([...idsByName].map(([name, ids]) => [name, endLength(ids)]));
	return named.map(({ record, id, name }) => {
		const length = ends.get(name) ?? 0;
		const shown = length === 0 ? name : nameOf(list, record, id, `…${id.slice(-length)}`);
		return toChoice(record, id, shown);
	});
}

const SHORTEST_END = 4;
const LONGEST_END = 32;

/**
 * How many characters at the end of IDs tell them apart; none where there is only one. IDs that are
 * alike for very long are not told apart.
 */
function endLength(ids: ReadonlySet<string>): number {
	if (ids.size < 2) return 0;
	let length = SHORTEST_END;
	const areAlike = (): boolean => new Set([...ids].map((id) => id.slice(-length))).size < ids.size;
	while (length < LONGEST_END && areAlike()) length++;
	return length;
}

/** What the editor may open: a link to anything else could run in it. */
const WEB_ADDRESS = /^https?:\/\//i;

function toChoice(record: JsonObject, value: string, name: string): INodeListSearchItems {
	const url = firstText(record, URL_KEYS) ?? '';
	const description = firstText(record, DESCRIPTION_KEYS);
	return {
		name: asPlainText(name),
		value,
		...(WEB_ADDRESS.test(url) && { url }),
		...(description !== undefined && { description }),
	};
}

/** E.g. "Product Scraper (workflow)" or "Product Scraper (workflow, finished, 2026-01-31 09:00 UTC)". */
function nameOf(list: ChoiceList, record: JsonObject, id: string, endOfId?: string): string {
	const facts = list.factKeys.flatMap((key) => textAt(record, key) ?? []);
	const time = list.showsTime === true ? timeOf(record) : undefined;
	if (time !== undefined) {
		facts.push(`${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`);
	}
	if (endOfId !== undefined) facts.push(endOfId);
	const title = firstText(record, list.titleKeys) ?? id;
	return facts.length === 0 ? title : `${title} (${facts.join(', ')})`;
}

function firstText(record: JsonObject, keys: readonly string[]): string | undefined {
	return keys.map((key) => textAt(record, key)).find((text) => text !== undefined);
}

/** In milliseconds since 1970. */
function timeOf(record: JsonObject): number | undefined {
	const time = Date.parse(firstText(record, TIME_KEYS) ?? '');
	return Number.isNaN(time) ? undefined : time;
}
