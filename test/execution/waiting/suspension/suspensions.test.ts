import {
	countSuspended,
	endSuspensions,
	rememberedSuspension,
	findOrRemember,
	remember,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import type { RunStatus } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { asleepWith, fallAsleep, running } from '../ledgerOf';
import type { Entry, Ledger, SuspendedLedger } from '../ledgerOf';

beforeEach(() => jest.useFakeTimers({ now: 100_000 }));
afterEach(() => jest.useRealTimers());

/** A ledger of an execution that sleeps until its wait limit in a hundred seconds, and of which this process knows nothing. */
const ledgerAsleep = (more: Partial<Ledger> = {}, entries: Entry[] = []): SuspendedLedger =>
	asleepWith(entries, { deadline: 200_000, ...more }, { timerAt: 160_000 });

describe('a sleep', () => {
	it('is forgotten an hour after the wait limit, or now where that is over, and five minutes after its end', () => {
		const late = fallAsleep(ledgerAsleep({ deadline: 1 }));
		const [asleep, awake] = [fallAsleep(ledgerAsleep()), fallAsleep(ledgerAsleep())];
		endSuspensions(awake.executionId);
		const isKnown = ({ id }: Suspension): boolean => rememberedSuspension(id) !== undefined;
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

	it('that is over waits for no run, and takes no late answer: the execution goes on with what was known', () => {
		const suspension = fallAsleep(ledgerAsleep({}, [running('1'), running('2')]));
		suspension.noteAnswers(new Map([['1', 'finished']]));
		const { suspensions } = endSuspensions(suspension.executionId);
		expect(suspension.awaitedTaskIds).toEqual([]);
		expect(suspension.noteAnswers(new Map([['2', 'finished']]))).toEqual([]);
		const seen = suspensions.map(({ answers }) => Object.fromEntries(answers));
		expect(seen).toStrictEqual([{ 1: 'finished', 2: undefined }]);
	});

	it('is counted while n8n’s wait timer is still to resume it, if this process suspended it', () => {
		const before = countSuspended(true);
		fallAsleep(ledgerAsleep({}, [running()]));
		findOrRemember(ledgerAsleep());
		expect(countSuspended(true)).toBe(before + 1);
		// Its watcher has left it: it was resumed in another process.
		const watched = { isProduction: true, ready: Promise.resolve(), account: 'a' };
		remember(ledgerAsleep({}, [running()]), watched).watching.account = undefined;
		expect(countSuspended(true)).toBe(before + 1);
		// It was stopped while it slept: its date goes by.
		jest.setSystemTime(160_000);
		expect(countSuspended(true)).toBeLessThan(before + 1);
	});
});

const [goesOn, paused] = [running(), { ...running(), status: 'paused' as const }];
const usual = { isProduction: false, isPauseEnough: false, seconds: 0 };
const all = { ...usual, entries: [goesOn, running('2')] };
const resumable = { entries: [paused, running('2')], isPauseEnough: true };

it.each<[string, Partial<typeof all>, Partial<Record<1 | 2, RunStatus>>]>([
	['a paused run is paused', { entries: [paused], seconds: 60 }, { 1: 'paused' }],
	['not all were read', {}, { 1: 'paused' }],
	['a paused one is waited for no more', resumable, { 2: 'running' }],
	['none is left', { entries: [{ ...paused, status: 'finished' }] }, {}],
	['one ended just now', { seconds: 10 }, { 1: 'running', 2: 'finished' }],
	['all go on', { seconds: 60 }, { 1: 'running', 2: 'running' }],
	['nobody looks at it', { isProduction: true }, { 1: 'paused', 2: 'running' }],
])('what the editor shows of a sleep is not outdated where %s', (_, how, answers) => {
	const { entries, seconds, isProduction, isPauseEnough } = { ...all, ...how };
	const ledger = ledgerAsleep({}, entries);
	const settings = { ...ledger.settings, isPauseEnough };
	const suspension = fallAsleep({ ...ledger, settings }, { isProduction });
	suspension.noteAnswers(new Map(Object.entries(answers)));
	jest.advanceTimersByTime(seconds * 1_000);
	expect(suspension.isViewOutdated).toBe(false);
});
