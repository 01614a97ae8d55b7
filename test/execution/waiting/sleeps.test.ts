import {
	claimAfterAsking,
	claimWakeUp,
	countAsleep,
	datesOf,
	fallAsleep,
	isBeingWoken,
	isOnlyProcess,
	noteHandler,
	wakeUp,
	type Answering,
} from '../../../nodes/BrowserAutomation/execution/waiting/sleeps';

const until = () => Date.now() + 60_000;

/** A handler whose answer has not been sent, until the test says so. */
function handler() {
	const state = { isOver: false, hasFailed: false };
	const answering: Answering = {
		isOver: () => state.isOver,
		hasFailed: () => state.hasFailed,
	};
	return { state, answering };
}

afterEach(() => jest.useRealTimers());

let count = 0;

function asleep(sleepId: string): string {
	const executionId = `execution ${count++}`;
	fallAsleep(executionId, { sleepId, date: Date.now() + 60_000, until: until() });
	return executionId;
}

describe('the process that put an execution to sleep', () => {
	it('lets one handler of the present sleep wake it', () => {
		const execution = asleep('first');

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe(true);
		expect(claimWakeUp(execution, 'first', handler().answering)).toBe(false);
	});

	it('lets another handler wake it when n8n could not', () => {
		const execution = asleep('first');
		const { state, answering } = handler();
		claimWakeUp(execution, 'first', answering);
		state.hasFailed = true;

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe(true);
	});

	it('refuses handlers of an earlier sleep', async () => {
		const execution = asleep('first');
		await wakeUp(execution);
		fallAsleep(execution, { sleepId: 'second', date: Date.now(), until: until() });

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe(false);
		expect(claimWakeUp(execution, 'second', handler().answering)).toBe(true);
	});

	it('refuses every handler while the execution is awake', async () => {
		const execution = asleep('first');
		await wakeUp(execution);

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe(false);
	});

	it('goes on only when a handler that was about to wake the execution has been answered', async () => {
		const execution = asleep('first');
		const { state, answering } = handler();
		claimWakeUp(execution, 'first', answering);
		let isAwake = false;
		const waking = wakeUp(execution).then(() => (isAwake = true));
		await new Promise((resolve) => setTimeout(resolve, 50));
		expect(isAwake).toBe(false);

		state.isOver = true;
		await waking;
		expect(isAwake).toBe(true);
	});

	it('goes on after ten seconds where such a handler is never answered', async () => {
		jest.useFakeTimers();
		const execution = asleep('first');
		claimWakeUp(execution, 'first', handler().answering);
		let isAwake = false;
		const waking = wakeUp(execution).then(() => (isAwake = true));
		await jest.advanceTimersByTimeAsync(9_900);
		expect(isAwake).toBe(false);
		await jest.advanceTimersByTimeAsync(200);
		expect(isAwake).toBe(true);
		await waking;
	});

	it('knows every date at which n8n’s clock may still wake the execution', async () => {
		const execution = asleep('first');
		const [first] = datesOf(execution);
		await wakeUp(execution);
		const second = Date.now() + 120_000;
		fallAsleep(execution, { sleepId: 'second', date: second, until: until() });

		expect(datesOf(execution)).toEqual([first, second]);
	});

	it('remembers a date for ten seconds after it has gone by', () => {
		const execution = `execution ${count++}`;
		const now = Date.now();
		for (const date of [now - 20_000, now - 5_000, now + 60_000]) {
			fallAsleep(execution, { sleepId: 'sleep', date, until: until() });
		}
		expect(datesOf(execution)).toEqual([now - 5_000, now + 60_000]);
	});

	it('tells whether a handler woke the execution, or n8n’s clock', async () => {
		const byClock = asleep('first');
		expect(await wakeUp(byClock)).toBe(false);

		const byHandler = asleep('first');
		const { state, answering } = handler();
		claimWakeUp(byHandler, 'first', answering);
		state.isOver = true;
		expect(await wakeUp(byHandler)).toBe(true);

		const refused = asleep('first');
		claimWakeUp(refused, 'first', { isOver: () => true, hasFailed: () => true });
		expect(await wakeUp(refused)).toBe(false);
	});
});

it('a process that handles callbacks knows that it does', () => {
	noteHandler();
	expect(isOnlyProcess()).toBe(true);
});

describe('any other process', () => {
	it('has to ask n8n', () => {
		expect(claimWakeUp('somebody else’s', 'sleep', handler().answering)).toBeUndefined();
		expect(datesOf('somebody else’s')).toEqual([]);
	});

	it('has to ask n8n also once it has carried the execution on', async () => {
		expect(await wakeUp('carried on')).toBe(false);
		expect(claimWakeUp('carried on', 'sleep', handler().answering)).toBeUndefined();
	});

	it('lets another handler wake a sleep when n8n could not', () => {
		const execution = `execution ${count++}`;
		const { state, answering } = handler();
		claimAfterAsking(execution, 'sleep', answering);
		expect(isBeingWoken(execution, 'sleep')).toBe(true);
		expect(isBeingWoken(execution, 'earlier sleep')).toBe(false);
		state.hasFailed = true;
		expect(isBeingWoken(execution, 'sleep')).toBe(false);
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe(true);
	});

	it('lets one of its handlers wake a sleep', () => {
		const execution = `execution ${count++}`;
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe(true);
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe(false);
		expect(claimAfterAsking(execution, 'next sleep', handler().answering)).toBe(true);
	});
});

it('counts the executions that n8n’s clock is still to wake', async () => {
	const before = countAsleep();
	const woken = asleep('first');
	asleep('first');
	fallAsleep(asleep('first'), { sleepId: 'second', date: Date.now() + 60_000, until: until() });
	// One that was stopped while it slept: its date goes by.
	fallAsleep(asleep('first'), { sleepId: 'second', date: Date.now() - 1, until: until() });
	await wakeUp(woken);

	expect(countAsleep() - before).toBe(2);
});
