import {
	afterEarlyCallback,
	afterFlood,
	afterInventedStatuses,
	afterLostCallbacks,
	afterOddBodies,
	afterOddDate,
	afterRunWithoutFile,
} from './triggerWorkflows';
import type { Workbench } from './workbench';

/**
 * What once lost events, or asked the service too often, in any n8n.
 *
 * @param forged how many forged callbacks make a flood: n8n 2.41 takes several times as long for each
 */
export function describeTriggerScenarios(bench: () => Workbench, forged: number): void {
	describe('no event is lost', () => {
		it('of runs whose callbacks got lost, when the workflow is active again', async () => {
			const { taskIds, told, executions } = await afterLostCallbacks(bench(), 10);

			expect(told).toEqual(taskIds);
			expect(executions).toBe(10);
		});

		it('of a run whose callback came before the service itself knew it', async () => {
			const { taskId, answer, told } = await afterEarlyCallback(bench());

			expect(answer).toBe(503);
			expect(told).toEqual([taskId]);
		});

		it('whose true callback comes behind a flood, which costs few reads', async () => {
			const flood = await afterFlood(bench(), { forged, count: 10 });

			expect(flood.answers).toEqual([503]);
			expect(flood.told).toEqual(flood.taskIds);
			expect(flood.executions).toBe(10);
			// One for the call, one for the look after it, and one more where n8n was too slow to answer that.
			expect(flood.reads).toBeLessThanOrEqual(3 * (forged + 10));
		}, 300_000);

		it('whose callback has another content type, or an ID as a number', async () => {
			const { taskIds, told, answers } = await afterOddBodies(bench());

			expect(answers).toEqual([200]);
			expect(told).toEqual(taskIds);
		});

		it('by the polling trigger, after a run that is dated a month ahead, nor while it is unpublished', async () => {
			const { taskIds, told } = await afterOddDate(bench(), 3);

			expect(told).toEqual(taskIds);
		});
	});

	it('a run without a file is a failed execution, if the user likes, and no other event fails with it', async () => {
		const { taskIds, called, polled, told, alarms } = await afterRunWithoutFile(bench());
		const [first, without, last] = taskIds;
		const message = expect.stringMatching(`Run ${without} of bot .* has none of the files`);
		const alarm = expect.objectContaining({
			execution: expect.objectContaining({ error: expect.objectContaining({ message }) }),
		});
		const trigger = expect.objectContaining({
			trigger: expect.objectContaining({ error: expect.objectContaining({ message }) }),
		});

		expect(called).toEqual([message, 'success', 'success']);
		expect(polled).toEqual([message, 'success']);
		expect(told).toEqual([first, last].sort());
		expect(alarms).toHaveLength(2);
		expect(alarms).toEqual(expect.arrayContaining([alarm, trigger]));
	});

	it('a hundred callbacks at once about one run, each with another status, are few reads', async () => {
		const { unknown, real, seconds, executions } = await afterInventedStatuses(bench(), 100);

		expect(unknown).toBeLessThanOrEqual(10);
		expect(real).toBeLessThanOrEqual(10 + seconds + 1);
		expect(executions).toBe(0);
	});
}
