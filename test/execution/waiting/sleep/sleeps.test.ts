import {
	claimAfterAsking,
	claimWakeUp,
	countAsleep,
	fallAsleep,
	isBeingWoken,
	isOnlyProcess,
	noteHandler,
	wakeUp,
	type Answering,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleeps';

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

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe('yes');
		expect(claimWakeUp(execution, 'first', handler().answering)).toBe('taken');
	});

	it('lets another handler wake it when n8n could not', () => {
		const execution = asleep('first');
		const { state, answering } = handler();
		claimWakeUp(execution, 'first', answering);
		state.hasFailed = true;

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe('yes');
	});

	it('refuses handlers of an earlier sleep', async () => {
		const execution = asleep('first');
		await wakeUp(execution);
		fallAsleep(execution, { sleepId: 'second', date: Date.now(), until: until() });

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe('no');
		expect(claimWakeUp(execution, 'second', handler().answering)).toBe('yes');
	});

	it('refuses every handler while the execution is awake', async () => {
		const execution = asleep('first');
		await wakeUp(execution);

		expect(claimWakeUp(execution, 'first', handler().answering)).toBe('no');
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

	/** Puts an execution to sleep so that n8n’s clock wakes it in so many seconds. */
	function sleepFor(execution: string, seconds: number): void {
		const date = Date.now() + seconds * 1_000;
		fallAsleep(execution, { sleepId: `sleep until ${date}`, date, until: until() });
		const answering = { isOver: () => true, hasFailed: () => false };
		expect(claimWakeUp(execution, `sleep until ${date}`, answering)).toBe('yes');
	}

	it.each([
		['is far', 60, true],
		['is near', 1, false],
		['has just gone by', -5, false],
		['has long gone by', -20, true],
	])(
		'is alone with a handler that has woken it while its date %s: %d s',
		async (_, seconds, is) => {
			const execution = `execution ${count++}`;
			sleepFor(execution, seconds);
			expect(await wakeUp(execution)).toBe(is);
		},
	);

	it.each([
		['is near', 1, false],
		['has just gone by', -5, false],
		['has long gone by', -20, true],
	])(
		'n8n’s timer of an earlier sleep may go off while its date %s: %d s',
		async (_, seconds, is) => {
			const execution = `execution ${count++}`;
			sleepFor(execution, seconds);
			await wakeUp(execution);
			sleepFor(execution, 60);
			expect(await wakeUp(execution)).toBe(is);
		},
	);

	it('n8n’s timer does not go off again once it has woken the execution', async () => {
		const execution = `execution ${count++}`;
		fallAsleep(execution, { sleepId: 'first', date: Date.now() - 1, until: until() });
		expect(await wakeUp(execution)).toBe(false);
		sleepFor(execution, 60);
		expect(await wakeUp(execution)).toBe(true);
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
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe('yes');
	});

	it('lets one of its handlers wake a sleep', () => {
		const execution = `execution ${count++}`;
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe('yes');
		expect(claimAfterAsking(execution, 'sleep', handler().answering)).toBe('taken');
		expect(claimAfterAsking(execution, 'next sleep', handler().answering)).toBe('yes');
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
