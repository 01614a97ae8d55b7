import { randomUUID } from 'node:crypto';

import type {
	Entry,
	Ledger,
	SuspendedLedger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	activityOf,
	countSuspended,
	endSuspensions,
	isOnlyProcess,
	knownSuspension,
	lastRequestError,
	recordHandler,
	suspensionOf,
	suspensionsOf,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import type { RunStatus } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { asleepWith, fallAsleep, ledgerOf, node, request, running } from '../ledgerOf';

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

/** A ledger of an execution that sleeps until its wait limit in a hundred seconds, and of which this process knows nothing. */
const ledgerAsleep = (more: Partial<Ledger> = {}, entries: Entry[] = []): SuspendedLedger =>
	asleepWith(entries, { deadline: 200_000, ...more }, { timerAt: 160_000 });

describe('a sleep', () => {
	it('that this process has not begun is remembered when a handler is called for it', () => {
		const ledger = ledgerAsleep();
		const { id } = suspensionOf(ledger);
		const plan = { account: undefined };
		expect(knownSuspension(id)).toMatchObject({ isPublished: false, plan });
		expect(suspensionOf(ledger)).toBe(knownSuspension(id));
	});

	it('believes no callback while something is still to be started', () => {
		const entries = [running(), { request }];
		expect(fallAsleep(ledgerAsleep({}, entries)).recordCallback('1')).toBe(false);
	});

	it('is watched for its account until the execution is resumed, gives what it knows of its runs then, and keeps none', () => {
		const account = randomUUID();
		const ledger = ledgerAsleep({}, [running()]);
		const suspension = fallAsleep(ledger, { account });
		fallAsleep(ledgerAsleep(), { account: 'another' });
		expect(suspensionsOf(account)).toEqual([suspension]);
		suspension.recordAnswers(new Map([['1', 'finished']]));

		const { id } = suspension;
		const known = { id, runs: new Map([['1', 'finished']]) };
		expect(endSuspensions(ledger.executionId).suspensions).toMatchObject([known]);
		expect(suspensionsOf(account)).toEqual([]);
		expect(endSuspensions(ledger.executionId).suspensions).toEqual([]);
		expect(knownSuspension(id)).toMatchObject({ isOver: true, runs: new Map() });
	});

	it('is forgotten an hour after the wait limit, or now where that is over, and five minutes after its end', () => {
		const late = fallAsleep(ledgerAsleep({ deadline: 1 }));
		const [asleep, awake] = [fallAsleep(ledgerAsleep()), fallAsleep(ledgerAsleep())];
		endSuspensions(awake.executionId);
		const isKnown = ({ id }: Suspension): boolean => knownSuspension(id) !== undefined;
		const known = () => [asleep, awake, late].map(isKnown);
		for (const [now, ...expected] of [
			[399_000, true, true, true],
			[401_000, true, false, true],
			[3_699_000, true, false, true],
			[3_701_000, true, false, false],
			[3_801_000, false, false, false],
		] as const) {
			jest.setSystemTime(now);
			expect(known()).toEqual(expected);
		}
	});

	it('is only this process’s business where it has begun it and handles callbacks', () => {
		const [own, another] = [fallAsleep(ledgerAsleep()), suspensionOf(ledgerAsleep())];
		recordHandler();
		expect([isOnlyProcess(own), isOnlyProcess(another)]).toEqual([true, false]);
	});

	it.each([
		['is far from its date', 160_000, false, [false, false]],
		['may be about to be resumed by n8n’s wait timer', 101_000, false, [true, true]],
		['was resumed by n8n’s wait timer, which does so once', 100_000, false, [true, false]],
		['was resumed by a call at the date of n8n’s wait timer', 100_000, true, [true, true]],
	])('%s', (_, timerAt, isCalled, expected) => {
		const ledger = ledgerAsleep();
		ledger.suspension.timerAt = timerAt;
		const suspension = fallAsleep(ledger);
		if (isCalled) suspension.recordClaim({ isAnswered: () => true, hasFailed: () => false });
		const isTimerNear = () => endSuspensions(ledger.executionId).isTimerNear;
		expect([isTimerNear(), isTimerNear()]).toEqual(expected);
	});

	it('is counted while n8n’s wait timer is still to resume it, only with its like where no callback does', () => {
		const count = () => [countSuspended(true), countSuspended(false)];
		const [all = 0, uncalled = 0] = count();
		const first = ledgerAsleep({}, [running()]);
		fallAsleep(first);
		fallAsleep(ledgerAsleep({ waitMethod: 'timer' }, [running()]));
		fallAsleep(ledgerAsleep({}, Array<Entry>(11).fill(running())));
		suspensionOf(ledgerAsleep());
		expect(count()).toEqual([all + 3, uncalled + 2]);
		endSuspensions(first.executionId);
		expect(count()).toEqual([all + 2, uncalled + 2]);
		// Both were stopped while they slept: their date goes by.
		jest.setSystemTime(160_000);
		expect(countSuspended(true) - all).toBeLessThan(1);
	});
});

describe('what the editor shows of a suspended execution', () => {
	const [goesOn, paused] = [running(), { ...running(), status: 'paused' as const }];
	const all = { isPublished: false, seconds: 0, entries: [goesOn, running('2')] };

	it.each<[string, boolean, Partial<typeof all>, Partial<Record<1 | 2, RunStatus>>]>([
		['a run has paused', true, {}, { 1: 'paused', 2: 'running' }],
		['a paused run goes on', true, { entries: [paused] }, { 1: 'running' }],
		['a paused run is paused', false, { entries: [paused], seconds: 60 }, { 1: 'paused' }],
		['not all were read', false, {}, { 1: 'paused' }],
		['none is left', false, { entries: [{ ...paused, status: 'finished' }] }, {}],
		['one ended a while ago', true, { seconds: 10.1 }, { 1: 'running', 2: 'finished' }],
		['one ended just now', false, { seconds: 10 }, { 1: 'running', 2: 'finished' }],
		['all go on', false, { seconds: 60 }, { 1: 'running', 2: 'running' }],
		['nobody looks at it', false, { isPublished: true }, { 1: 'paused', 2: 'running' }],
	])('is outdated where %s: %p', (_, expected, how, answers) => {
		const { entries, seconds, isPublished } = { ...all, ...how };
		const suspension = fallAsleep(ledgerAsleep({}, entries), { isPublished });
		suspension.recordAnswers(new Map(Object.entries(answers)));
		jest.advanceTimersByTime(seconds * 1_000);
		expect(suspension.isViewOutdated).toBe(expected);
	});
});

describe('what happened while it slept', () => {
	const refuse = (ledger: SuspendedLedger, words: string) =>
		suspensionOf(ledger).recordRequestError(node, new Error(words));

	it('is nothing at first, and kept with the execution while that is awake', () => {
		expect(activityOf(ledgerAsleep())).toStrictEqual({});
		const activity = { polledAt: 70_000 };
		expect(activityOf(ledgerOf([], { activity }))).toBe(activity);
	});

	it('is known by when it was last, beyond what the execution was stored with', () => {
		const stored = { polledAt: 50_000, calledBackAt: 60_000 };
		const ledger = ledgerAsleep({ activity: { ...stored } });
		fallAsleep(ledger);
		suspensionOf(ledger).recordCallback('1');
		refuse(ledger, 'no answer');

		expect(activityOf({ ...ledger })).toEqual({
			polledAt: 50_000,
			calledBackAt: 100_000,
			requestFailedAt: 100_000,
			requestError: 'no answer',
		});
		expect(ledger.activity).toEqual(stored);
	});

	it('tells why the service did not tell, until it does', () => {
		const ledger = ledgerAsleep({}, [running()]);
		expect(lastRequestError(ledger)).toBeUndefined();
		refuse(ledger, 'no answer');
		expect(lastRequestError(ledger)).toBe('no answer');
		suspensionOf(ledger).recordAnswers(new Map([['1', 'running']]));
		expect(lastRequestError(ledger)).toBeUndefined();
	});
});
