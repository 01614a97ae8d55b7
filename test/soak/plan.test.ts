import { KINDS, planDisturbances, planJobs, planRestarts } from '../../tools/soak/plan';

const HALF_AN_HOUR = 1_800_000;

test('the same seed plans the same, another seed something else', () => {
	for (const plan of [
		(seed: number) => planJobs(seed, 500),
		(seed: number) => planDisturbances(seed, HALF_AN_HOUR),
		(seed: number) => planRestarts(seed, HALF_AN_HOUR),
	]) {
		expect(plan(1)).toEqual(plan(1));
		expect(plan(1)).not.toEqual(plan(2));
	}
});

test('jobs of all kinds, as many items as wanted, each word once', () => {
	const jobs = planJobs(7, 2_000);
	expect(new Set(jobs.map(({ kind }) => kind))).toEqual(new Set(KINDS));
	const words = jobs.flatMap(({ items }) => items.map(({ word }) => word));
	expect(words.length).toBeGreaterThanOrEqual(2_000);
	expect(words.length).toBeLessThan(2_050);
	expect(new Set(words).size).toBe(words.length);
});

test('faults follow one another, to the end of the time', () => {
	const planned = planDisturbances(7, HALF_AN_HOUR);
	for (const [index, { at }] of planned.entries()) {
		const before = planned[index - 1];
		if (before !== undefined) expect(at).toBeGreaterThan(before.at + before.length);
	}
	expect(planned.at(-1)?.at).toBeGreaterThan(HALF_AN_HOUR - 20_000);
});

test('two minutes hold most kinds of trouble and both ways to stop n8n', () => {
	expect(planDisturbances(7, 120_000).length).toBeGreaterThan(10);
	expect(planRestarts(7, 120_000).map(({ signal }) => signal)).toEqual(['SIGTERM', 'SIGKILL']);
});

test('n8n is restarted every few minutes, and left alone in the second half', () => {
	const restarts = planRestarts(7, HALF_AN_HOUR);
	expect(restarts).toHaveLength(6);
	expect(restarts.at(-1)?.at).toBeLessThanOrEqual(HALF_AN_HOUR / 2);
});
