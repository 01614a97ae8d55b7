import { keywords, scrape, useScene } from './scene';

const scene = useScene();

const MINUTE = 60_000;
const canceledAfter = (taskId: string, minutes: number) =>
	`Run ${taskId} was cancelled, because it had not ended after ${minutes} min`;

it.each([
	['is canceled while the execution sleeps, and its item fails in clear words', 0],
	['is tried again where the service does not take the cancel at first', 1],
])('a run that goes on for longer than Cancel a Run After says %s', async (_, times) => {
	const before = Date.now();
	const parameters = scrape({}, { cancelAfter: 30 });
	const asleep = await scene.run({ parameters, items: keywords('a') });
	if (times > 0) await scene.sandbox.addFault({ path: '/cancel$', kind: 'serverError', times });
	const run = await scene.endByTimer(asleep);

	const { taskId, status } = await scene.runFor('a');
	expect(status).toBe('canceled');
	expect(run.error?.message).toBe(canceledAfter(taskId, 30));
	expect(run.error?.description).toContain('Cancel a Run After');
	expect(Date.now() - before).toBeGreaterThanOrEqual(30 * MINUTE);
	expect(Date.now() - before).toBeLessThan((33 + 2 * times) * MINUTE);
});
