import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type * as Workflow from 'n8n-workflow';

/** How many times faster the node's own pauses pass under the faster clock, unless a test says otherwise. */
const USUAL_SPEED = 50;

/** And once the test is over. */
const ENDING_SPEED = 1_000;

/** How long the node has to be without a pause to count as quiet, in real milliseconds. */
const QUIET_MS = 60;

const realNow = Date.now;
let speed = 1;
let skipped = 0;
let pauses = 0;
let lapses = 0;
/** Aborted when the test is over, so that no pause goes on. */
let over = endOfTest();
/** Whether a pause of so many milliseconds is not over yet, however long it has taken. */
let isHeld: (milliseconds: number) => boolean | Promise<boolean> = () => false;

function endOfTest(): AbortController {
	const end = new AbortController();
	setMaxListeners(0, end.signal);
	return end;
}

/**
 * n8n-workflow with a `sleep` that takes a fraction of its time under the faster clock; `Date.now` jumps
 * to its end. All else takes as long as it takes, so that a busy machine does not make hours of seconds.
 * Each test file has it (lapsed.ts).
 */
export function lapsed(): object {
	const actual = jest.requireActual<typeof Workflow>('n8n-workflow');
	return {
		...actual,
		sleep: async (milliseconds: number) => {
			if (lapses === 0) return await actual.sleep(milliseconds);
			pauses++;
			const [lapse, end] = [lapses, Date.now() + milliseconds];
			const { signal } = over;
			await delay(milliseconds / speed, undefined, { signal }).catch(
				async () => await delay(milliseconds / ENDING_SPEED),
			);
			while (await isHeld(milliseconds)) await delay(5);
			if (lapse === lapses) skipTo(end);
			pauses--;
		},
	};
}

export function startTimeLapse(faster = USUAL_SPEED): void {
	lapses++;
	speed = faster;
	skipped = 0;
	isHeld = () => false;
	over = endOfTest();
	Date.now = () => realNow() + skipped;
}

/**
 * No pause of the node of half a second or longer ends as long as this is so: for what happens within the
 * pause on a machine that is quick enough.
 */
export function holdPauses(isSo: () => boolean | Promise<boolean>): void {
	isHeld = async (milliseconds) => milliseconds >= 500 && (await isSo());
}

/** The faster clock for all tests of a file or a group, where the node makes pauses. */
export function lapseTime(faster?: number): void {
	beforeAll(() => startTimeLapse(faster));
	afterAll(endTimeLapse);
}

/** Lets the time up to a moment pass at once (milliseconds since 1970). */
export function skipTo(moment: number): void {
	skipped += Math.max(0, moment - Date.now());
}

/** How long after the longest wait limit nothing that was left asleep is watched any more, in milliseconds. */
const LONG_AFTER_MS = 30 * 24 * 3_600_000;

/** Back to the real clock, once the node does nothing more of its own accord. */
export async function endTimeLapse(): Promise<void> {
	speed = ENDING_SPEED;
	isHeld = () => false;
	over.abort();
	skipTo(Date.now() + LONG_AFTER_MS);
	let quietSince = realNow();
	while (realNow() - quietSince < QUIET_MS) {
		if (pauses > 0) quietSince = realNow();
		await delay(5);
	}
	Date.now = realNow;
	speed = 1;
}

/** Waits real milliseconds until `find` finds something. Throws after `limit`. */
export async function until<T>(
	find: () => T | undefined | false | Promise<T | undefined | false>,
	what: string,
	limit = 100_000,
): Promise<T> {
	const end = realNow() + limit;
	for (;;) {
		const found = await find();
		if (found !== undefined && found !== false) return found;
		if (realNow() > end) throw new Error(`Waited in vain: ${what}`);
		await delay(5);
	}
}
