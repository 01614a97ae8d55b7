/** Work in turn by key: what has the same key is done one after the other. */
const turns = new Map<string, Promise<unknown>>();

/** Does some work when all earlier work with the same key has settled. */
export async function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
	const before = turns.get(key);
	const turn = before === undefined ? work() : before.then(work, work);
	turns.set(key, turn);
	try {
		return await turn;
	} finally {
		if (turns.get(key) === turn) turns.delete(key);
	}
}

/** Waits for some work, but not beyond the limit. The work itself goes on. */
export async function within<T>(limit: AbortSignal, work: Promise<T>): Promise<T> {
	return await new Promise((resolve, reject) => {
		const giveUp = (): void => reject(new Error('It took too long'));
		limit.addEventListener('abort', giveUp, { once: true });
		work.finally(() => limit.removeEventListener('abort', giveUp)).then(resolve, reject);
	});
}
