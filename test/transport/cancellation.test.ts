import { getEventListeners } from 'node:events';

import { CanceledError } from '../../nodes/BrowserAutomation/service/errors';
import {
	anySignal,
	cancelSignalOf,
	pause,
	rest,
	withSignal,
} from '../../nodes/BrowserAutomation/transport/cancellation';

const never = new Promise<never>(() => undefined);

describe('work under a signal', () => {
	it('gives its value, or its failure', async () => {
		const { signal } = new AbortController();
		await expect(withSignal(signal, Promise.resolve(7))).resolves.toBe(7);
		await expect(withSignal(signal, Promise.reject(new Error('no')))).rejects.toThrow('no');
	});

	it('leaves nothing behind at a signal that outlives it', async () => {
		const { signal } = new AbortController();
		await withSignal(signal, Promise.resolve(7));
		await withSignal(signal, Promise.reject(new Error('no'))).catch(() => undefined);
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

it('one signal of many is raised as soon as one of them is', () => {
	const [first, second] = [new AbortController(), new AbortController()];
	const any = anySignal(first.signal, undefined, second.signal);
	expect(any.aborted).toBe(false);
	second.abort();
	expect(any.aborted).toBe(true);
});

describe('the signal of an execution', () => {
	it('is what n8n gives, if it gives one', () => {
		const { signal } = new AbortController();
		const context = {
			signal,
			getExecutionCancelSignal(this: { signal: AbortSignal }) {
				return this.signal;
			},
		};
		expect(cancelSignalOf(context)).toBe(signal);
		expect(cancelSignalOf({})).toBeUndefined();
		expect(cancelSignalOf({ getExecutionCancelSignal: 'none' })).toBeUndefined();
		expect(cancelSignalOf({ getExecutionCancelSignal: () => undefined })).toBeUndefined();
	});
});

it('a rest takes its time', async () => {
	const begun = performance.now();
	await rest(30);
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

	it('takes no longer where the machine’s clock is put back meanwhile', async () => {
		let isOver = false;
		void pause(2_500, undefined).then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(500);
		jest.setSystemTime(-3_600_000);
		await jest.advanceTimersByTimeAsync(2_000);
		expect(isOver).toBe(true);
	});

	it('takes no longer where the process was held up, or the machine asleep', async () => {
		let isOver = false;
		void pause(60_000, undefined).then(() => (isOver = true));
		await jest.advanceTimersByTimeAsync(500);
		jest.setSystemTime(3_600_000);
		await jest.advanceTimersByTimeAsync(500);
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

	it('of no time at all is over, unless the execution was stopped', async () => {
		await expect(pause(0, undefined)).resolves.toBeUndefined();
		await expect(pause(0, AbortSignal.abort())).rejects.toThrow(CanceledError);
	});

	it('does not begin after a stop', async () => {
		await expect(pause(5_000, AbortSignal.abort())).rejects.toThrow(CanceledError);
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
