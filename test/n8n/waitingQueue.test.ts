import { randomUUID } from 'node:crypto';

import { N8nClient } from '../../dev/n8n/client';
import { QueueMode } from '../../dev/n8n/queueMode';
import { newestN8n } from '../../dev/n8n/versions';
import { workflowOf } from '../../dev/n8n/workflow';
import { TOOL } from '../fixture/nodeTypes';
import { codeBlocksOf } from '../project/markdown';
import { McpClient, mcpWorkflow } from './mcpClient';
import { packedPackage } from './sharedServer';
import { WAITING_CASES } from './waitingCases';
import { RACES } from './waitingRaces';
import {
	after,
	BEGINNINGS,
	ending,
	expectResults,
	fallAsleep,
	finish,
	openScene,
	retry,
	scrapeEach,
	starts,
	testCases,
	words,
	type Scene,
	type WaitingSetup,
} from './waitingScene';
import { manualTrigger, openWorkbench, runBot, until } from './workbench';

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
		await queue?.remove();
	});

	function running(): QueueMode {
		if (queue === undefined) throw new Error('Queue mode did not start');
		return queue;
	}

	function setup(): WaitingSetup {
		return { version: newestN8n(), client, webhookUrl: running().webhookUrl };
	}

	testCases(newestN8n(), [...WAITING_CASES, ...RACES], setup);

	it('a worker runs the bot over MCP, and answers with the run before n8n gives it up', async () => {
		const bench = await openWorkbench(client);
		await bench.sandbox.setDurations({ created: 0, running: 2_000 });
		const path = randomUUID();
		const input = "={{ { keyword: $fromAI('keyword'), max_results: 1 } }}";
		const tool = bench.botNode(runBot('1001', { input, output: 'rows' }), { type: TOOL });
		const stored = await client.createWorkflow(mcpWorkflow(path, tool));
		await client.activate(stored);

		// A session belongs to the process that began it.
		const [webhooks] = running().webhookProcesses;
		const mcp = await McpClient.connect(`${webhooks?.url}/mcp/${path}`);
		const called = async (keyword: string): Promise<string> =>
			JSON.stringify(await mcp.ask('tools/call', { name: 'Bot', arguments: { keyword } }));
		expect(await called('lamp')).toMatch(/title.*lamp/);
		await bench.sandbox.setDurations({ created: 0, running: null });
		const answer = await called('pan');
		const [run] = (await bench.sandbox.runs()).filter(({ input }) => input.keyword === 'pan');
		await client.deactivate(stored);
		await bench.close();

		expect(answer).toContain('Still running');
		expect(answer).toContain(String(run?.taskId));
	});

	it('the SQL of the page for those who run n8n counts what sleeps, and what of it has runs', async () => {
		const scene = await openScene(setup(), { concurrency: 1 });
		const name = randomUUID();
		const nodes = [manualTrigger, words('a'), scene.botNode(scrapeEach())];
		const sleep = async (): Promise<unknown> =>
			await fallAsleep(scene, workflowOf(name, nodes), 'in an active workflow');
		await sleep();
		await sleep();
		const sql = codeBlocksOf('docs/run/queue-mode.md').find(({ language }) => language === 'sql');
		const rows = await running().postgres.query(sql?.code ?? '');
		await scene.close();
		expect(rows.find(([workflow]) => workflow === name)?.slice(0, 3)).toEqual([name, '2', '1']);
	});

	/** Executions that two runs each are started for, in an active workflow, and what befalls them when processes die. */
	interface Suspension {
		fault: string;
		/** Brings it to where its processes are to die. */
		before?(scene: Scene): Promise<void>;
		/** While they are not there. */
		meanwhile?(scene: Scene): Promise<void>;
		/** When they are back. */
		after?(scene: Scene): Promise<void>;
	}

	async function finishBoth(scene: Scene): Promise<void> {
		await finish(scene, 'a', 'b');
		await scene.sandbox.callbacksSettled();
	}

	const workers: Suspension[] = [
		{ fault: 'the workers, while the execution sleeps', after: finishBoth },
		{ fault: 'the workers, with callbacks before they are back', meanwhile: finishBoth },
		{
			fault: 'the workers, while they read the results',
			before: async (scene) => {
				const { sandbox } = scene;
				await sandbox.addFault({ kind: 'latency', ms: 600_000, path: '^/v3/bots/runs/\\d+$' });
				await finish(scene, 'a', 'b');
				await until(async () => (await sandbox.load()).requests > 0, 'a read', 30_000, 20);
			},
			meanwhile: async ({ sandbox }) => await sandbox.clearFaults(),
		},
	];
	const webhookProcesses: Suspension[] = [
		{
			fault: 'the processes for webhooks, while the execution sleeps',
			before: async (scene) => {
				await finish(scene, 'a');
				await scene.sandbox.callbacksSettled();
			},
			after: async (scene) => await finish(scene, 'b'),
		},
		{ fault: 'the processes for webhooks, when the only callbacks come', meanwhile: finishBoth },
	];

	describe.each([
		{ which: 'workers', suspensions: workers },
		{ which: 'webhookProcesses', suspensions: webhookProcesses },
	] as const)('processes that die: $which', ({ which, suspensions }) => {
		const begun = new Map<Suspension, { scene: Scene; executionId: string }>();

		beforeAll(async () => {
			const begin = async (suspension: Suspension): Promise<void> => {
				const scene = await openScene(setup());
				const [, beginning] = BEGINNINGS;
				const nodes = [words('a', 'b'), scene.botNode(scrapeEach()), after];
				begun.set(suspension, { scene, executionId: await fallAsleep(scene, nodes, beginning) });
			};
			const each = async (act: 'before' | 'meanwhile'): Promise<void> => {
				for (const [suspension, { scene }] of begun) await suspension[act]?.(scene);
			};
			await Promise.all(suspensions.map(begin));
			await each('before');
			const processes = running()[which];
			await Promise.all(processes.map(async (process) => await process.kill()));
			await each('meanwhile');
			await Promise.all(processes.map(async (process) => await process.start()));
		}, 300_000);

		afterAll(async () => {
			for (const { scene } of begun.values()) await scene.close();
		});

		// The results come, if need be after a retry by the user.
		it.concurrent.each(suspensions)(
			'$fault',
			async (suspension) => {
				const { scene, executionId = '' } = begun.get(suspension) ?? {};
				if (scene === undefined) throw new Error('The execution was not begun');
				await suspension.after?.(scene);
				let execution = await ending(scene, executionId, 170_000);
				if (execution.status !== 'success') execution = await retry(scene, executionId);

				expectResults(execution, 'a', 'b');
				expect(await starts(scene)).toBe(2);
			},
			400_000,
		);
	});
});
