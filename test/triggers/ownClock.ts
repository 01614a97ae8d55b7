/**
 * A clock that goes on only while the trigger pauses: what the machine takes for the work costs no time.
 * Time limits of the trigger pass by it. Times in milliseconds.
 */

const realNow = Date.now;
const realTimeout = AbortSignal.timeout.bind(AbortSignal);

/** How much time has passed since the clock was started; undefined while the machine's goes. */
let passed: number | undefined;
/** What the clock showed when it was started, and how far it was put since. */
let begin = 0;
let pausing = 0;
let goOn: () => void = () => undefined;
let isLetGo: Promise<void> = Promise.resolve();
const limits = new Map<AbortController, number>();

/** n8n-workflow with a `sleep` that moves this clock. For `jest.mock('n8n-workflow', () => withOwnPauses())`. */
export function withOwnPauses(): object {
	const actual: { sleep(milliseconds: number): Promise<void> } = jest.requireActual('n8n-workflow');
	return {
		...actual,
		sleep: async (milliseconds: number) => {
			if (passed === undefined) return await actual.sleep(milliseconds);
			const end = passed + milliseconds;
			pausing += 1;
			await isLetGo;
			// Pauses end one after the other, as they do by timers.
			await new Promise((resolve) => setImmediate(resolve));
			pausing -= 1;
			moveTo(end);
		},
	};
}

function moveTo(moment: number): void {
	passed = Math.max(passed ?? 0, moment);
	for (const [limit, end] of limits) {
		if (end > passed) continue;
		limits.delete(limit);
		limit.abort();
	}
}

export function passTime(milliseconds: number): void {
	moveTo((passed ?? 0) + milliseconds);
}

/** Puts the clock forward, or back: what it shows, not what passes. */
export function putClock(milliseconds: number): void {
	begin += milliseconds;
}

/**
 * Starts the clock at the present moment.
 *
 * @param terms the time limits that pass by it, each with how long it is taken for
 */
export function underOwnClock(terms: Record<number, number>): void {
	passed = 0;
	begin = realNow();
	Date.now = () => (passed === undefined ? realNow() : begin + passed);
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		const term = terms[milliseconds];
		if (term === undefined) return realTimeout(milliseconds);
		const limit = new AbortController();
		limits.set(limit, (passed ?? 0) + term);
		return limit.signal;
	});
}

/**
 * Stops the trigger's clock: pauses last until `letPausesPass`.
 *
 * @returns how many pauses are being made
 */
export function stopPauses(): () => number {
	isLetGo = new Promise((resolve) => (goOn = resolve));
	return () => pausing;
}

/** Lets the clock go on, if it was stopped. */
export function letPausesPass(): void {
	goOn();
	isLetGo = Promise.resolve();
}

export function usualClock(): void {
	passed = undefined;
	Date.now = realNow;
	limits.clear();
}
