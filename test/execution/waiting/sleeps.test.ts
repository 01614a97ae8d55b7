import {
	claimAfterAsking,
	claimWakeUp,
	countAsleep,
	datesOf,
	fallAsleep,
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

	it('knows every date at which n8n’s clock may still wake the execution', async () => {
		const execution = asleep('first');
		const [first] = datesOf(execution);
		await wakeUp(execution);
		const second = Date.now() + 120_000;
		fallAsleep(execution, { sleepId: 'second', date: second, until: until() });

		expect(datesOf(execution)).toEqual([first, second]);
	});
});

describe('any other process', () => {
	it('has to ask n8n', () => {
		expect(claimWakeUp('somebody else’s', 'sleep', handler().answering)).toBeUndefined();
	});

	it('lets one of its handlers wake a sleep', () => {
		expect(claimAfterAsking('another’s', 'sleep', handler().answering)).toBe(true);
		expect(claimAfterAsking('another’s', 'sleep', handler().answering)).toBe(false);
		expect(claimAfterAsking('another’s', 'next sleep', handler().answering)).toBe(true);
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
