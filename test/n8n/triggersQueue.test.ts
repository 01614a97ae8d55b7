import { callWebhook } from '../../n8n/callWebhook';
import { N8nClient } from '../../n8n/client';
import { QueueMode } from '../../n8n/queueMode';
import { waitUntil } from '../../n8n/waitUntil';
import { newestN8n } from '../../n8n/versions';
import { packedPackage } from './sharedServer';
import {
	addressesOf,
	afterLostCallbacks,
	callbackTrigger,
	countExecutions,
	post,
	startAndTrigger,
	triggered,
	triggerLine,
} from './triggerWorkflows';
import { openWorkbench, runBot, type Workbench } from './workbench';

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
			const { client, botNode, credential } = bench;
			const path = `queue-${waitForCompletion}`;
			const workflow = await client.createWorkflow(
				startAndTrigger(
					path,
					botNode(runBot('1008', { waitForCompletion, notify: 'trigger' })),
					callbackTrigger(credential),
				),
			);
			await client.activate(workflow);
			const { completedUrl } = await addressesOf(client, workflow);
			expect(completedUrl).toContain(queue.webhookUrl);
			await callWebhook(queue.webhookUrl, path);

			const [output] = await triggered(client, workflow, 1);
			await client.waitForExecutions(workflow, 2);
			await client.deactivate(workflow);

			expect(output?.[0]).toMatchObject({ event: 'runFinished', status: 'finished' });
			expect(await countExecutions(client, workflow)).toBe(2);
		},
	);

	it('doubled and forged callbacks start one execution for each run', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 40 });
		const all = [...taskIds, ...taskIds, 'forged-1', 'forged-2', 'forged-3', 'forged-4'];
		await Promise.all(
			all.map(async (task_id) => {
				const status = await post(completedUrl, { task_id, status: 'finished' });
				expect(status).toBe(task_id.startsWith('forged') ? 503 : 200);
			}),
		);
		await waitUntil(
			async () => ((await countExecutions(client, workflow)) >= 40 ? true : undefined),
			{ timeout: 60_000, describe: () => 'There are fewer than 40 executions' },
		);
		await client.deactivate(workflow);
		expect(await countExecutions(client, workflow)).toBe(40);
	});

	it('runs whose callbacks got lost are told once, though the process that looks is another one', async () => {
		const { taskIds, told, executions } = await afterLostCallbacks(bench, 10);

		expect(told).toEqual(taskIds);
		expect(executions).toBe(10);
	});
});
