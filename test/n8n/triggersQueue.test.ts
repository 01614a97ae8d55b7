import { N8nClient } from '../../dev/n8n/client';
import { QueueMode } from '../../dev/n8n/queueMode';
import { newestN8n } from '../../dev/n8n/versions';
import { packedPackage } from './sharedServer';
import { afterDoubledCallbacks, afterLostCallbacks, afterNotifying } from './triggerWorkflows';
import { openWorkbench, type Workbench } from './workbench';

let queue: QueueMode;
let bench: Workbench;

beforeAll(async () => {
	queue = await QueueMode.start({ version: newestN8n(), packages: [packedPackage()] });
	bench = await openWorkbench(await N8nClient.signIn(queue.url));
}, 300_000);

afterAll(async () => {
	await bench?.close();
	await queue?.remove();
});

describe('in queue mode with a process of its own for webhooks', () => {
	it.each(['none', 'automatic'])(
		'a run started by a worker notifies the trigger of its workflow (%s)',
		async (waitForCompletion) => {
			const { webhookUrl } = queue;
			const { outputs, ends, trigger } = await afterNotifying(bench, webhookUrl, waitForCompletion);

			expect(trigger.completedUrl).toContain(webhookUrl);
			const finished = { event: 'runFinished', status: 'finished' };
			expect(outputs).toEqual([[expect.objectContaining(finished)]]);
			expect(ends).toEqual(['success', 'success']);
		},
	);

	it('doubled and forged callbacks start one execution for each run', async () => {
		const { told, taskIds, ...answers } = await afterDoubledCallbacks(bench, 40);

		expect(told).toEqual(taskIds);
		expect(answers).toEqual({ taken: 80, refused: 4, executions: 40 });
	});

	it('runs whose callbacks got lost are told once, though the process that looks is another one', async () => {
		const { taskIds, told, executions } = await afterLostCallbacks(bench, 10);

		expect(told).toEqual(taskIds);
		expect(executions).toBe(10);
	});
});
