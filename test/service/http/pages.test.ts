import fc from 'fast-check';

import {
	listIn,
	readList,
	shortfall,
	toPage,
	type Page,
	type ReadingPlan,
} from '../../../nodes/BrowserAutomation/service/http/pages';

const AHEAD = 4;

interface ListServer {
	readPage(page: number): Promise<Page>;
	asked: number[];
}

/** A list of the service, by how it tells about its pages. */
function serve(
	records: () => ReadonlyArray<{ id: number }>,
	limit: number,
	tell: (pages: number, records: number) => object,
): ListServer {
	const asked: number[] = [];
	return {
		asked,
		readPage: async (page) => {
			asked.push(page);
			const all = records();
			const items = all.slice((page - 1) * limit, page * limit);
			return toPage({ items, ...tell(Math.ceil(all.length / limit), all.length) });
		},
	};
}

function listOf(count: number): Array<{ id: number }> {
	return Array.from({ length: count }, (_, id) => ({ id }));
}

async function readAll(server: ListServer, most = Infinity): Promise<unknown[]> {
	return (await readList(planOf(server.readPage, { most }))).items;
}

/** A plan that reads all unless it says otherwise. */
function planOf(
	readPage: ReadingPlan['readPage'],
	further: Partial<ReadingPlan> = {},
): ReadingPlan {
	return { readPage, ahead: AHEAD, ...further };
}

/** Pages one after the other, an empty one behind them, and how often a page was asked for. */
function bookOf(...pages: object[]) {
	const asked: number[] = [];
	const readPage = async (page: number): Promise<Page> => {
		asked.push(page);
		return toPage({ items: [], ...pages[page - 1] });
	};
	return { readPage, asked };
}

const size = fc.record({ count: fc.nat(60), limit: fc.integer({ min: 1, max: 13 }) });

