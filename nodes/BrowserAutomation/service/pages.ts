import { isJsonObject, type JsonObject, type JsonValue } from './json';

/** One page of a list, as far as the service tells. */
export interface Page {
	items: JsonObject[];
	/** How many items a full page has. */
	limit: number;
	totalPages: number | undefined;
}

/**
 * Reads a page in any of the service's shapes: the V3 and V2 wrapper (`items`, `limit`,
 * `total_pages`), a bare list, or an object whose only list is the page (shapes "not shown").
 *
 * @param limit the page size that was asked for
 */
export function toPage(body: JsonValue | undefined, limit: number): Page {
	const wrapper = isJsonObject(body) ? body : {};
	return {
		items: (listIn(body) ?? []).map((item) => (isJsonObject(item) ? item : { value: item })),
		limit: positiveInteger(wrapper.limit) ?? limit,
		totalPages: positiveInteger(wrapper.total_pages),
	};
}

/** The list of a page; undefined when it has none. A page of no items may say `null` for them. */
export function listIn(body: JsonValue | undefined): JsonValue[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isJsonObject(body)) return undefined;
	if (Array.isArray(body.items)) return body.items;
	const lists = Object.values(body).filter(Array.isArray);
	if (lists.length === 1) return lists[0];
	return body.items === null && body.total_count === 0 ? [] : undefined;
}

function positiveInteger(value: JsonValue | undefined): number | undefined {
	return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

/** How a list is read to its end. */
export interface ReadingPlan {
	/** Asks for one page; pages count from 1. */
	readPage(page: number): Promise<Page>;
	/** How many items to read at most. */
	most: number;
	/** How many pages may be asked for at once, where the service says how many there are. */
	ahead: number;
}

/**
 * Reads a list page by page, in order, until a short, empty or repeated page or until `most` items.
 * Items that a shifting list shows on two pages come once. Pages that the service announced
 * (`total_pages`) are asked for ahead of time; the announcement itself is never trusted to be
 * the end, nor to be reached.
 */
export async function* readPages({
	readPage,
	most,
	ahead,
}: ReadingPlan): AsyncGenerator<JsonObject[]> {
	const asked: Array<Promise<Page>> = [];
	const seen = new Set<string>();
	let left = most;
	let announced = 1;
	let askedFor = 0;

	const askAhead = (current: number, pageSize: number): void => {
		const wanted = Math.min(
			announced,
			current + ahead - 1,
			current + Math.ceil(left / pageSize) - 1,
		);
		while (askedFor < Math.max(wanted, current)) {
			const page = readPage(++askedFor);
			page.catch(() => undefined);
			asked.push(page);
		}
	};

	askAhead(1, 1);
	for (let current = 1; left > 0; current++) {
		const page = await asked.shift();
		if (page === undefined || page.items.length === 0) return;
		const fresh = page.items.filter((item) => isNew(item, seen));
		if (fresh.length === 0) return;
		const kept = fresh.slice(0, left);
		left -= kept.length;
		yield kept;
		announced = page.totalPages ?? announced;
		if (page.items.length < page.limit) return;
		if (left > 0) askAhead(current + 1, page.limit);
	}
}

/** The names under which the service's records have their ID. */
const IDENTITIES = ['task_id', 'bot_id', 'template_id', 'templateId', 'id'];

function isNew(item: JsonObject, seen: Set<string>): boolean {
	const name = IDENTITIES.find((candidate) => item[candidate] !== undefined);
	const identity = JSON.stringify(name === undefined ? item : item[name]);
	if (seen.has(identity)) return false;
	seen.add(identity);
	return true;
}
