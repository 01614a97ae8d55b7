import { RunTimes } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/runTimes';

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