describe('reading a list to its end', () => {
	it('gives every record once, in order, whatever the list tells about its pages', async () => {
		const tellings = [
			() => ({}),
			(pages: number) => ({ total_pages: pages }),
			() => ({ total_pages: 1 }),
			(pages: number) => ({ total_pages: pages + 50 }),
			() => ({ total_pages: 'many', limit: null }),
		];
		await fc.assert(
			fc.asyncProperty(size, fc.constantFrom(...tellings), async ({ count, limit }, tell) => {
				const server = serve(() => listOf(count), limit, tell);
				expect(await readAll(server)).toEqual(listOf(count));
				expect(server.asked.length).toBeLessThanOrEqual(Math.ceil(count / limit) + 1 + AHEAD);
			}),
		);
	});

	it('stops at the number that is wanted, and asks for no page beyond it', async () => {
		await fc.assert(
			fc.asyncProperty(size, fc.integer({ min: 1, max: 70 }), async ({ count, limit }, most) => {
				const server = serve(
					() => listOf(count),
					limit,
					(pages, records) => ({ total_pages: pages, total_count: records }),
				);
				expect(await readAll(server, most)).toEqual(listOf(count).slice(0, most));
				expect(Math.max(...server.asked)).toBeLessThanOrEqual(Math.ceil(most / limit));
			}),
		);
	});

	it('ends where a service gives the same page again and again', async () => {
		let asked = 0;
		const readPage = async () => {
			asked++;
			return toPage({ items: listOf(3), limit: 3, total_pages: 1_000_000 });
		};
		expect(await readAll({ readPage, asked: [] })).toEqual(listOf(3));
		expect(asked).toBeLessThanOrEqual(1 + AHEAD);
	});

	it('ends at an empty page, whatever number of pages is announced', async () => {
		for (const count of [8, 3, 0]) {
			const server = serve(
				() => listOf(count),
				5,
				() => ({ total_pages: 1_000_000_000 }),
			);
			expect(await readAll(server)).toEqual(listOf(count));
			expect(server.asked.length).toBeLessThanOrEqual(Math.ceil(count / 5) + 2);
		}
	});

	it('goes on where a service gives fewer records a page than were asked for', async () => {
		const tellings = [
			{ total_count: 250, total_pages: 5 },
			{ total_count: 250 },
			{ total_pages: 5 },
			{ total_pages: 3 },
			{ has_more: true },
			{ next_cursor: 'abc' },
			{},
		];
		for (const tell of tellings) {
			const server = serve(
				() => listOf(250),
				50,
				() => tell,
			);
			const { items } = await readList(planOf(server.readPage));
			expect(items).toEqual(listOf(250));
		}
	});

	it('goes on behind a page with a record less, and says that one did not come', async () => {
		const all = listOf(250);
		const visible = [all.slice(0, 100), all.slice(101, 200), all.slice(200)];
		const { readPage, asked } = bookOf(...visible.map((items) => ({ items, total_count: 250 })));
		const { items, end } = await readList(planOf(readPage));
		expect(items).toHaveLength(249);
		expect(shortfall(end)).toBe('The service announced 250 records, and gave 249');
		expect(asked).toEqual([1, 2, 3, 4]);
	});

	it('asks for no page that nobody needs', async () => {
		for (const count of [1, 299, 300]) {
			const server = serve(
				() => listOf(count),
				100,
				(pages) => ({ total_count: count, total_pages: pages }),
			);
			const { items, end } = await readList(planOf(server.readPage));
			expect([items.length, shortfall(end)]).toEqual([count, undefined]);
			expect(server.asked).toHaveLength(Math.ceil(count / 100));
		}
		const lying = serve(
			() => listOf(299),
			100,
			() => ({ total_count: 9_999, total_pages: 100 }),
		);
		await readList(planOf(lying.readPage));
		expect(lying.asked).toEqual([1, 2, 3, 4]);
	});

	it('ends where what has come will do', async () => {
		const { readPage, asked } = bookOf({ items: [{ id: 1 }] }, { items: [{ id: 2 }] });
		const plan = { isEnough: () => asked.length === 2 };
		const { items, end } = await readList(planOf(readPage, plan));
		expect(items).toEqual([{ id: 1 }, { id: 2 }]);
		expect(shortfall(end)).toBeUndefined();
		expect(asked).toEqual([1, 2]);
	});

	it('ends where the service says that nothing follows', async () => {
		const { readPage, asked } = bookOf({ items: listOf(2), has_more: false });
		expect((await readList(planOf(readPage))).items).toEqual(listOf(2));
		expect(asked).toEqual([1]);
	});

	it.each([
		['more pages', { total_pages: 9 }, 'announced more pages after record 2'],
		['more', { has_more: true }, 'announced more pages after record 2'],
		['a next page', { nextCursor: 'x' }, 'announced more pages after record 2'],
		['more records', { total: 3 }, 'announced 3 records, and gave 2'],
	])('says that %s were announced and did not come', async (_, tell, words) => {
		const { readPage } = bookOf({ items: listOf(2), ...tell });
		const { items, end } = await readList(planOf(readPage));
		expect(items).toEqual(listOf(2));
		expect(shortfall(end)).toContain(words);
	});

	it('says that the list became shorter while it was read', async () => {
		const { readPage } = bookOf(
			{ items: listOf(5), total_count: 8 },
			{ items: [{ id: 6 }, { id: 7 }], total_count: 7 },
		);
		expect(shortfall((await readList(planOf(readPage))).end)).toContain('became shorter');
	});

	it('stops at the most pages, and says where to go on', async () => {
		const asked: number[] = [];
		const readPage = async (page: number) => {
			asked.push(page);
			return toPage({ items: [{ id: page }], total_count: 1e9, total_pages: 1e9 });
		};
		const { items, end } = await readList(planOf(readPage, { mostPages: 7 }));
		expect(items).toHaveLength(7);
		expect(end.next).toBe(8);
		expect(asked).toEqual([1, 2, 3, 4, 5, 6, 7]);
		const later = await readList(planOf(readPage, { mostPages: 2, first: 8 }));
		expect(later.items).toEqual([{ id: 8 }, { id: 9 }]);
		expect(later.end.next).toBe(10);
	});

	it('keeps what it can while the list grows at its front', async () => {
		let records = listOf(20);
		const server = serve(
			() => records,
			5,
			(pages) => ({ total_pages: pages }),
		);
		const readPage = async (page: number) => {
			const found = await server.readPage(page);
			records = [{ id: -page }, ...records];
			return found;
		};
		const found = await readAll({ readPage, asked: [] });
		expect(new Set(found.map((record) => JSON.stringify(record))).size).toBe(found.length);
		expect(found).toEqual(expect.arrayContaining(listOf(20)));
	});

	it.each(['task_id', 'bot_id', 'template_id', 'templateId', 'id'])(
		'gives a record once that changed between two pages: known by its %s',
		async (name) => {
			const pages = [
				[{ [name]: 1, status: 'running' }, { [name]: 2 }],
				[{ [name]: 1, status: 'finished' }, { [name]: 3 }],
			];
			const readPage = async (page: number) => toPage(pages[page - 1] ?? []);
			expect(await readAll({ readPage, asked: [] })).toEqual([
				{ [name]: 1, status: 'running' },
				{ [name]: 2 },
				{ [name]: 3 },
			]);
		},
	);

	it.each([
		['without an ID', { name: 'b' }],
		['whose ID is null', { task_id: null, bot_id: '7', name: 'b' }],
		['whose ID is empty', { id: '', name: 'b' }],
	])('gives records %s each time they come, but not a whole page again', async (_, record) => {
		const first = [record, record];
		const second = [record, { name: 'c' }];
		const readPage = async (page: number) => toPage(page === 1 ? first : second);
		const { items } = await readList(planOf(readPage));
		expect(items).toEqual([...first, ...second]);
	});

	it('does not take what the records of a page have in common for their ID', async () => {
		const pages = [1, 2].map((page) => [1, 2].map((run) => ({ bot_id: '7', run: [page, run] })));
		const readPage = async (page: number) => toPage(pages[page - 1] ?? []);
		expect((await readList(planOf(readPage))).items).toEqual(pages.flat());
	});

	it('asks for announced pages at once, and for no more than it may', async () => {
		const server = serve(
			() => listOf(48),
			5,
			() => ({ total_pages: 10 }),
		);
		let open = 0;
		let mostOpen = 0;
		const readPage = async (page: number) => {
			mostOpen = Math.max(mostOpen, ++open);
			await new Promise(setImmediate);
			open--;
			return await server.readPage(page);
		};
		expect(await readAll({ readPage, asked: [] })).toEqual(listOf(48));
		expect(mostOpen).toBe(AHEAD);
		expect(server.asked).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
	});

	it('asks for one page after the other where the service announces none', async () => {
		const server = serve(
			() => listOf(10),
			5,
			() => ({}),
		);
		expect(await readAll(server)).toEqual(listOf(10));
		expect(server.asked).toEqual([1, 2, 3]);
	});

	it('tells the error of a page, and asks for no more', async () => {
		const server = serve(
			() => listOf(50),
			5,
			() => ({ total_pages: 10 }),
		);
		const readPage = async (page: number) => {
			if (page === 3) throw new Error('broken');
			return await server.readPage(page);
		};
		await expect(readAll({ readPage, asked: [] })).rejects.toThrow('broken');
		expect(server.asked.length).toBeLessThanOrEqual(2 + AHEAD);
	});
});

