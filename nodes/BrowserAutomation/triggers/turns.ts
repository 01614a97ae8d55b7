import { attempt } from '../service/attempt';

/** What came of a turn. */
export interface Turn<T> {
	value: T;
	/** What has to settle, too, before the next turn begins. */
	isOver?: Promise<unknown>;
}

/** Work in turn by key: what has the same key is done one after the other. */
const turns = new Map<string, Promise<unknown>>();

/** Does some work when all earlier work with the same key is over, whether or not it failed. */
export async function inTurn<T>(key: string, work: () => Promise<Turn<T>>): Promise<T> {
	const before = turns.get(key);
	const turn = before === undefined ? work() : before.then(work);
	const over = attempt(async () => await (await turn).isOver);
	turns.set(key, over);
	void over.then(() => {
		if (turns.get(key) === over) turns.delete(key);
	});
	return (await turn).value;
}
