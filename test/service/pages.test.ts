import fc from 'fast-check';

import { listIn, readPages, toPage, type Page } from '../../nodes/BrowserAutomation/service/pages';

const AHEAD = 4;

interface ListServer {
	readPage(page: number): Promise<Page>;
	asked: number[];
}

/** A list of the service, by how it tells about its pages. */
function serve(
	records: () => ReadonlyArray<{ id: number }>,
	limit: number,
	tell: (pages: number) => object,
): ListServer {
	const asked: number[] = [];
	return {
		asked,
		readPage: async (page) => {
			asked.push(page);
			const all = records();
			const items = all.slice((page - 1) * limit, page * limit);
			return toPage({ items, ...tell(Math.ceil(all.length / limit)) }, limit);
		},
	};
}

function listOf(count: number): Array<{ id: number }> {
	return Array.from({ length: count }, (_, id) => ({ id }));
}

async function readAll(server: ListServer, most = Infinity): Promise<unknown[]> {
	const found: unknown[] = [];
	for await (const page of readPages({ readPage: server.readPage, most, ahead: AHEAD })) {
		found.push(...page);
	}
	return found;
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
					(pages) => ({ total_pages: pages }),
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
			return toPage({ items: listOf(3), limit: 3, total_pages: 1_000_000 }, 3);
		};
		expect(await readAll({ readPage, asked: [] })).toEqual(listOf(3));
		expect(asked).toBeLessThanOrEqual(1 + AHEAD);
	});

	it('ends at a short page, whatever number of pages is announced', async () => {
		const server = serve(
			() => listOf(8),
			5,
			() => ({ total_pages: 1_000_000_000 }),
		);
		expect(await readAll(server)).toEqual(listOf(8));
		expect(server.asked.filter((page) => page > 2).length).toBeLessThan(AHEAD);
		const short = serve(
			() => listOf(3),
			5,
			() => ({ total_pages: 1_000_000_000 }),
		);
		expect(await readAll(short)).toEqual(listOf(3));
		expect(short.asked).toEqual([1]);
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
			const readPage = async (page: number) => toPage(pages[page - 1] ?? [], 2);
			expect(await readAll({ readPage, asked: [] })).toEqual([
				{ [name]: 1, status: 'running' },
				{ [name]: 2 },
				{ [name]: 3 },
			]);
		},
	);

	it('tells records without an identity apart by all that they hold', async () => {
		const readPage = async (page: number) =>
			toPage(page === 1 ? [{ name: 'a' }, { name: 'b' }] : [{ name: 'b' }, { name: 'c' }], 2);
		const found = await readAll({ readPage, asked: [] }, 3);
		expect(found).toEqual([{ name: 'a' }, { name: 'b' }, { name: 'c' }]);
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
		expect(toPage(body, 20).items).toEqual(items);
	});

	it.each([
		['no items of none', { items: null, total_count: 0 }, []],
		['no items of some', { items: null, total_count: 3 }, undefined],
		['no items and no count', { items: null }, undefined],
		['items that are no list', { items: 'none', total_count: 0 }, undefined],
		['two lists', { rows: [1], tags: ['a'] }, undefined],
		['a text', 'none', undefined],
	])('has a list only where one is meant: %s', (_, body, expected) => {
		expect(listIn(body)).toEqual(expected);
	});

	it.each([
		[{ items: [], limit: 7, total_pages: 3 }, 7, 3],
		[{ items: [], limit: 0, total_pages: 0 }, 20, undefined],
		[{ items: [], limit: 2.5, total_pages: '3' }, 20, undefined],
		[[], 20, undefined],
	])(
		'has the size and the number that the service tells, if they can be: %j',
		(body, limit, pages) => {
			expect(toPage(body, 20)).toEqual({ items: [], limit, totalPages: pages });
		},
	);
});
