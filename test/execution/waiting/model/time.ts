/** The hour at which every story begins, in milliseconds since 1970. */
export const BEGIN = Date.UTC(2026, 0, 5, 12);

const realImmediate = setImmediate;

/** Time that passes only from one timer to the next, so that hours take milliseconds and every story plays alike each time. */
export function startVirtualTime(): void {
	ahead = 0;
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
		// Until nothing goes on but timers.
		for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => realImmediate(resolve));
		if (isOver() || Date.now() >= end || jest.getTimerCount() === 0) return;
		jest.advanceTimersToNextTimer();
	}
}

/** A moment as the trace shows it: time since the beginning, in seconds. */
export function moment(): string {
	return ((serviceTime() - BEGIN) / 1_000).toFixed(3).padStart(10);
}

/** By how much the service’s clock is ahead of the one of n8n’s machine, in milliseconds. */
let ahead = 0;

/** The time by the service’s clock, which nobody moves, in milliseconds since 1970. */
export function serviceTime(): number {
	return Date.now() + ahead;
}

/** Moves the clock of n8n’s machine, as a person or NTP does. */
export function moveClock(by: number): void {
	jest.setSystemTime(Date.now() + by);
	ahead -= by;
}
