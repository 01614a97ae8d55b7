import { attempt } from './attempt';

/**
 * Maps items with bounded concurrency, keeping their order. After the first rejection no further work is begun.
 *
 * @throws what the first failing `work` threw, once the work under way has settled
 */
export async function mapConcurrently<Item, Result>(
	items: readonly Item[],
	concurrency: number,
	work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
	const results: Result[] = [];
	const failures: unknown[] = [];
	const left = items.entries();
	const lane = async (): Promise<void> => {
		for (const [index, item] of left) {
			try {
				results[index] = await work(item, index);
			} catch (error) {
				failures.push(error);
			}
			if (failures.length > 0) return;
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, lane));
	if (failures.length > 0) throw failures[0];
	return results;
}

/** Memoizes work by its key. What has failed is done again for the next caller. */
export function onceEach<Value>(
	work: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
	const done = new Map<string, Promise<Value>>();
	return async (key) => {
		const doing = done.get(key) ?? work(key);
		done.set(key, doing);
		const { ok } = await attempt(doing);
		if (!ok && done.get(key) === doing) done.delete(key);
		return await doing;
	};
}