it('a list that is read from a later page on lacks nothing before it', async () => {
	const readPage = async (page: number) =>
		toPage({ items: page > 3 ? [] : [page, -page], total_count: 6 });
	const { items, end } = await readList({ readPage, first: 3 });
	expect([items.length, end.count, shortfall(end)]).toEqual([2, 6, undefined]);
});

describe('a page', () => {
	it.each([
		['a bare list', [{ id: 1 }, 2], [{ id: 1 }, { value: 2 }]],
		['a wrapper', { items: [{ id: 1 }], total: 1 }, [{ id: 1 }]],
		['an object with one list', { browsers: [{ id: 1 }], total: 1 }, [{ id: 1 }]],
		['a wrapper beside other lists', { items: [{ id: 1 }], tags: ['a'] }, [{ id: 1 }]],
		['an object with no list', { total: 0 }, []],
		['an object with two lists', { browsers: [{ id: 1 }], tags: ['a'] }, []],
		['nothing', undefined, []],
	])('is read from %s', (_, body, items) => {
		expect(toPage(body).items).toEqual(items);
	});

	it.each([
		['no items of none', { items: null, total_count: 0 }, []],
		['no items of some', { items: null, total_count: 3 }, undefined],
		['no items and no count', { items: null }, undefined],
		['items that are no list', { items: 'none', total_count: 0 }, undefined],
		['two lists', { rows: [1], tags: ['a'] }, undefined],
		['one list beside something else', { rows: [1], name: 'a' }, [1]],
		['an empty list beside something else', { tags: [], name: 'a' }, undefined],
		['an empty list beside its count', { rows: [], total: 0 }, []],
		['a text', 'none', undefined],
	])('has a list only where one is meant: %s', (_, body, expected) => {
		expect(listIn(body)).toEqual(expected);
	});

	it.each([
		[
			{ items: [], total_pages: 3, total_count: 7 },
			{ totalPages: 3, totalCount: 7 },
		],
		[
			{ items: [], totalPages: 3, total: 0 },
			{ totalPages: 3, totalCount: 0 },
		],
		[{ items: [], total_pages: -1, total_count: 2.5 }, {}],
		[{ items: [], total_pages: '3', total_count: null }, {}],
		[{ items: [], has_more: false, next_cursor: '' }, { hasMore: false }],
		[{ items: [], has_more: false, next_cursor: 'x' }, { hasMore: true }],
		[{ items: [], hasMore: true }, { hasMore: true }],
		[[], {}],
	])('has the numbers that the service tells, if they can be: %j', (body, told) => {
		const nothing = { totalPages: undefined, totalCount: undefined, hasMore: undefined };
		expect(toPage(body)).toEqual({ items: [], ...nothing, ...told });
	});
});
