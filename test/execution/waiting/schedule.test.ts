import fc from 'fast-check';

import {
	pollPause,
	timerPause,
	timerPutOff,
	watchPause,
} from '../../../nodes/BrowserAutomation/execution/waiting/schedule';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOURS = 7 * 60 * MINUTE;

/** The pauses within seven hours, each after what has passed before it. */
function pauses(pauseAfter: (elapsed: number) => number): Array<[before: number, pause: number]> {
	const found: Array<[number, number]> = [];
	for (let elapsed = 0; ;) {
		const pause = pauseAfter(elapsed);
		if (elapsed + pause > HOURS) return found;
		found.push([elapsed, pause]);
		elapsed += pause;
	}
}

it('a node that keeps running pauses for 2 s to 30 s, give or take a tenth, so never at the same moment as everybody else', () => {
	const random = fc.double({ min: 0, max: 1, noNaN: true });
	const isWithin = (elapsed: number, chance: number): void => {
		const pause = pollPause(elapsed, chance);
		expect(pause).toBeGreaterThanOrEqual(1_800);
		expect(pause).toBeLessThanOrEqual(33_000);
	};
	fc.assert(fc.property(fc.nat(HOURS), random, isWithin));
	expect(pollPause(MINUTE, 0)).toBeLessThan(pollPause(MINUTE, 0.99));
});

it.each<[string, (elapsed: number) => number, number]>([
	['the watcher', (elapsed) => watchPause(elapsed, false), SECOND],
	['a node that keeps running', (elapsed) => pollPause(elapsed, 0.5), 5 * SECOND],
])('%s finds an end late by a small part of the time that the run took', (_, pauseAfter, least) => {
	for (const [before, pause] of pauses(pauseAfter)) {
		expect(pause).toBeLessThanOrEqual(Math.max(least, before / 24 + 1));
	}
});

it('the watcher polls every three seconds at most where callbacks come', () => {
	expect(watchPause(0, true)).toBe(3 * SECOND);
});

it('n8n’s wait timer finds what a callback or a watcher has missed within a minute at first, within a quarter of an hour at last', () => {
	const polls = pauses((elapsed) => timerPause('callbacks', elapsed, 0));
	const minutes = polls.slice(0, 8).map(([before, pause]) => Math.round((before + pause) / MINUTE));
	expect(minutes).toEqual([1, 2, 3, 4, 5, 6, 8, 10]);
	expect(polls.length).toBeLessThan(45);
	expect(Math.max(...polls.map(([, pause]) => pause))).toBe(15 * MINUTE);
});

it('many executions that sleep are resumed up to a tenth of their pause apart', () => {
	const dates = [timerPause('callbacks', 0, 0.5), timerPause('noCallbacks', 0, 0.5)];
	expect(dates).toEqual([63 * SECOND, 63 * SECOND]);
});

it.each([
	[1_800, 60 * MINUTE],
	[100_000, 60 * MINUTE],
])('n8n’s wait timer resumes one of %d in two seconds, put off by %d ms', (suspended, more) => {
	expect(timerPutOff(suspended)).toBe(more);
});
