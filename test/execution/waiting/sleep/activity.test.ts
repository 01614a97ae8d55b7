import { randomUUID } from 'node:crypto';

import {
	activityOf,
	keepActivity,
	noteCallback,
	noteLook,
	noteRefusal,
	type Activity,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/activity';
import type { Ledger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ledgerOf } from '../ledgerOf';

const node = {
	id: 'a',
	name: 'Browser Automation',
	type: 'browserAutomation',
	typeVersion: 1,
	position: [0, 0] satisfies [number, number],
	parameters: {},
};

/** A ledger of an execution of which this process knows nothing, until ten minutes after the clock’s beginning. */
function ledgerWith(activity?: Activity): Ledger {
	const more = activity === undefined ? {} : { activity };
	return ledgerOf([{ taskId: '1' }], { executionId: randomUUID(), deadline: 700_000, ...more });
}

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

it('nothing is known of an execution of which nothing was noted', () => {
	expect(activityOf(ledgerWith())).toStrictEqual({});
});

it('each thing is known by when it was last, until the wait limit', () => {
	const ledger = ledgerWith();
	noteLook(ledger);
	jest.setSystemTime(200_000);
	noteCallback(ledger);
	jest.setSystemTime(300_000);
	noteRefusal(node, ledger, new Error('no answer'));
	const all = {
		lookedAt: 100_000,
		calledBackAt: 200_000,
		refusedAt: 300_000,
		refusal: 'no answer',
	};
	expect(activityOf(ledger)).toEqual(all);
	noteLook(ledger);
	expect(activityOf(ledger)).toEqual({ ...all, lookedAt: 300_000 });
	jest.setSystemTime(700_000);
	expect(activityOf(ledger)).toEqual({});
});

it('what the execution was stored with counts where it is later than what this process knows', () => {
	const stored = { lookedAt: 50_000, calledBackAt: 150_000, refusedAt: 50_000, refusal: 'before' };
	const ledger = ledgerWith(stored);
	expect(activityOf(ledger)).toEqual(stored);

	noteLook(ledger);
	noteCallback(ledger);
	noteRefusal(node, ledger, new Error('now'));
	expect(activityOf(ledger)).toEqual({
		lookedAt: 100_000,
		calledBackAt: 150_000,
		refusedAt: 100_000,
		refusal: 'now',
	});

	const later = { lookedAt: 110_000, refusedAt: 110_000, refusal: 'after' };
	expect(activityOf({ ...ledger, activity: later })).toEqual({ ...later, calledBackAt: 100_000 });
});

it('is stored with the execution, for another process', () => {
	const ledger = ledgerWith();
	noteCallback(ledger);
	keepActivity(ledger);
	expect(activityOf({ ...ledger, executionId: randomUUID() })).toEqual({ calledBackAt: 100_000 });
});
