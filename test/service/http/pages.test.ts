import fc from 'fast-check';

import {
	itemsIn,
	readList,
	shortfall,
	toPage,
	type Page,
	type ReadingPlan,
} from '../../../nodes/BrowserAutomation/service/http/pages';
import type { JsonObject, JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';

const AHEAD = 4;

interface ListServer {
	readPage(page: number): Promise<Page>;
	asked: number[];
}

/** Pages one after the other, empty ones behind them, and which pages were asked for. */
function bookOf(pageAt: (page: number) => JsonValue | undefined): ListServer {
	const asked: number[] = [];
	const readPage = async (page: number): Promise<Page> => {
		asked.push(page);
		return toPage(pageAt(page) ?? { items: [] });
	};
	return { readPage, asked };
}

const pagesOf = (...pages: JsonValue[]): ListServer => bookOf((page) => pages[page - 1]);

/** A list of the service by pages of so many records, each with the same facts beside them. */
function serve(records: JsonObject[], limit: number, facts: JsonObject = {}): ListServer {
	return bookOf((page) => ({ items: records.slice((page - 1) * limit, page * limit), ...facts }));
}

const listOf = (count: number): Array<{ id: number }> =>
	Array.from({ length: count }, (_, id) => ({ id }));

/** Reads all, unless the plan says otherwise: the records, and what is said of those that did not come. */
async function read({ readPage }: Pick<ListServer, 'readPage'>, plan: Partial<ReadingPlan> = {}) {
	const { items, end } = await readList({ readPage, ahead: AHEAD, ...plan });
	return { items, end, lack: shortfall(end) };
}

const size = fc.record({ count: fc.nat(60), limit: fc.integer({ min: 1, max: 13 }) });

describe('reading a list to its end', () => {
	it('gives every record once, in order, whatever the list says about its pages', async () => {
		const variants = [
			() => ({}),
			(pages: number) => ({ total_pages: pages }),
			() => ({ total_pages: 1 }),
			(pages: number) => ({ total_pages: pages + 50 }),
			() => ({ total_pages: 'many', limit: null }),
			(_: number, count: number) => ({ total_count: count }),
			() => ({ has_more: true }),
			() => ({ next_cursor: 'abc' }),
		];
		await fc.assert(
			fc.asyncProperty(size, fc.constantFrom(...variants), async ({ count, limit }, factsOf) => {
				const server = serve(listOf(count), limit, factsOf(Math.ceil(count / limit), count));
				expect((await read(server)).items).toEqual(listOf(count));
				expect(server.asked.length).toBeLessThanOrEqual(Math.ceil(count / limit) + 1 + AHEAD);
			}),
		);
	});

	it('stops at the number that is wanted, and asks for no page beyond it', async () => {
		await fc.assert(
			fc.asyncProperty(size, fc.integer({ min: 1, max: 70 }), async ({ count, limit }, max) => {
				const facts = { total_pages: Math.ceil(count / limit), total_count: count };
				const server = serve(listOf(count), limit, facts);
				expect((await read(server, { max })).items).toEqual(listOf(count).slice(0, max));
				expect(Math.max(...server.asked)).toBeLessThanOrEqual(Math.ceil(max / limit));
			}),
		);
	});

	it('ends where a service gives the same page again and again', async () => {
		const server = bookOf(() => ({ items: listOf(3), limit: 3, total_pages: 1_000_000 }));
		expect((await read(server)).items).toEqual(listOf(3));
		expect(server.asked.length).toBeLessThanOrEqual(1 + AHEAD);
	});

	it('goes on behind a page with a record less, and says that one did not come', async () => {
		const all = listOf(250);
		const visible = [all.slice(0, 100), all.slice(101, 200), all.slice(200)];
		const server = pagesOf(...visible.map((items) => ({ items, total_count: 250 })));
		const { items, lack } = await read(server);
		expect(items).toHaveLength(249);
		expect(lack).toBe('The service announced 250 records, and gave 249');
		expect(server.asked).toEqual([1, 2, 3, 4]);
	});

	it.each([
		[1, 100, { total_count: 1, total_pages: 1 }, 1],
		[299, 100, { total_count: 299, total_pages: 3 }, 3],
		[300, 100, { total_count: 300, total_pages: 3 }, 3],
		[300, 100, { total_count: 300 }, 4],
		[299, 100, { total_count: 9_999, total_pages: 100 }, 4],
		[10, 5, {}, 3],
		[100, 100, { has_more: false }, 1],
	])('asks for no needless page of %i records, %i each: %j', async (count, limit, facts, pages) => {
		const server = serve(listOf(count), limit, facts);
		expect((await read(server)).items).toHaveLength(count);
		expect(server.asked).toEqual(Array.from({ length: pages }, (_, index) => index + 1));
	});

	it.each([
		['more pages', { total_pages: 9 }, 'announced more pages after record 2'],
		['more', { has_more: true }, 'announced more pages after record 2'],
		['a next page', { nextCursor: 'x' }, 'announced more pages after record 2'],
		['more records', { total: 3 }, 'announced 3 records, and gave 2'],
	])('says that %s were announced and did not come', async (_, facts, words) => {
		const { items, lack } = await read(pagesOf({ items: listOf(2), ...facts }));
		expect(items).toEqual(listOf(2));
		expect(lack).toContain(words);
	});

	it('says that the list became shorter while it was read', async () => {
		const first = { items: listOf(5), total_count: 8 };
		const { lack } = await read(pagesOf(first, { items: [{ id: 6 }, { id: 7 }], total_count: 7 }));
		expect(lack).toContain('became shorter');
	});

	it('stops at the largest number of pages, and says where to continue', async () => {
		const server = bookOf((id) => ({ items: [{ id }], total_count: 1e9, total_pages: 1e9 }));
		const { items, end } = await read(server, { maxPages: 7 });
		expect(items).toHaveLength(7);
		expect(end.next).toBe(8);
		expect(server.asked).toEqual([1, 2, 3, 4, 5, 6, 7]);
		const later = await read(server, { maxPages: 2, first: 8 });
		expect(later.items).toEqual([{ id: 8 }, { id: 9 }]);
		expect(later.end.next).toBe(10);
	});

	it.each(['task_id', 'bot_id', 'template_id', 'templateId', 'id'])(
		'gives a record once that changed between two pages: known by its %s',
		async (name) => {
			const first = [{ [name]: 1, status: 'running' }, { [name]: 2 }];
			const server = pagesOf(first, [{ [name]: 1, status: 'finished' }, { [name]: 3 }]);
			expect((await read(server)).items).toEqual([...first, { [name]: 3 }]);
		},
	);

	it.each([
		['without an ID', { name: 'b' }],
		['whose ID is null', { task_id: null, bot_id: '7', name: 'b' }],
		['whose ID is empty', { id: '', name: 'b' }],
	])('gives records %s each time they come, but not a whole page again', async (_, record) => {
		const second = [record, { name: 'c' }];
		const { items } = await read(bookOf((page) => (page === 1 ? [record, record] : second)));
		expect(items).toEqual([record, record, ...second]);
	});

	it('does not take what the records of a page have in common for their ID', async () => {
		const pages = [1, 2].map((page) => [1, 2].map((run) => ({ bot_id: '7', run: [page, run] })));
		expect((await read(pagesOf(...pages))).items).toEqual(pages.flat());
	});

	it('asks for announced pages at once, and for no more than it may', async () => {
		const server = serve(listOf(48), 5, { total_pages: 10 });
		let open = 0;
		let maxOpen = 0;
		const readPage = async (page: number) => {
			maxOpen = Math.max(maxOpen, ++open);
			await new Promise(setImmediate);
			open--;
			return await server.readPage(page);
		};
		expect((await read({ readPage })).items).toEqual(listOf(48));
		expect(maxOpen).toBe(AHEAD);
		expect(server.asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	});

	it('lacks nothing before the page from which on it reads', async () => {
		const server = bookOf((page) => ({ items: page > 3 ? [] : [page, -page], total_count: 6 }));
		const { items, end, lack } = await read(server, { first: 3 });
		expect([items.length, end.count, lack]).toEqual([2, 6, undefined]);
	});
});

describe('a page', () => {
	it('has records alone: any other value is in one of its own', () => {
		expect(toPage([{ id: 1 }, 2]).items).toEqual([{ id: 1 }, { value: 2 }]);
		expect(toPage(undefined).items).toEqual([]);
	});

	it.each([
		['no items of none', { items: null, total_count: 0 }, []],
		['no items of some', { items: null, total_count: 3 }, undefined],
		['no list of none under another name', { list: null, total: 0 }, []],
		['no list of some under another name', { list: null, total: 3 }, undefined],
		['no items and no count', { items: null }, undefined],
		['items that are no list', { items: 'none', total_count: 0 }, undefined],
		['two lists', { rows: [1], tags: ['a'] }, undefined],
		['two lists, one under the usual name', { items: [1], tags: ['a'] }, [1]],
		['one list beside something else', { rows: [1], name: 'a' }, [1]],
		['an empty list beside something else', { tags: [], name: 'a' }, undefined],
		['an empty list beside its count', { rows: [], total: 0 }, []],
		['a text', 'none', undefined],
	])('has a list only where one is meant: %s', (_, body, expected) => {
		expect(itemsIn(body)).toEqual(expected);
	});

	it.each([
		[{ total_pages: 3 }, { totalPages: 3 }],
		[{ totalPages: 3 }, { totalPages: 3 }],
		[{ total_count: 7 }, { totalCount: 7 }],
		[{ total: 0 }, { totalCount: 0 }],
		[{ total_pages: -1, total_count: 2.5 }, {}],
		[{ total_pages: '3', total_count: null }, {}],
		[{ has_more: false, next_cursor: '' }, { hasMore: false }],
		[{ has_more: false, next_cursor: 'x' }, { hasMore: true }],
		[{ hasMore: true }, { hasMore: true }],
		[{}, {}],
	])('has the numbers that the service gives, if they can be: %j', (body, facts) => {
		const nothing = { totalPages: undefined, totalCount: undefined, hasMore: undefined };
		expect(toPage({ items: [], ...body })).toEqual({ items: [], ...nothing, ...facts });
	});
});
