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
