import fc from 'fast-check';

import { pollPause } from '../../../nodes/BrowserAutomation/execution/waiting/schedule';

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
