import { chosen } from '../../fixture';
import { keywords, passedOn, scrape, useScene } from './scene';

const scene = useScene();

/** So many reads of runs, or of tasks, show them as they were before their end. */
async function lag(times: number): Promise<void> {
	const path = '^/v3/bots/runs/\\d+$|^/v2/workflow/get-task$';
	await scene.sandbox.addFault({ kind: 'lagging', path, times });
}

const row = expect.objectContaining({ title: expect.any(String) });
const FIVE = ['a', 'b', 'c', 'd', 'e'];

const TASKS = {
	resource: 'workflow',
	workflowId: chosen('1001'),
	input: '={{ { keyword: $json.keyword, max_results: "1" } }}',
};

describe('a run that has ended, and whose details still show it running', () => {
	it.each<[string, string[], object]>([
		['polled', ['a'], { waitForCompletion: 'poll' }],
		['asleep', ['a'], {}],
		['asleep for five', FIVE, {}],
		['asleep for tasks', FIVE, TASKS],
	])('is read again: %s', async (_, words, further) => {
		const parameters = scrape({ output: 'rows', ...further });
		const begun = scene.run({ parameters, items: keywords(...words) });
		await scene.started(words.length);
		await lag(2);
		await scene.finish(...words);

		expect(passedOn(await scene.end(await begun))).toEqual(words.map(() => row));
	});

	it('is an error that names it and both statuses, if that stays so', async () => {
		const asleep = await scene.run({ items: keywords(...FIVE) });
		await scene.started(FIVE.length);
		await lag(1_000);
		const { error } = await scene.end(asleep, ...FIVE);

		const taskId = /run (\d+) is/.exec(error?.message ?? '')?.[1];
		expect((await scene.runs()).map((run) => run.taskId)).toContain(taskId);
		expect(error?.message).toBe(
			`The service says that run ${taskId} is finished, but its details still say running`,
		);
		expect(error).toHaveProperty('context.data.task_ids.length', FIVE.length);
	});
});
