import { randomUUID } from 'node:crypto';

import {
	pollPauseFor,
	RunTimes,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/runTimes';
import { watchPause } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/schedule';
import {
	openTaskIds,
	recordAnswers,
	recordCallback,
	remember,
	type Suspension,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { ledgerOf, running, suspensionWith } from '../ledgerOf';

const SECOND = 1_000;
const USUAL = 1_234;

/** A node whose runs took so many seconds. */
function after(seconds: number[], isCalled = false): RunTimes {
	const times = new RunTimes();
	for (const second of seconds) times.record(second * SECOND, isCalled);
	return times;
}

/** Times spread evenly from 4 to 8 s. */
const spread = Array.from({ length: 41 }, (_, index) => 4 + index / 10);

/** At which ages of a run, in seconds, polls come. */
function polls(times: RunTimes, count: number, until: number): number[] {
	const moments: number[] = [];
	for (let age = 0; age < until * SECOND;) {
		age += times.pause(age, count, USUAL);
		moments.push(age / SECOND);
	}
	return moments;
}

const AROUND_EIGHT = [8, 8.4, 8.8, 9.2, 9.6, 10, 11.234];

it.each<[string, number[], number, boolean, number[]]>([
	['as usual where nothing is known', [], 1, false, [1.234, 2.468, 3.702]],
	['at the usual time, then close together, then as usual', [8], 1, false, AROUND_EIGHT],
	['of one run when the first tenth has ended', spread, 1, false, [4.4, 4.9, 5.4]],
	['of a hundred runs when the slowest may have ended', spread, 100, false, [8, 8.5, 9]],
	['after the longest time where callbacks come', spread, 1, true, [8.5, 9, 9.5]],
	['twice a minute before that, as bots may become quicker', [100], 1, false, [30, 60, 90, 100]],
	['from the shortest to the longest, whichever came first', [8, 4], 1, false, [4, 4.5, 5]],
	['as before where runs vary from seconds to hours', [1, 10_000], 1, false, [1, 2.234, 3.468]],
])('polls come %s', (_, seconds, count, isCalled, expected) => {
	const until = (expected.at(-1) ?? 0) - 0.01;
	expect(polls(after(seconds, isCalled), count, until)).toEqual(
		expected.map((moment) => expect.closeTo(moment, 3)),
	);
});

it('a lost callback has polls begin early again', () => {
	const times = after(spread, true);
	times.record(6 * SECOND, false);
	expect(times.pause(0, 1, USUAL)).toBe(4_400);
});

it('what runs took long ago is forgotten', () => {
	const times = after([...spread, ...Array<number>(100).fill(20)]);
	expect(times.pause(0, 1, USUAL)).toBe(20 * SECOND);
});

describe('of a node', () => {
	const NOW = 1_700_000_000_000;
	const usual = watchPause(0);

	beforeEach(() => jest.useFakeTimers({ now: NOW }));
	afterEach(() => jest.useRealTimers());

	/** A suspension that waits for runs that were started so many seconds ago, or nobody knows when. */
	function waitFor(
		nodeKey: string | undefined,
		ages: Array<number | undefined>,
		resumeWhenPaused = false,
	): Suspension {
		const entries = ages.map((age, index) => ({
			...running(`${index}`),
			...(age !== undefined && { startedAt: NOW - age * SECOND }),
		}));
		const ledger = ledgerOf(entries, {}, { resumeWhenPaused });
		const watch = { canResume: true, isPublished: true, nodeKey };
		return remember({ ...ledger, suspension: suspensionWith(randomUUID()) }, watch);
	}

	const pauseFor = (suspension: Suspension, isEachWanted = false) =>
		pollPauseFor(suspension, openTaskIds(suspension), 0, isEachWanted);

	const read = (suspension: Suspension, status: 'running' | 'finished', at = 0) => {
		jest.setSystemTime(NOW + at * SECOND);
		recordAnswers(suspension, new Map([['0', status]]));
		jest.setSystemTime(NOW);
	};
	const called = (suspension: Suspension) => recordCallback(suspension, '0');
	const ended = (suspension: Suspension) => read(suspension, 'finished');
	const many = Array<number>(101).fill(8);

	const seenAndEnded = (suspension: Suspension) => {
		read(suspension, 'running', -0.5);
		ended(suspension);
	};

	it.each<[string, (suspension: Suspension) => unknown, number, number[]?]>([
		['whose callback came is known', called, 8_400],
		['that a poll found is known by nine tenths', ended, 7_600],
		['that an earlier poll saw is known better', seenAndEnded, 7_750],
		['of a large batch that was seen is known', seenAndEnded, 7_750, many],
		[
			'that was called back is not learned again from a poll',
			(suspension) => {
				called(suspension);
				called(suspension);
				ended(suspension);
			},
			8_400,
		],
	])('the time of a run %s', (_, record, pause, ages = [8]) => {
		const nodeKey = randomUUID();
		record(waitFor(nodeKey, ages));
		expect(pauseFor(waitFor(nodeKey, [0]))).toBe(pause);
	});

	it.each<[string, Array<number | undefined>, (suspension: Suspension) => unknown, boolean]>([
		['whose start nobody knows', [undefined], ended, false],
		['of a large batch that was never seen', many, ended, false],
		['that may only have paused', [8], called, true],
	])('nothing is learned of a run %s', (_, ages, record, resumeWhenPaused) => {
		const nodeKey = randomUUID();
		record(waitFor(nodeKey, ages, resumeWhenPaused));
		expect(pauseFor(waitFor(nodeKey, [0]))).toBe(usual);
		called(waitFor(nodeKey, [8]));
		expect(pauseFor(waitFor(nodeKey, [0]))).toBe(8_400);
	});

	it('nothing is learned for no node', () => {
		called(waitFor(undefined, [8]));
		expect(pauseFor(waitFor(undefined, [0]))).toBe(usual);
	});

	it.each<[string, number, Array<number | undefined>, boolean]>([
		['when all have ended, by the youngest', 8_400, [5, 0], false],
		['when one may have ended, by the oldest', 3_400, [0, 5], true],
		['as usual where nobody knows when one was started', usual, [5, undefined], false],
		['as usual where none is open', usual, [], false],
	])('runs are polled %s', (_, pause, ages, isEachWanted) => {
		const nodeKey = randomUUID();
		called(waitFor(nodeKey, [8]));
		expect(pauseFor(waitFor(nodeKey, ages), isEachWanted)).toBe(pause);
	});
});
