import { N8nClient } from '../../n8n/client';
import { QueueMode } from '../../n8n/queueMode';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf } from '../../n8n/workflow';
import { FaultTable } from './faultTable';
import { packedPackage } from './sharedServer';
import {
	after,
	asleep,
	describeWaiting,
	finish,
	retry,
	scrapeEach,
	starts,
	words,
} from './waitingCases';
import { manualTrigger, openWorkbench, type Workbench } from './workbench';

const table = new FaultTable('Fault in queue mode');

describe('waiting in queue mode', () => {
	let queue: QueueMode | undefined;
	let client: N8nClient;

	beforeAll(async () => {
		queue = await QueueMode.start({
			version: '2.41',
			packages: [packedPackage()],
			environment: { OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS: 'true' },
		});
		client = await N8nClient.signIn(queue.url);
	}, 300_000);

	afterAll(async () => {
		table.print();
		await queue?.remove();
	});

	function running(): QueueMode {
		if (queue === undefined) throw new Error('Queue mode did not start');
		return queue;
	}

	describeWaiting(() => ({ client, webhookUrl: running().webhookUrl, failsAtLimit: true }));

	describe('processes that die', () => {
		let bench: Workbench;

		beforeAll(async () => {
			bench = await openWorkbench(client);
		});

		beforeEach(async () => {
			await bench.sandbox.reset();
			await bench.sandbox.setDurations({ created: 0, running: null });
		});

		afterAll(async () => {
			await bench?.close();
		});

		async function sleeping(): Promise<string> {
			const workflow = await client.createWorkflow(
				workflowOf('Fault', [manualTrigger, words('a', 'b'), bench.botNode(scrapeEach()), after]),
			);
			const executionId = await client.runManually(workflow, { trigger: manualTrigger.name });
			return await asleep(client, executionId);
		}

		/** The results, if need be after a retry by the user. */
		async function endsWell(executionId: string, fault: string): Promise<void> {
			let execution = await client.waitForExecution(executionId, { timeout: 170_000 });
			let retried = '';
			if (execution.status !== 'success') {
				retried = `${execution.status}; retried: `;
				execution = await retry(client, executionId);
			}
			const of = execution.json('After').map((item) => item.of);
			const result = execution.failure?.message ?? `${of.length} results (${of.join(', ')})`;
			table.add(fault, `${retried}${execution.status}: ${result}`, await starts(bench));

			expect(execution.failure).toBeUndefined();
			expect(of).toEqual(['a', 'b']);
			expect(await starts(bench)).toBe(2);
		}

		it('the worker, while the execution sleeps', async () => {
			const executionId = await sleeping();
			await running().worker.kill();
			await running().worker.start();
			await finish(bench, 'a', 'b');
			await endsWell(executionId, 'Worker killed while asleep');
		});

		it('the worker, with callbacks before it is back', async () => {
			const executionId = await sleeping();
			await running().worker.kill();
			await finish(bench, 'a', 'b');
			await bench.sandbox.callbacksSettled();
			await running().worker.start();
			await endsWell(executionId, 'Worker killed while asleep, callbacks before it is back');
		});

		it('the webhook process, while the execution sleeps', async () => {
			const executionId = await sleeping();
			await finish(bench, 'a');
			await bench.sandbox.callbacksSettled();
			await running().webhook.kill();
			await running().webhook.start();
			await finish(bench, 'b');
			await endsWell(executionId, 'Webhook process killed while asleep');
		});

		it('the worker, while it reads the results', async () => {
			const executionId = await sleeping();
			await bench.sandbox.addFault({
				kind: 'latency',
				ms: 20_000,
				path: '^/v3/bots/runs/\\d+$',
				times: 2,
			});
			await finish(bench, 'a', 'b');
			await waitUntil(async () => ((await bench.sandbox.load()).requests > 0 ? true : undefined), {
				timeout: 30_000,
				interval: 20,
				describe: () => 'No results were read',
			});
			await running().worker.kill();
			await running().worker.start();
			await endsWell(executionId, 'Worker killed while it reads the results');
		});
	});
});
