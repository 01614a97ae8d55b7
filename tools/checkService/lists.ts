import { isObject, textAt, type JsonObject } from '../../dev/sandbox/json';
import type { Assumption } from './assumptions';
import type { Service } from './service';

/** A list of the service. */
export interface List {
	operation: string;
	/** Which field of an entry is its ID. */
	id: string;
	/** What the package assumes of its entries. */
	assumption: Assumption;
	filters: Filter[];
}

/** A filter that is tried with a value of the list's first entry. */
interface Filter {
	parameters: string[];
	/** The value; undefined when this entry has none. */
	value(entry: JsonObject): string | undefined;
	fits(entry: JsonObject, value: string): boolean;
}

/** A filter by a field that has to be the same. */
function same(parameter: string, field: string): Filter {
	return {
		parameters: [parameter],
		value: (entry) => textAt(entry, field),
		fits: (entry, value) => entry[field] === value,
	};
}

/** A filter by a part of a text, in capitals, which are not to matter. It is searched in all of the fields. */
function containing(parameter: string, ...fields: [string, ...string[]]): Filter {
	return {
		parameters: [parameter],
		value: (entry) => textAt(entry, fields[0])?.split(' ')[0]?.toUpperCase(),
		fits: (entry, value) =>
			fields.some((field) => textAt(entry, field)?.toUpperCase().includes(value) === true),
	};
}

/** Both ends of the time of creation, which are included. */
const CREATED: Filter = {
	parameters: ['created_at_from', 'created_at_to'],
	value: (entry) => textAt(entry, 'created_at'),
	fits: (entry, value) => Date.parse(textAt(entry, 'created_at') ?? '') === Date.parse(value),
};

export const LISTS: readonly List[] = [
	{
		operation: 'bot.getAll',
		id: 'bot_id',
		assumption: 'page',
		filters: [same('bot_type', 'bot_type'), containing('keyword', 'name')],
	},
	{
		operation: 'template.getAll',
		id: 'template_id',
		assumption: 'page',
		filters: [containing('keyword', 'name', 'recommend_desc')],
	},
	{
		operation: 'run.getAll',
		id: 'task_id',
		assumption: 'runInList',
		filters: [
			same('bot_id', 'bot_id'),
			containing('bot_name', 'bot_name'),
			same('status', 'status'),
			CREATED,
		],
	},
	{ operation: 'workflow.getAll', id: 'id', assumption: 'workflow', filters: [] },
	{
		operation: 'workflowTemplate.getAll',
		id: 'templateId',
		assumption: 'workflow',
		filters: [containing('keyword', 'name', 'recommendDesc')],
	},
	{
		operation: 'task.getAll',
		id: 'id',
		assumption: 'task',
		filters: [same('workflow_id', 'workflow_id'), same('status', 'status'), CREATED],
	},
];

/**
 * Reads a list: its pages, their sizes and sums, and its filters.
 *
 * @returns the entries of its first page
 */
export async function checkList(service: Service, list: List): Promise<JsonObject[]> {
	const first = await readPage(service, list, {});
	if (first === undefined) return [];
	const { operation } = list;
	const { items } = first;
	if (items.length === 0) service.report.skip(`${service.nameOf(operation)}: the account has none`);
	else await checkPaging(service, list);
	await checkLimits(service, list, first);
	for (const filter of list.filters) await checkFilter(service, list, items, filter);
	reportIds(service, list, items);
	reportOrder(service, list, items);
	return items;
}

interface Page {
	items: JsonObject[];
	page: unknown;
	limit: unknown;
	total: number;
	pages: number;
}

async function readPage(
	service: Service,
	{ operation, assumption }: List,
	query: Record<string, string | number>,
): Promise<Page | undefined> {
	const body = await service.read(operation, assumption, { query });
	return isObject(body) ? pageOf(body) : undefined;
}

function pageOf(body: JsonObject): Page {
	return {
		items: entriesOf(body['items']),
		page: body['page'],
		limit: body['limit'],
		total: Number(body['total_count']),
		pages: Number(body['total_pages']),
	};
}

/** The objects of an array; none when it is no array. */
export function entriesOf(value: unknown): JsonObject[] {
	return Array.isArray(value) ? value.filter(isObject) : [];
}

/** How many entries the small pages have. */
const FEW = 2;

