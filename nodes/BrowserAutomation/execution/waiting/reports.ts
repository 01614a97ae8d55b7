import { sleep } from 'n8n-workflow';

/** How many sleeping executions are remembered at most. Forgetting one costs a few more requests. */
const MOST_BOARDS = 10_000;

/** Pause between two looks at the same execution while not all of its runs have reported, in ms. */
const SPACING_MS = 3_000;
const NAP_MS = 50;

/**
 * What this process has heard about one sleeping execution. Callbacks of many runs arrive in
 * bursts; each wants a look at the service that began after its arrival, and all of them share it.
 * Nothing here is relied on: another process, or this one after a restart, just looks once more.
 */
export interface Board {
	/** Runs whose callback arrived here and has not been found wrong, by task ID. */
	reported: Set<string>;
	lookedAt: number;
	looking: Promise<unknown> | undefined;
	next: Promise<unknown> | undefined;
}

const boards = new Map<string, Board>();

/** The board of a sleeping execution, or rather of one round of its node. */
export function boardOf(key: string): Board {
	const found = boards.get(key);
	if (found !== undefined) return found;
	const board: Board = { reported: new Set(), lookedAt: 0, looking: undefined, next: undefined };
	boards.set(key, board);
	const oldest = boards.keys().next();
	if (boards.size > MOST_BOARDS && oldest.done !== true) boards.delete(oldest.value);
	return board;
}

/** Forgets an execution that was woken. */
export function forgetBoard(key: string): void {
	boards.delete(key);
}

/**
 * Begins the next look, unless another caller is about to: one look at a time, and apart from each
 * other as long as `isUrgent` says no. Only the caller that looks is kept waiting, because n8n
 * holds a costly surrounding for every callback that it has not answered.
 *
 * @returns what the look found; undefined, at once, when the next look is another caller's
 * @throws what the look threw
 */
export async function shareLook<T>(
	board: Board,
	isUrgent: () => boolean,
	look: () => Promise<T>,
): Promise<T | undefined> {
	if (board.next !== undefined) return undefined;
	const begun = lookInTurn(board, isUrgent, look);
	board.next = begun;
	return await begun;
}

async function lookInTurn<T>(
	board: Board,
	isUrgent: () => boolean,
	look: () => Promise<T>,
): Promise<T> {
	await board.looking?.catch(() => undefined);
	while (!isUrgent() && Date.now() - board.lookedAt < SPACING_MS) await sleep(NAP_MS);
	board.looking = board.next;
	board.next = undefined;
	board.lookedAt = Date.now();
	return await look();
}
