import { ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import {
	runApi,
	V2_TASKS,
	V3_RUNS,
	type RunApi,
} from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { readStatuses } from '../../../nodes/BrowserAutomation/service/runs/statuses';
import { finished, keywords, passedOn, scrape, useScene } from './scene';

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

it('an unknown status that stays ends the execution early, in the service’s words, and starts no second run', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	await scene.started(1);
	await say('archiving', 1_000);
	const { taskId } = await scene.runFor('a');
	const run = await scene.end(asleep);

	expect(run.error?.message).toBe(
		`The service reports the status "archiving" for run ${taskId}, which this node does not know`,
	);
	expect(await scene.runs()).toHaveLength(1);
	const again = await scene.harness.retry(run);
	await scene.sandbox.clearFaults();
	await scene.finish('a');

	expect(passedOn(await scene.end(again))).toHaveLength(1);
	expect(await scene.runs()).toHaveLength(1);
});

it('answers without a status end the execution early, too', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	await scene.started(1);
	await say(undefined, 1_000);
	const { taskId } = await scene.runFor('a');

	expect((await scene.end(asleep)).error?.message).toBe(
		`The service reports no status for run ${taskId}, which this node does not know`,
	);
});

it('a strange status that passes is borne', async () => {
	const parameters = scrape({ waitForCompletion: 'poll' });
	const done = scene.run({ parameters, items: keywords('a') });
	await scene.started(1);
	await say('archiving', 4);
	await scene.finish('a');

	expect(passedOn(await done)).toEqual([finished]);
});

it.each<[RunApi, string | undefined, boolean]>([
	[V2_TASKS, 'unknown', false],
	[V2_TASKS, 'FINISHED', true],
	[V3_RUNS, 'unknown', true],
	[V3_RUNS, undefined, true],
])('five looks at %j that say %j end the waiting, or not', async ({ name }, status, ends) => {
	const baseUrl = `https://${name}-${status}.example.com`;
	const client = { baseUrl, send: async () => ({ ...(status !== undefined && { status }) }) };
	const answers: unknown[] = [];
	for (let looks = 0; looks < 5; looks++) {
		answers.push((await readStatuses(client, runApi(name), ['7'])).get('7'));
	}

	expect(answers.slice(0, 4)).toEqual(Array(4).fill('unknown'));
	expect(answers[4] instanceof ServiceError).toBe(ends);
});
