import fc from 'fast-check';

import {
	isTimerDue,
	watchPause,
	pollPause,
	timerPause,
	timerPutOff,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/schedule';

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

/** The first moments at which something is asked, after the pauses. */
const moments = (all: Array<[number, number]>, count: number, unit: number) =>
	all.slice(0, count).map(([before, pause]) => Math.round((before + pause) / unit));

describe('a node that keeps running', () => {
	const all = () => pauses((elapsed) => pollPause(elapsed, 0.5));

	it('asks first after 2 s, and every 5 s in the first two minutes, no more often than a loop that asks at once', () => {
		expect(moments(all(), 4, SECOND)).toEqual([2, 7, 12, 17]);
		for (const [index, [before, pause]] of all().entries()) {
			expect(index).toBeLessThanOrEqual((before + pause) / (5 * SECOND));
		}
	});

	it('pauses for 2 s to 30 s, give or take a tenth, so never at the same moment as everybody else', () => {
		const random = fc.double({ min: 0, max: 1, noNaN: true });
		const isWithin = (elapsed: number, chance: number): void => {
			const pause = pollPause(elapsed, chance);
			expect(pause).toBeGreaterThanOrEqual(1_800);
			expect(pause).toBeLessThanOrEqual(33_000);
		};
		fc.assert(fc.property(fc.nat(HOURS), random, isWithin));
		expect(pollPause(MINUTE, 0)).toBeLessThan(pollPause(MINUTE, 0.99));
	});

	it('makes a result late by a small part of the time that the run took', () => {
		for (const [before, pause] of all()) {
			if (before > 2 * MINUTE) expect(pause).toBeLessThanOrEqual(before / 24 + 1);
		}
	});
});

describe('a sleeping execution', () => {
	it('is polled although its watcher is gone or a callback was lost, within about a minute at first, within a quarter of an hour at last', () => {
		const polls = pauses((elapsed) => timerPause('called', elapsed, 0));

		expect(moments(polls, 8, MINUTE)).toEqual([1, 2, 3, 4, 5, 6, 8, 10]);
		expect(polls.length).toBeLessThan(45);
		for (const [, pause] of polls) expect(pause).toBeLessThanOrEqual(15 * MINUTE);
	});

	it('is suspended for one to five minutes between polls where no callback comes', () => {
		const polls = pauses((elapsed) => timerPause('uncalled', elapsed, 0));

		expect(moments(polls, 3, MINUTE)).toEqual([1, 2, 3]);
		for (const [, pause] of polls) expect(pause).toBeLessThanOrEqual(5 * MINUTE);
	});

	it.each([
		['at least for the minute for which n8n’s wait timer is exact', 'called', 0, 60],
		['and for that where no callback comes', 'uncalled', 0, 60],
		['long where n8n’s wait timer may resume what is awake', 'seldom', 0, 900],
		['longer by up to a tenth, so that many are resumed apart', 'uncalled', 0.5, 63],
		['longer by that also where callbacks come', 'called', 0.5, 63],
	] as const)('sleeps %s', (_, how, random, seconds) => {
		expect(timerPause(how, 0, random)).toBe(seconds * SECOND);
	});

	it.each([
		[1, 2 * SECOND],
		[1_800, 60 * MINUTE],
		[100_000, 60 * MINUTE],
	])(
		'sleeps longer by what lets n8n’s wait timer resume one in two seconds, of %d',
		(suspended, more) => {
			expect(timerPutOff(suspended)).toBe(more);
		},
	);
});

it.each<[number, boolean | undefined, boolean]>([
	[-2_001, undefined, false],
	[-2_001, true, false],
	[-2_000, true, true],
	[10_000, true, true],
	[10_001, true, false],
	[-70_000, false, true],
])(
	'%d ms after its date, n8n’s wait timer (which claims: %s) is about to resume it: %s',
	(ms, claims, is) => {
		expect(isTimerDue(1_000_000, 1_000_000 + ms, claims)).toBe(is);
	},
);

describe('the watcher', () => {
	it.each([
		[0, 1],
		[24, 1],
		[48, 2],
		[96, 4],
		[600, 4],
		[1_800, 12],
		[75 * 60, 30],
		[7 * 3_600, 30],
	])('polls after %d s without a change again in %d s', (unchanged, seconds) => {
		expect(watchPause(unchanged * SECOND)).toBe(seconds * SECOND);
	});

	it('finds an end late by no more than a second, or a small part of the time that the run took', () => {
		for (const [before, pause] of pauses(watchPause)) {
			expect(pause).toBeLessThanOrEqual(Math.max(SECOND, before / 24 + 1));
		}
	});
});
