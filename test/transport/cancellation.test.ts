import { getEventListeners } from 'node:events';

import { CanceledError } from '../../nodes/BrowserAutomation/service/errors';
import {
	cancelSignalOf,
	pause,
	delay,
	withSignal,
} from '../../nodes/BrowserAutomation/transport/cancellation';

const never = new Promise<never>(() => undefined);

describe('work under a signal', () => {
	it('gives its value, or its failure, and leaves nothing behind at a signal that outlives it', async () => {
		const { signal } = new AbortController();
		await expect(withSignal(signal, Promise.resolve(7))).resolves.toBe(7);
		await expect(withSignal(signal, Promise.reject(new Error('no')))).rejects.toThrow('no');
		expect(getEventListeners(signal, 'abort')).toEqual([]);
	});

	it('is not waited for any longer once the signal is raised', async () => {
		const controller = new AbortController();
		const waited = withSignal(controller.signal, never);
		controller.abort(new Error('too late'));
		await expect(waited).rejects.toThrow('too late');
	});

	it('is not waited for at all when it was raised before', async () => {
		await expect(withSignal(AbortSignal.abort(new Error('over')), never)).rejects.toThrow('over');
	});
});

it('the signal of an execution is what n8n gives, if it gives one', () => {
	const { signal } = new AbortController();
	function getExecutionCancelSignal(this: { signal: AbortSignal }): AbortSignal {
		return this.signal;
	}
	expect(cancelSignalOf({ signal, getExecutionCancelSignal })).toBe(signal);
	for (const getExecutionCancelSignal of [undefined, 'none', () => undefined]) {
		expect(cancelSignalOf({ getExecutionCancelSignal })).toBeUndefined();
	}
});

it('a rest takes its time', async () => {
	const begun = performance.now();
	await delay(30);
	expect(performance.now() - begun).toBeGreaterThan(25);
});

describe('a pause', () => {
	beforeEach(() => jest.useFakeTimers({ now: 0 }));
	afterEach(() => jest.useRealTimers());

	it('takes its time, to the millisecond', async () => {
		const paused = pause(2_500, undefined).then(() => Date.now());
		await jest.advanceTimersByTimeAsync(10_000);
		expect(await paused).toBe(2_500);
	});

	it.each([
		['the machine’s clock is put back meanwhile', 2_500, -3_600_000, 2_000],
		['the process was held up, or the machine asleep', 60_000, 3_600_000, 500],
	])('takes no longer where %s', async (_, length, clock, delay) => {
		let isOver = false;
		void pause(length, undefined).then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(500);
		jest.setSystemTime(clock);
		await jest.advanceTimersByTimeAsync(delay);
		expect(isOver).toBe(true);
	});

	it('ends within a second of a stop', async () => {
		const controller = new AbortController();
		const ended = pause(60_000, controller.signal).catch((error: unknown) => [error, Date.now()]);
		await jest.advanceTimersByTimeAsync(1_500);
		controller.abort();
		await jest.advanceTimersByTimeAsync(60_000);
		expect(await ended).toEqual([expect.any(CanceledError), 2_000]);
	});

	it('does not begin after a stop; else one of no time at all is over', async () => {
		for (const length of [0, 5_000]) {
			await expect(pause(length, AbortSignal.abort())).rejects.toThrow(CanceledError);
		}
		await expect(pause(0, undefined)).resolves.toBeUndefined();
		expect(Date.now()).toBe(0);
	});

	it('ends with a stop that comes in its last moment', async () => {
		const controller = new AbortController();
		const ended = pause(500, controller.signal).catch((error: unknown) => error);
		controller.abort();
		await jest.advanceTimersByTimeAsync(500);
		expect(await ended).toBeInstanceOf(CanceledError);
	});
});
