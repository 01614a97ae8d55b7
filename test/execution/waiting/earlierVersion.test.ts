import { randomUUID } from 'node:crypto';

import { parse, stringify } from 'flatted';

import asleep from './asleepUnder0.1.0.json';
import { forEachTest } from '../../fixture';
import { passedOn, useScene } from './scene';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

/** What version 0.1.0 of the package left in a sleeping execution, as far as its callbacks need it. */
interface StoredData {
	resumeToken: string;
	executionData: {
		nodeExecutionStack: Array<{ node: { onError?: string } }>;
		contextData: Record<
			string,
			{
				browserAutomationRuns: {
					executionId: string;
					entries: Array<{ nonce: string; taskId?: string }>;
				};
			}
		>;
	};
}

type Sleeper = (typeof asleep)['allStarted'];

/** A sleeping execution under an ID of its own, as the node remembers executions by their IDs. */
function anew({ data, ...stored }: Sleeper, onError = 'stopWorkflow') {
	const executionId = randomUUID();
	const content: StoredData = parse(data);
	for (const { node } of content.executionData.nodeExecutionStack) node.onError = onError;
	const kept = content.executionData.contextData[`node:${stored.nodeName}`];
	if (kept !== undefined) kept.browserAutomationRuns.executionId = executionId;
	return { ...stored, executionId, data: stringify(content), mode: 'trigger' as const };
}

/** The addresses that the service was given for the runs that were started, in the order of the items. */
function callbackUrls({ executionId, nodeName, data }: Sleeper): string[] {
	const { resumeToken, executionData }: StoredData = parse(data);
	const { entries = [] } =
		executionData.contextData[`node:${nodeName}`]?.browserAutomationRuns ?? {};
	return entries.flatMap(({ nonce, taskId }, item) => {
		if (taskId === undefined) return [];
		const query = new URLSearchParams({ signature: resumeToken, item: String(item), nonce });
		return [`https://n8n.example.com/webhook-waiting/${executionId}?${query}`];
	});
}

describe('an execution that fell asleep under version 0.1.0', () => {
	const scene = useScene(forEachTest);

	it('is woken by the callbacks that it had asked for', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 3, statuses: ['running'] });
		const sleeper = anew(asleep.allStarted);
		scene.harness.takeWaiting(sleeper);
		for (const [index, url] of callbackUrls(sleeper).entries()) {
			await scene.sandbox.moveRun({ taskId: taskIds[index] ?? '', status: 'finished' });
			await scene.take(url, {});
		}
		const run = await scene.end(sleeper);

		expect(run.error).toBeUndefined();
		expect(passedOn(run).map(({ task_id }) => task_id)).toEqual(taskIds);
		expect(run.probed[0]).toEqual(['a', 'b', 'c']);
		expect(await scene.asked('bot.run')).toBe(0);
	});

	it('sends what failed to the error output, with the fields of its item', async () => {
		const { taskIds } = await scene.sandbox.seedRuns({ count: 3, statuses: ['running'] });
		const sleeper = anew(asleep.allStarted, 'continueErrorOutput');
		scene.harness.takeWaiting(sleeper);
		for (const [index, url] of callbackUrls(sleeper).entries()) {
			await scene.sandbox.moveRun({ taskId: taskIds[index] ?? '', status: 'failed' });
			await scene.take(url, {});
		}
		const run = await scene.end(sleeper);

		expect(run.outputs[1]?.map(({ json }) => json.keyword)).toEqual(['a', 'b', 'c']);
	});

	it('starts what waited for a slot, once, and sleeps the present way from then on', async () => {
		await scene.sandbox.setKey({
			key: scene.sandbox.key,
			company: 'sandbox-company',
			concurrency: 2,
		});
		const { taskIds } = await scene.sandbox.seedRuns({ count: 2, statuses: ['running'] });
		const sleeper = anew(asleep.oneToStart);
		scene.harness.takeWaiting(sleeper);
		for (const [index, url] of callbackUrls(sleeper).entries()) {
			await scene.sandbox.moveRun({ taskId: taskIds[index] ?? '', status: 'finished' });
			await scene.take(url, {});
		}
		await scene.started(3);
		await scene.finish('c');
		const run = await scene.end(sleeper);

		expect(run.error).toBeUndefined();
		expect(run.probed[0]).toEqual(['a', 'b', 'c']);
		expect(await scene.asked('bot.run')).toBe(1);
	});

	it('ends at its limit with the error that was laid down for it', async () => {
		await scene.sandbox.seedRuns({ count: 3, statuses: ['running'] });
		const sleeper = anew(asleep.allStarted);
		scene.harness.takeWaiting(sleeper);
		const run = await scene.harness.resumeByTimeout(sleeper);

		expect(run.status).toBe('error');
		expect(run.error?.message).toContain('Run 9100000000000000001 was still');
	});
});
