import { N8nClient } from '../../n8n/client';
import { QueueMode } from '../../n8n/queueMode';
import type { N8nServer } from '../../n8n/server';
import { waitUntil } from '../../n8n/waitUntil';
import { newestN8n } from '../../n8n/versions';
import { FaultTable } from './faultTable';
import { packedPackage } from './sharedServer';
import { WAITING_CASES } from './waitingCases';
import { RACES } from './waitingRaces';
import {
	after,
	BEGINNINGS,
	ending,
	fallAsleep,
	finish,
	openScene,
	outcomeOf,
	retry,
	scrapeEach,
	starts,
	testCases,
	words,
	type Scene,
	type WaitingStage,
} from './waitingScene';

const table = new FaultTable('Fault in queue mode');

describe('waiting in queue mode, with two workers and two processes for webhooks', () => {
	let queue: QueueMode | undefined;
	let client: N8nClient;

	beforeAll(async () => {
		queue = await QueueMode.start({
			version: newestN8n(),
			packages: [packedPackage()],
			workers: 2,
			webhookProcesses: 2,
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

	function stage(): WaitingStage {
		return { version: newestN8n(), client, webhookUrl: running().webhookUrl, table };
	}

	testCases(newestN8n(), [...WAITING_CASES, ...RACES], stage);

	describe('processes that die', () => {
		let scene: Scene;

		beforeEach(async () => {
			scene = await openScene(stage());
		});

		afterEach(async () => await scene.close());

		async function kill(processes: readonly N8nServer[]): Promise<void> {
			await Promise.all(processes.map(async (process) => await process.kill()));
		}

		async function start(processes: readonly N8nServer[]): Promise<void> {
			await Promise.all(processes.map(async (process) => await process.start()));
		}

		async function sleeping(): Promise<string> {
			const [, beginning] = BEGINNINGS;
			const nodes = [words('a', 'b'), scene.botNode(scrapeEach()), after];
			return await fallAsleep(scene, nodes, beginning);
		}

		/** The results, if need be after a retry by the user. */
		async function endsWell(executionId: string, fault: string): Promise<void> {
			const caused = Date.now();
			let execution = await ending(scene, executionId, 170_000);
			let retried = '';
			if (execution.status !== 'success') {
				retried = `${execution.status}; retried: `;
				execution = await retry(scene, executionId);
			}
			const took = Date.now() - caused;
			table.add(fault, `${retried}${outcomeOf(execution)}`, await starts(scene), took);

			expect(execution.failure).toBeUndefined();
			expect(execution.json('After').map((item) => item.of)).toEqual(['a', 'b']);
			expect(await starts(scene)).toBe(2);
		}

		it('the workers, while the execution sleeps', async () => {
			const executionId = await sleeping();
			await kill(running().workers);
			await start(running().workers);
			await finish(scene, 'a', 'b');
			await endsWell(executionId, 'Workers killed while asleep');
		});

		it('the workers, with callbacks before they are back', async () => {
			const executionId = await sleeping();
			await kill(running().workers);
			await finish(scene, 'a', 'b');
			await scene.sandbox.callbacksSettled();
			await start(running().workers);
			await endsWell(executionId, 'Workers killed while asleep, callbacks before they are back');
		});

		it('the processes for webhooks, while the execution sleeps', async () => {
			const executionId = await sleeping();
			await finish(scene, 'a');
			await scene.sandbox.callbacksSettled();
			await kill(running().webhookProcesses);
			await start(running().webhookProcesses);
			await finish(scene, 'b');
			await endsWell(executionId, 'Webhook processes killed while asleep');
		});

		it('the processes for webhooks, when the only callbacks come', async () => {
			const executionId = await sleeping();
			await kill(running().webhookProcesses);
			await finish(scene, 'a', 'b');
			await scene.sandbox.callbacksSettled();
			await start(running().webhookProcesses);
			await endsWell(executionId, 'Webhook processes down when the callbacks come');
		});

		it('the workers, while they read the results', async () => {
			const executionId = await sleeping();
			await scene.sandbox.addFault({
				kind: 'latency',
				ms: 600_000,
				path: '^/v3/bots/runs/\\d+$',
			});
			await finish(scene, 'a', 'b');
			await waitUntil(async () => ((await scene.sandbox.load()).requests > 0 ? true : undefined), {
				timeout: 30_000,
				interval: 20,
				describe: () => 'No results were read',
			});
			await kill(running().workers);
			await scene.sandbox.clearFaults();
			await start(running().workers);
			await endsWell(executionId, 'Workers killed while they read the results');
		});
	});
});
