import { inSnakeCase, isJsonObject, textAt, type JsonObject, type JsonValue } from '../json/json';
import { pathToRows } from '../runs/rows';

/** How many pages of a list are read at most by default. */
export const MAX_PAGES = 1_000;

/** One page of a list, with what the service says of the whole list. */
export interface Page {
	items: JsonObject[];
	totalPages: number | undefined;
	totalCount: number | undefined;
	/** Whether there are further pages. */
	hasMore: boolean | undefined;
}

/**
 * Reads a page in any of the service's shapes: the V3 and V2 wrapper (`items`, `total_pages`,
 * `total_count`), a bare list, or an object whose only list is the page (shapes "not shown").
 */
export function toPage(body: JsonValue | undefined): Page {
	const facts = inSnakeCase(isJsonObject(body) ? body : {});
	const hasMore = (facts.next_cursor ?? '') !== '' || facts.has_more;
	return {
		items: (itemsIn(body) ?? []).map((item) => (isJsonObject(item) ? item : { value: item })),
		totalPages: countIn(facts.total_pages),
		totalCount: countIn(facts.total_count ?? facts.total),
		hasMore: typeof hasMore === 'boolean' ? hasMore : undefined,
	};
}

/**
 * The list of a page; undefined when it has none. An empty list under another name than usual counts only
 * where nothing stands beside it but facts of paging. A page without items may have `null` in their place.
 */
export function itemsIn(body: JsonValue | undefined): JsonValue[] | undefined {
	if (Array.isArray(body)) return body;
	if (!isJsonObject(body)) return undefined;
	if (Array.isArray(body.items)) return body.items;
	const [only, ...others] = Object.values(body).flatMap((value) =>
		Array.isArray(value) ? [value] : [],
	);
	const isPage = only !== undefined && (only.length > 0 || pathToRows(body) !== undefined);
	if (isPage && others.length === 0) return only;
	const { total_count: count, total } = inSnakeCase(body);
	return (count ?? total) === 0 && Object.values(body).includes(null) ? [] : undefined;
}

function countIn(value: JsonValue | undefined): number | undefined {
	return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : undefined;
}

/** How a list is read to its end. */
export interface ReadingPlan {
	/** Reads one page; pages count from 1. */
	readPage(page: number): Promise<Page>;
	/** How many items to read at most; all by default. */
	max?: number;
	/** How many pages to read at most, MAX_PAGES by default: a list may have no end. */
	maxPages?: number;
	/** How many pages may be requested at once, where the service says how many there are; one by default. */
	ahead?: number;
	/** The page to begin with; the first by default. */
	first?: number;
	/** Whether the items so far suffice. */
	isEnough?(): boolean;
}

/** How the reading of a list ended. */
interface ListEnd {
	/** How many items came, and how many there are by the service's latest answer. */
	count: number;
	announced: number | undefined;
	/** Whether the list became shorter meanwhile: items may have moved to a page that was read before. */
	shrank: boolean;
	/** Whether the latest answer says that there are further pages. */
	isOpen: boolean;
	/** The page to continue with, where `maxPages` were read. */
	next?: number;
}

/**
 * Reads a list page by page, in order, until all announced items have come, a page is empty or repeated,
 * `max` items or `maxPages` pages have come, or `isEnough` says so. A short page need not be the last: a service
 * may give fewer items on every page. An item whose ID came on an earlier page is left out. Prefetches announced
 * pages, at most as many as have come.
 */
export async function readList(plan: ReadingPlan): Promise<{ items: JsonObject[]; end: ListEnd }> {
	const { max = Infinity, maxPages = MAX_PAGES, ahead = 1, first = 1 } = plan;
	const items: JsonObject[] = [];
	const requested: Array<Promise<Page>> = [];
	const seen = new Set<string>();
	const end: ListEnd = { count: 0, announced: undefined, shrank: false, isOpen: false };
	let largest = 0;
	let nextPage = first;

	const requestNext = (): Promise<Page> => {
		const page = plan.readPage(nextPage++);
		page.catch(() => undefined);
		return page;
	};

	for (let current = first, left = max; ; current++) {
		const page = await (requested.shift() ?? requestNext());
		const size = page.items.length;
		const fresh = newItems(page.items, seen);
		if (fresh.length === 0) return { items, end };
		const kept = fresh.slice(0, left);
		left -= kept.length;
		// Where the reading began in the middle, the pages before were about as long.
		if (current === first) end.count = (first - 1) * size;
		end.count += kept.length;
		end.shrank ||= (page.totalCount ?? Infinity) < (end.announced ?? 0);
		end.announced = page.totalCount ?? end.announced;
		end.isOpen = page.hasMore === true || (page.totalPages ?? 0) > current;
		for (const item of kept) items.push(item);
		if (left === 0 || plan.isEnough?.() === true) break;
		const isShort = size < largest;
		if (isLast(page, end, isShort)) return { items, end };
		largest = Math.max(largest, size);
		const read = current - first + 1;
		if (read >= maxPages) return { items, end: { ...end, next: current + 1 } };
		const pagesOf = (items: number): number => current + Math.ceil(items / largest);
		const counted = end.announced === undefined ? Infinity : pagesOf(end.announced - end.count);
		const announced = Math.min(counted, page.totalPages ?? Infinity);
		const window = isShort ? 1 : Math.min(ahead, read, maxPages - read);
		const useful = Math.min(announced, current + window, pagesOf(left));
		while (announced !== Infinity && nextPage <= useful) requested.push(requestNext());
	}
	return { items, end: { ...end, announced: undefined, isOpen: false } };
}

/**
 * Whether all has come. A service may count only what is on this page, so a single number is believed
 * only where this page is shorter than an earlier one.
 */
function isLast(page: Page, { count, announced, isOpen }: ListEnd, isShort: boolean): boolean {
	if (isOpen || count < (announced ?? 0)) return false;
	const said = [announced, page.totalPages].filter((total) => total !== undefined).length;
	return page.hasMore === false || said + Number(isShort) > 1;
}

/** How much less of a list came than was announced, in words; undefined where all came. */
export function shortfall({ count, announced = 0, shrank, isOpen }: ListEnd): string | undefined {
	if (count < announced) return `The service announced ${announced} records, and gave ${count}`;
	if (shrank) return 'The list became shorter while it was read, so that records may be missing';
	return isOpen
		? `The service announced more pages after record ${count}, and gave nothing new`
		: undefined;
}

/** The names under which the service's records have their own ID, before those of others. */
const IDENTITIES = ['task_id', 'id', 'template_id', 'templateId', 'bot_id'];

/** The items of a page that are new. Without an ID an item counts as new, unless the whole page came before. @param seen IDs and pages */
function newItems(items: JsonObject[], seen: Set<string>): JsonObject[] {
	const ids = items.map((item) => {
		const name = IDENTITIES.find((candidate) => candidate in item);
		return name && textAt(item, name);
	});
	const named = ids.filter((id) => id !== undefined);
	// An ID that two items of a page share is that of something else.
	const areDistinct = new Set(named).size === named.length;
	if (!areDistinct || named.length < items.length) {
		const page = JSON.stringify(items);
		if (seen.has(page)) return [];
		seen.add(page);
	}
	if (!areDistinct) return items;
	const fresh = items.filter((_, index) => !seen.has(ids[index] ?? ''));
	for (const id of named) seen.add(id);
	return fresh;
}
