/** The hour at which every story begins, in milliseconds since 1970. */
export const BEGIN = Date.UTC(2026, 0, 5, 12);

const realImmediate = setImmediate;

/**
 * Time that passes only from one timer to the next, so that hours take milliseconds and every story
 * plays alike each time.
 */
export function startVirtualTime(): void {
	jest.useFakeTimers({
		now: BEGIN,
		doNotFake: ['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate'],
	});
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		const controller = new AbortController();
		setTimeout(() => controller.abort(new Error('timeout')), milliseconds);
		return controller.signal;
	});
}

/** Back to the time of this world. */
export function endVirtualTime(): void {
	jest.clearAllTimers();
	jest.restoreAllMocks();
	jest.useRealTimers();
}

/** Lets time pass until `isOver` says so, at most to `end` (milliseconds since 1970). */
export async function passTime(isOver: () => boolean, end: number): Promise<void> {
	for (;;) {
		await everythingDone();
		if (isOver() || Date.now() >= end || jest.getTimerCount() === 0) return;
		jest.advanceTimersToNextTimer();
	}
}

/** Waits until nothing goes on but timers. */
async function everythingDone(): Promise<void> {
	for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => realImmediate(resolve));
}

/** A moment as the trace shows it: time since the beginning, in seconds. */
export function moment(): string {
	return ((Date.now() - BEGIN) / 1_000).toFixed(3).padStart(10);
}
