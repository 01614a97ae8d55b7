import { keywords, passedOn, scrape, useScene } from './scene';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const scene = useScene();

/** So many answers about the run's status say a word that the interface does not know. */
async function say(status: string | undefined, times: number): Promise<void> {
	const { taskId } = await scene.runFor('a');
	const body = JSON.stringify({ task_id: taskId, status });
	const path = `runs/${taskId}(/status)?$`;
	await scene.sandbox.addFault({ kind: 'answer', status: 200, path, body, times });
}

it.each(['archiving', undefined])(
	'a status that the interface does not know (%s) is waited for to the limit, and no second run is started',
	async (status) => {
		const asleep = await scene.run({
			parameters: scrape({}, { waitLimit: 0.5 }),
			items: keywords('a'),
		});
		await scene.started(1);
		await say(status, 1_000);
		const { taskId } = await scene.runFor('a');
		const run = await scene.endByClock(asleep);

		expect(run.error?.message).toBe(
			`Run ${taskId} was still unknown when the wait limit of 0.5 h was reached`,
		);
		expect(await scene.runs()).toHaveLength(1);
		const again = await scene.harness.retry(run);
		await scene.sandbox.clearFaults();
		await scene.finish('a');

		expect(passedOn(again.status === 'waiting' ? await scene.end(again) : again)).toHaveLength(1);
		expect(await scene.runs()).toHaveLength(1);
	},
);

it('a strange status that passes is borne', async () => {
	const done = scene.run({
		parameters: scrape({ waitForCompletion: 'poll' }),
		items: keywords('a'),
	});
	await scene.started(1);
	await say('archiving', 4);
	await scene.finish('a');

	expect(passedOn(await done)).toEqual([expect.objectContaining({ status: 'finished' })]);
});