async function checkPaging(service: Service, list: List): Promise<void> {
	const name = service.nameOf(list.operation);
	const differ = (what: string): void => service.report.differ(name, what, 'page');
	const first = await readPage(service, list, { page: 1, limit: FEW });
	if (first === undefined) return;
	const { items, total, pages } = first;
	if (first.page !== 1) differ(`says page ${String(first.page)} of page 1`);
	if (first.limit !== FEW) differ(`says limit ${String(first.limit)} where ${FEW} was asked for`);
	if (items.length !== Math.min(FEW, total)) {
		differ(`gives ${items.length} of ${total} entries where limit is ${FEW}`);
	}
	if (pages !== Math.ceil(total / FEW)) {
		differ(`says ${pages} pages of ${FEW} entries for ${total} entries`);
	}
	if (total <= FEW) return;
	const second = await readPage(service, list, { page: 2, limit: FEW });
	const ids = new Set(items.map((entry) => entry[list.id]));
	if (second?.items.some((entry) => ids.has(entry[list.id])) === true) {
		differ('has an entry on two pages');
	}
	if (second?.items.length === 0) differ(`has nothing on page 2 of ${pages}`);
	const beyond = await readPage(service, list, { page: Math.ceil(total / FEW) + 1, limit: FEW });
	if (beyond !== undefined && beyond.items.length > 0) differ('has entries after its last page');
}

async function checkLimits(service: Service, list: List, usual: Page): Promise<void> {
	const name = service.nameOf(list.operation);
	const limit = service.shapes.parameter(list.operation, 'limit');
	const [least, max, standard] = ['minimum', 'maximum', 'default'].map((key) => limit[key]);
	if (standard === undefined) service.report.see('Pages without limit', `${name} ${usual.limit}`);
	else if (usual.limit !== standard) {
		const what = `has pages of ${String(usual.limit)} unless asked, not ${String(standard)}`;
		service.report.differ(name, what, 'limits');
	}
	const largest = await readPage(service, list, { limit: Number(max) });
	if (largest !== undefined && largest.limit !== max) {
		const what = `says limit ${String(largest.limit)} where ${String(max)} was asked for`;
		service.report.differ(name, what, 'limits');
	}
	for (const wrong of [Number(least) - 1, Number(max) + 1]) {
		await service.refused(`limit ${wrong}`, list.operation, [], { query: { limit: wrong } });
	}
	await service.refused('page 0', list.operation, [], { query: { page: 0 } });
}

async function checkFilter(
	service: Service,
	list: List,
	entries: JsonObject[],
	{ parameters, value, fits }: Filter,
): Promise<void> {
	const name = service.nameOf(list.operation);
	const chosen = entries.find((entry) => value(entry) !== undefined);
	const wanted = chosen === undefined ? undefined : value(chosen);
	if (chosen === undefined || wanted === undefined) {
		service.report.skip(`${name} by ${parameters.join(', ')}: nothing to look for`);
		return;
	}
	const query = Object.fromEntries(parameters.map((parameter) => [parameter, wanted]));
	const limit = Number(service.shapes.parameter(list.operation, 'limit')['maximum']);
	const page = await readPage(service, list, { ...query, limit });
	if (page === undefined) return;
	const differ = (what: string): void =>
		service.report.differ(name, `by ${parameters.join(', ')} ${what}`, 'filters');
	if (page.items.some((entry) => !fits(entry, wanted))) differ('gives entries that do not fit');
	const isThere = page.items.some((entry) => entry[list.id] === chosen[list.id]);
	if (!isThere && page.items.length >= page.total) differ('lacks an entry that fits');
}

function reportIds({ report }: Service, { id }: List, entries: JsonObject[]): void {
	for (const entry of entries) {
		const text = entry[id];
		if (typeof text !== 'string') continue;
		const kind = /^\d+$/.test(text) ? 'digits' : 'characters';
		report.see(`IDs (\`${id}\`)`, `${text.length} ${kind}`);
	}
}

function reportOrder(service: Service, { operation }: List, entries: JsonObject[]): void {
	const times = entries.map((entry) => Date.parse(textAt(entry, 'created_at') ?? ''));
	if (times.length < 2 || times.some(Number.isNaN)) return;
	const pairs = times.slice(1).map((time, index) => Math.sign(time - (times[index] ?? time)));
	const order = pairs.every((step) => step <= 0)
		? 'newest first'
		: pairs.every((step) => step >= 0)
			? 'oldest first'
			: 'not by time of creation';
	service.report.see('Order', `${service.nameOf(operation)} ${order}`);
}
