import { mapConcurrently, onceEach } from '../../nodes/BrowserAutomation/service/concurrency';

it('after the first failure nothing more is begun, and what is under way comes to its end', async () => {
	const begun: number[] = [];
	const ended: number[] = [];
	const working = mapConcurrently([...'abcdefghi'], 3, async (item, index) => {
		begun.push(index);
		await new Promise(setImmediate);
		ended.push(index);
		if (index === 1 || index === 2) throw new Error(item);
	});
	await expect(working).rejects.toThrow('b');
	expect(begun).toEqual([0, 1, 2, 3]);
	expect(ended.sort()).toEqual(begun);
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
	const together = [work('a'), work('a')];
	await Promise.all(together.map(async (each) => await expect(each).rejects.toThrow('failure 1')));
	await expect(work('a')).rejects.toThrow('failure 2');
});
