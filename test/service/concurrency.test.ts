import { mapConcurrently, onceEach } from '../../nodes/BrowserAutomation/service/concurrency';

/** Works through so many indexes, and tells the order and how many were under way at most. */
async function workThrough(count: number, concurrency: number, failing: number[] = []) {
	const begun: number[] = [];
	const ended: number[] = [];
	let open = 0;
	let maxOpen = 0;
	const items = Array.from({ length: count }, (_, index) => `item ${index}`);
	const work = async (item: string, index: number): Promise<string> => {
		begun.push(index);
		maxOpen = Math.max(maxOpen, ++open);
		await new Promise(setImmediate);
		open--;
		ended.push(index);
		if (failing.includes(index)) throw new Error(item);
		return `${item} done`;
	};
	const end = await mapConcurrently(items, concurrency, work).catch((error: unknown) => error);
	return { begun, ended, maxOpen, end };
}

it.each([
	[5, 1],
	[5, 2],
	[5, 5],
	[2, 5],
	[0, 5],
])('%i items, %i at a time, are all done, the first ones first', async (count, concurrency) => {
	const { begun, maxOpen, end } = await workThrough(count, concurrency);
	expect(begun).toEqual(Array.from({ length: count }, (_, index) => index));
	expect(maxOpen).toBe(Math.min(count, concurrency));
	expect(end).toEqual(begun.map((index) => `item ${index} done`));
});

it('after the first failure nothing more is begun, and what is under way comes to its end', async () => {
	const { begun, ended, end } = await workThrough(9, 3, [1, 2]);
	expect(begun).toEqual([0, 1, 2, 3]);
	expect(ended.sort()).toEqual(begun);
	expect(end).toEqual(new Error('item 1'));
});

it('work for a key is done once, however often it is asked for', async () => {
	const done: string[] = [];
	const work = onceEach(async (key) => `${key} ${done.push(key)}`);
	expect(await Promise.all([work('a'), work('b'), work('a')])).toEqual(['a 1', 'b 2', 'a 1']);
	expect(await work('b')).toBe('b 2');
	expect(done).toEqual(['a', 'b']);
});

it('work that has failed is done again for whoever asks later, and once for all who asked before', async () => {
	let count = 0;
	const work = onceEach(async () => await Promise.reject(new Error(`failure ${++count}`)));
	const together = await Promise.allSettled([work('a'), work('a')]);
	const reasons = [...together, ...(await Promise.allSettled([work('a')]))];

	expect(reasons.map((each) => 'reason' in each && String(each.reason))).toEqual([
		'Error: failure 1',
		'Error: failure 1',
		'Error: failure 2',
	]);
});
