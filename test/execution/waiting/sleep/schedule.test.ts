import fc from 'fast-check';

import {
	isClocksTurn,
	pauseBetweenLooks,
	pollPause,
	sleepFor,
	spread,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/schedule';

/** The moments at which the service is asked within a time, in milliseconds. */
function questions(within: number, random = 0.5): number[] {
	const moments: number[] = [];
	let elapsed = 0;
	for (let asked = 0; ; asked++) {
		elapsed += pollPause(asked, elapsed, random);
		if (elapsed > within) return moments;
		moments.push(elapsed);
	}
}

it('asks first after 2 s, and every 5 s in the first two minutes', () => {
	expect(questions(21_000)).toEqual([2_000, 7_000, 12_000, 17_000]);
});

it('asks no more often than a loop that asks at once and then every 5 s', () => {
	for (let seconds = 0; seconds <= 7 * 3_600; seconds += 60) {
		expect(questions(seconds * 1_000).length).toBeLessThanOrEqual(1 + seconds / 5);
	}
});

it('is between 2 s and 30 s, give or take a tenth', () => {
	fc.assert(
		fc.property(
			fc.nat(10_000),
			fc.nat(7 * 3_600_000),
			fc.double({ min: 0, max: 1, noNaN: true }),
			(asked, elapsed, random) => {
				const pause = pollPause(asked, elapsed, random);
				expect(pause).toBeGreaterThanOrEqual(1_800);
				expect(pause).toBeLessThanOrEqual(33_000);
			},
		),
	);
});

it('makes a result late by a small part of the time that the run took', () => {
	const moments = questions(7 * 3_600_000);
	for (const [index, moment] of moments.entries()) {
		const before = moments[index - 1] ?? 0;
		if (before > 120_000) expect(moment - before).toBeLessThanOrEqual(before / 24 + 1);
	}
});

it('never asks at the same moment as everybody else', () => {
	expect(pollPause(5, 60_000, 0)).toBeLessThan(pollPause(5, 60_000, 0.99));
});

const MINUTE = 60_000;

/** When an execution is looked at while it sleeps, in minutes, where each look finds nothing. */
function looks(pauseAfter: (elapsed: number) => number, within: number): number[] {
	const moments: number[] = [];
	for (let elapsed = 0; ;) {
		elapsed += pauseAfter(elapsed);
		if (elapsed > within) return moments;
		moments.push(Math.round(elapsed / MINUTE));
	}
}

it('is looked at although its watcher is gone or a callback was lost, within about a minute at first, within a quarter of an hour at last', () => {
	const moments = looks((elapsed) => sleepFor('called', elapsed, 0), 7 * 60 * MINUTE);

	expect(moments.slice(0, 8)).toEqual([1, 2, 3, 4, 5, 6, 8, 10]);
	expect(moments.length).toBeLessThan(45);
	for (const [index, moment] of moments.entries()) {
		expect(moment - (moments[index - 1] ?? 0)).toBeLessThanOrEqual(15);
	}
});

it('sleeps one to five minutes between looks where no callback comes', () => {
	const moments = looks((elapsed) => sleepFor('uncalled', elapsed, 0), 7 * 60 * MINUTE);

	expect(moments.slice(0, 3)).toEqual([1, 2, 3]);
	for (const [index, moment] of moments.entries()) {
		expect(moment - (moments[index - 1] ?? 0)).toBeLessThanOrEqual(6);
	}
});

it('never sleeps less than the minute for which n8n’s clock is exact', () => {
	for (const elapsed of [0, 1, MINUTE, 60 * MINUTE]) {
		expect(sleepFor('called', elapsed, 0)).toBeGreaterThanOrEqual(MINUTE);
		expect(sleepFor('uncalled', elapsed, 0)).toBeGreaterThanOrEqual(MINUTE);
	}
});

it('looks seldom where n8n’s clock may wake an execution that is awake', () => {
	expect(sleepFor('seldom', 0, 0)).toBe(15 * MINUTE);
});

it('leaves a wake-up to n8n’s clock around its date, and longer before it where n8n does not claim', () => {
	const date = 1_000_000;

	expect(isClocksTurn(date, date - 2_001)).toBe(false);
	expect(isClocksTurn(date, date - 2_001, true)).toBe(false);
	expect(isClocksTurn(date, date - 2_000, true)).toBe(true);
	expect(isClocksTurn(date, date + 10_000, true)).toBe(true);
	expect(isClocksTurn(date, date + 10_001, true)).toBe(false);
	expect(isClocksTurn(date, date - 70_000, false)).toBe(true);
});

it('makes each sleep longer by up to a tenth, so that executions of one moment wake apart', () => {
	expect(sleepFor('uncalled', 0, 0.5)).toBe(63_000);
	expect(sleepFor('called', 0, 0.5)).toBe(63_000);
});

it('has n8n’s clock wake an execution every two seconds where many sleep, each after an hour at the latest', () => {
	expect(spread(1)).toBe(2_000);
	expect(spread(1_800)).toBe(60 * MINUTE);
	expect(spread(100_000)).toBe(60 * MINUTE);
});

describe('the watcher', () => {
	/** When it looks at a run, in seconds after its start, where each look finds that it goes on. */
	function looksAt(within: number): number[] {
		const moments: number[] = [];
		for (let age = 0; ;) {
			age += pauseBetweenLooks(age);
			if (age > within) return moments;
			moments.push(age / 1_000);
		}
	}

	it('looks each second at a young run, every four seconds when it is a minute and a half old', () => {
		const moments = looksAt(70_000);
		expect(moments.slice(0, 24)).toEqual(Array.from({ length: 24 }, (_, index) => index + 1));
		expect(pauseBetweenLooks(48_000)).toBe(2_000);
		expect(pauseBetweenLooks(96_000)).toBe(4_000);
		expect(pauseBetweenLooks(10 * MINUTE)).toBe(4_000);
	});

	it('looks further apart at a run that takes long, every half a minute at last', () => {
		expect(pauseBetweenLooks(30 * MINUTE)).toBe(12_000);
		expect(pauseBetweenLooks(75 * MINUTE)).toBe(30_000);
		expect(pauseBetweenLooks(7 * 60 * MINUTE)).toBe(30_000);
	});

	it('finds an end late by no more than a second, or a small part of the time that the run took', () => {
		const moments = looksAt(7 * 3_600_000);
		for (const [index, moment] of moments.entries()) {
			const before = moments[index - 1] ?? 0;
			expect(moment - before).toBeLessThanOrEqual(Math.max(1, before / 24 + 0.001));
		}
	});
});
