import { randomUUID } from 'node:crypto';

import type {
	Activity,
	Entry,
	Ledger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	activityOf,
	claim,
	countAsleep,
	endSleeps,
	isBeingWoken,
	knownSleeper,
	lastRefusal,
	noteRefusal,
	remember,
	sleeperOf,
	sleepersOf,
	wasLookedAt,
	type AsleepLedger,
	type Sleeper,
	type Waking,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import { ledgerOf } from '../ledgerOf';
import { node } from '../statusPage/node';

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

/** A ledger of an execution that sleeps until its wait limit in a hundred seconds, and of which this process knows nothing. */
function ledgerAsleep(more: Partial<Ledger> = {}, entries: Entry[] = []): AsleepLedger {
	const sleep = { id: randomUUID(), resumeUrl: 'https://n8n/1', date: 160_000, idleWakes: 0 };
	return { ...ledgerOf(entries, { executionId: randomUUID(), deadline: 200_000, ...more }), sleep };
}

/** This process puts it to sleep. */
function fallAsleep(ledger: AsleepLedger, account = 'a'): Sleeper {
	return remember(ledger, ledger.sleep, { account, canWake: true });
}

/** A handler whose answer has not been sent, until the test says so. */
function handler() {
	const state = { hasBeenAnswered: false, hasFailed: false };
	const waking: Waking = {
		hasBeenAnswered: () => state.hasBeenAnswered,
		hasFailed: () => state.hasFailed,
	};
	return { state, waking };
}

describe('the right to wake an execution', () => {
	it('has one handler, and another one where n8n could not', () => {
		const sleeper = fallAsleep(ledgerAsleep());
		const { state, waking } = handler();
		expect(isBeingWoken(sleeper)).toBe(false);
		expect(claim(sleeper, waking)).toBe('mine');
		expect(claim(sleeper, handler().waking)).toBe('others');
		expect(isBeingWoken(sleeper)).toBe(true);
		state.hasFailed = true;
		expect(isBeingWoken(sleeper)).toBe(false);
		expect(claim(sleeper, handler().waking)).toBe('mine');
	});

	it('has nobody while the execution is awake, nor for an earlier sleep', () => {
		const ledger = ledgerAsleep();
		const earlier = fallAsleep(ledger);
		endSleeps(ledger.executionId);
		expect(claim(earlier, handler().waking)).toBe('over');

		const later = fallAsleep({ ...ledger, sleep: { ...ledger.sleep, id: randomUUID() } });
		expect(claim(sleeperOf(ledger), handler().waking)).toBe('over');
		expect(claim(later, handler().waking)).toBe('mine');
	});
});

describe('a sleep', () => {
	it('that this process has not begun is remembered when a handler is called for it', () => {
		const ledger = ledgerAsleep();
		const { sleepId } = sleeperOf(ledger);
		expect(knownSleeper(sleepId)).toMatchObject({ isOwn: false, account: undefined });
		expect(sleeperOf(ledger)).toBe(knownSleeper(sleepId));
		expect(fallAsleep(ledgerAsleep())).toMatchObject({ isOwn: true, account: 'a' });
	});

	it('is watched for its account until the execution wakes, and told then', () => {
		const account = randomUUID();
		const ledger = ledgerAsleep({}, [{ taskId: '1', status: 'running' }]);
		const sleeper = fallAsleep(ledger, account);
		fallAsleep(ledgerAsleep(), 'another');
		expect(sleepersOf(account)).toEqual([sleeper]);
		sleeper.runs.set('1', 'finished');

		expect(endSleeps(ledger.executionId).sleeps).toMatchObject([
			{ sleepId: sleeper.sleepId, runs: new Map([['1', 'finished']]) },
		]);
		expect(sleepersOf(account)).toEqual([]);
		expect(endSleeps(ledger.executionId).sleeps).toEqual([]);
	});

	it('is forgotten an hour after the wait limit, and five minutes after its end', () => {
		const [asleep, awake] = [fallAsleep(ledgerAsleep()), fallAsleep(ledgerAsleep())];
		endSleeps(awake.executionId);
		const known = () => [asleep, awake].map(({ sleepId }) => knownSleeper(sleepId) !== undefined);
		jest.setSystemTime(399_000);
		expect(known()).toEqual([true, true]);
		jest.setSystemTime(401_000);
		expect(known()).toEqual([true, false]);
		jest.setSystemTime(200_000 + 3_600_000);
		expect(known()).toEqual([false, false]);
	});

	it('is counted while n8n’s clock is still to wake it', () => {
		const before = countAsleep();
		const [first, second] = [ledgerAsleep(), ledgerAsleep()];
		fallAsleep(first);
		fallAsleep(second);
		sleeperOf(ledgerAsleep());
		expect(countAsleep() - before).toBe(2);
		endSleeps(first.executionId);
		expect(countAsleep() - before).toBe(1);
		// It was stopped while it slept: its date goes by.
		jest.setSystemTime(160_000);
		expect(countAsleep() - before).toBeLessThan(1);
	});
});

describe('a look of the watcher is believed', () => {
	/** Of a sleep whose date is now, and which was looked at half a minute ago. */
	function looked(ledger = ledgerAsleep()): Sleeper {
		ledger.sleep.date = 100_000;
		const sleeper = fallAsleep(ledger);
		sleeper.activity.lookedAt = 70_000;
		return sleeper;
	}

	it('for a minute, by an execution that n8n’s clock wakes', () => {
		expect(wasLookedAt(looked())).toBe(true);
		const seldom = looked();
		seldom.activity.lookedAt = 40_000;
		expect(wasLookedAt(seldom)).toBe(false);
	});

	it('by none that something else wakes, in this process or another, nor where there was none', () => {
		const sleeper = looked();
		claim(sleeper, handler().waking);
		expect(wasLookedAt(sleeper)).toBe(false);
		expect(wasLookedAt({ ...looked(), clockAt: 100_001 })).toBe(false);
		expect(wasLookedAt({ ...looked(), isOwn: false })).toBe(false);
		expect(wasLookedAt({ ...looked(), activity: {} })).toBe(false);
	});
});

describe('what happened while it slept', () => {
	const refuse = (activity: Activity, words: string) =>
		noteRefusal(activity, node, new Error(words));

	it('is nothing at first', () => {
		expect(activityOf(ledgerAsleep())).toStrictEqual({});
		expect(activityOf(ledgerOf([]))).toStrictEqual({});
	});

	it('is known by when it was last, beyond what the execution was stored with', () => {
		const stored = { lookedAt: 50_000, calledBackAt: 60_000 };
		const ledger = ledgerAsleep({ activity: { ...stored } });
		fallAsleep(ledger);
		activityOf(ledger).calledBackAt = 100_000;
		refuse(activityOf(ledger), 'no answer');

		expect(activityOf({ ...ledger })).toEqual({
			lookedAt: 50_000,
			calledBackAt: 100_000,
			refusedAt: 100_000,
			refusal: 'no answer',
		});
		expect(ledger.activity).toEqual(stored);
	});

	it('is kept with the execution while it is awake', () => {
		const ledger = ledgerOf([]);
		activityOf(ledger).lookedAt = 70_000;
		expect(ledger.activity).toEqual({ lookedAt: 70_000 });
	});

	it('tells why the service did not tell, until it does', () => {
		const ledger = ledgerAsleep();
		expect(lastRefusal(ledger)).toBeUndefined();
		refuse(activityOf(ledger), 'no answer');
		expect(lastRefusal(ledger)).toBe('no answer');
		activityOf(ledger).lookedAt = 100_000;
		expect(lastRefusal(ledger)).toBeUndefined();
	});
});
