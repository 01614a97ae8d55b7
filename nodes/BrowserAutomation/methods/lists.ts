import {
	isExpression,
	type ILoadOptionsFunctions,
	type INodeListSearchItems,
	type INodePropertyOptions,
} from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { readList, toPage } from '../service/http/pages';
import { isJsonObject, textAt, type JsonObject } from '../service/json/json';
import { momentOf } from '../service/schema/dateTime';
import { withoutArguments } from '../service/schema/form';
import { searchForm } from '../service/text';
import { asking, recordRequest, SUBJECTS, type Subject } from './subjects';

/** The search for each subject, by the name that its field has for it. */
export const listSearch = {
	searchBots: search(SUBJECTS.bot),
	searchTemplates: search(SUBJECTS.template),
	searchRuns: search(SUBJECTS.run),
	searchWorkflows: search(SUBJECTS.workflow),
	searchWorkflowTemplates: search(SUBJECTS.workflowTemplate),
	searchTasks: search(SUBJECTS.task),
	searchBrowsers: search(SUBJECTS.browser),
};

/** Pages read for one scroll of the editor's list; they are sorted together, newest first. */
const PAGES_A_SCROLL = 5;

/**
 * A name to search for, as long as the service takes it (docs/service.md: Limits). Digits alone may be an
 * ID, which the search by name does not find.
 */
const NAME = /^(?!\d+$).{1,200}$/su;

/**
 * A search over one of the service's lists, to its end as the user scrolls. What the service finds
 * is filtered here again, because not every list has a search parameter. What may be an ID is asked
 * for directly first, however long the list is.
 */
function search(subject: Subject) {
	return async function (this: ILoadOptionsFunctions, filter = '', paginationToken?: string) {
		const wanted = filter.trim();
		const { path, limit, searchBy } = subject;
		const isName = searchBy !== undefined && NAME.test(wanted);
		const query = { limit, ...(isName && { [searchBy]: wanted }) };
		const request = { method: 'GET', path, expects: 'list' } as const;
		return await asking(this, async (client) => {
			if (paginationToken === undefined && LIKE_AN_ID.test(wanted)) {
				const read = await attempt(
					client.send({ ...recordRequest(subject, wanted), mayRepeat: false }),
				);
				if (read.ok && isJsonObject(read.value)) {
					return { results: toChoices(subject, [{ id: wanted, ...read.value }]) };
				}
			}
			const { items, end } = await readList({
				readPage: async (page) =>
					toPage(await client.send({ ...request, query: { ...query, page } })),
				maxPages: PAGES_A_SCROLL,
				ahead: PAGES_A_SCROLL,
				first: Number(paginationToken ?? 1),
			});
			const isFound = ({ name, value }: INodeListSearchItems): boolean =>
				searchForm(`${name} ${value}`).includes(searchForm(wanted));
			return {
				results: toChoices(subject, items).filter(isFound),
				...(end.next !== undefined && { paginationToken: String(end.next) }),
			};
		});
	};
}

/** Digits, or a name without spaces that is long and has a digit in it. */
const LIKE_AN_ID = /^(\d+|(?=.*\d)[\w-]{8,})$/;

/** Names of a record's time, purpose and page; the first that it has counts. */
const TIME_KEYS = ['published_at', 'publish_at', 'created_at', 'create_at'];
const DESCRIPTION_KEYS = ['recommend_desc', 'recommendDesc', 'description'];
const URL_KEYS = ['detail_url', 'detailUrl', 'log_detail_url'];

/**
 * A list's records as choices, newest first. Records without an ID cannot be chosen, nor those whose
 * ID n8n would take for an expression. Names that are alike have their IDs beside them.
 */
function toChoices(subject: Subject, records: JsonObject[]): INodeListSearchItems[] {
	const named = [...records]
		.sort((a, b) => (timeOf(b) ?? 0) - (timeOf(a) ?? 0))
		.flatMap((record) => {
			const id = firstText(record, [subject.idKey ?? 'id', 'id']);
			return id === undefined ? [] : { record, id, name: choiceName(subject, record, id) };
		});
	const lastIds = new Map(named.map(({ name, id }) => [name, id]));
	const others = named.filter(({ name, id }) => lastIds.get(name) !== id);
	const alike = new Set(others.map(({ name }) => name));
	const choices = named.map(({ record, id, name }) => {
		const url = firstText(record, URL_KEYS) ?? '';
		const description = firstText(record, DESCRIPTION_KEYS);
		return {
			name: alike.has(name) ? choiceName(subject, record, id, [id]) : name,
			value: id,
			...(WEB_ADDRESS.test(url) && isPlain(url) && { url }),
			...(description !== undefined && { description }),
		};
	});
	return choosable(choices);
}

/** Links that the editor may open; others could run code in it. */
const WEB_ADDRESS = /^https?:\/\//i;

/** E.g. "Product Scraper" or "Product Scraper (finished, 2026-01-31 09:00 UTC)". */
function choiceName(
	{ titleKey, factKeys = [] }: Subject,
	record: JsonObject,
	id: string,
	further: string[] = [],
): string {
	const time = titleKey === undefined ? undefined : timeOf(record);
	const facts = [
		...factKeys.flatMap((key) => textAt(record, key) ?? []),
		...(time === undefined
			? []
			: [`${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`]),
		...further,
	];
	const title = textAt(record, titleKey ?? 'name') ?? id;
	return facts.length === 0 ? title : `${title} (${facts.join(', ')})`;
}

function firstText(record: JsonObject, keys: readonly string[]): string | undefined {
	return keys.map((key) => textAt(record, key)).find((text) => text !== undefined);
}

/** In milliseconds since 1970. */
function timeOf(record: JsonObject): number | undefined {
	const time = momentOf(firstText(record, TIME_KEYS));
	return Number.isNaN(time) ? undefined : time;
}

/** The proxy regions that a template can run in, by name. */
export async function getRegions(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return await asking(this, async (client) => {
		const body = await client.send({ method: 'GET', path: '/v3/bots/regions', expects: 'list' });
		const regions = toPage(body).items.flatMap((region) => {
			const value = textAt(region, 'code') ?? textAt(region, 'value');
			const name = textAt(region, 'name');
			return value === undefined ? [] : { name: name ? `${name} (${value})` : value, value };
		});
		return choosable(regions).sort((a, b) => a.name.localeCompare(b.name));
	});
}

/** Choices whose values n8n takes for what they are, with plain names. */
export function choosable<T extends { name: string; value: unknown }>(choices: T[]): T[] {
	return choices
		.filter(({ value }) => isPlain(value))
		.map((choice) => ({ ...choice, name: asPlainText(choice.name) }));
}

/** Whether n8n takes a value for what it is. */
export function isPlain(value: unknown): boolean {
	return typeof value !== 'string' || value === asPlainText(value);
}

/**
 * A text to be shown that n8n never takes for an expression, nor for an argument of a model. What the editor is given to choose
 * from, or to begin with, is kept in the node's parameters, and a text there that begins with "=" is worked out with the
 * workflow's data when the node runs. So nothing that others have written may begin so.
 */
export function asPlainText(text: string): string {
	return withoutArguments(isExpression(text) ? ` ${text}` : text);
}
