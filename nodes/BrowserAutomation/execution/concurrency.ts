/**
 * Calls `work` for each index from 0 up to `count`, at most `concurrency` at a time, lowest first.
 * After the first rejection no further work is begun.
 *
 * @throws what the first failing `work` threw, once the work under way has settled
 */
export async function forEachConcurrently(
	count: number,
	concurrency: number,
	work: (index: number) => Promise<void>,
): Promise<void> {
	let next = 0;
	const failures: unknown[] = [];
	const lane = async (): Promise<void> => {
		while (next < count && failures.length === 0) {
			try {
				await work(next++);
			} catch (error) {
				failures.push(error);
			}
		}
	};
	await Promise.all(Array.from({ length: Math.min(concurrency, count) }, lane));
	if (failures.length > 0) throw failures[0];
}

/** Work that is done once for each key, however often it is asked for. */
export function onceEach<Value>(
	work: (key: string) => Promise<Value>,
): (key: string) => Promise<Value> {
	const done = new Map<string, Promise<Value>>();
	return async (key) => {
		const doing = done.get(key) ?? work(key);
		done.set(key, doing);
		return await doing;
	};
}
