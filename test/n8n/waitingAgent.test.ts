import type { N8nClient } from '../../n8n/client';
import { waitUntil } from '../../n8n/waitUntil';
import { agentWorkflow, TOOL } from './agentWorkflow';
import { ChatModel } from './chatModel';
import { sharedClient } from './sharedServer';
import { asleep, finish } from './waitingCases';
import { manualTrigger, openWorkbench, runBot, type Workbench } from './workbench';

const agents = [
	{
		generation: 'an agent of version 3, which can wait for its tools',
		typeVersion: 3,
		sleeps: true,
	},
	{ generation: 'an agent of version 2, which cannot', typeVersion: 2, sleeps: false },
];

describe('a tool of an AI agent', () => {
	let client: N8nClient;
	let bench: Workbench;
	let model: ChatModel;

	beforeAll(async () => {
		client = sharedClient();
		bench = await openWorkbench(client);
		model = await ChatModel.start([
			{ arguments: { keyword: 'lamp' } },
			{ arguments: { keyword: 'chair' } },
		]);
	});

	beforeEach(async () => {
		await bench.sandbox.reset();
		await bench.sandbox.setDurations({ created: 0, running: null });
	});

	afterAll(async () => {
		await model?.close();
		await bench?.close();
	});

	const tool = () =>
		bench.botNode(
			runBot('1001', {
				waitForCompletion: 'automatic',
				output: 'rows',
				inputMode: 'json',
				input: "={{ { keyword: $fromAI('keyword', 'what to look for'), max_results: 1 } }}",
			}),
			{ type: TOOL },
		);

	it.each(agents)('gives $generation the rows of each call', async ({ typeVersion, sleeps }) => {
		const { sandbox } = bench;
		const stored = await client.createWorkflow(
			await agentWorkflow(bench, model, typeVersion, tool()),
		);
		const executionId = await client.runManually(stored, { trigger: manualTrigger.name });
		for (const keyword of ['lamp', 'chair']) {
			const run = await waitUntil(
				async () => (await sandbox.runs()).find(({ input }) => input.keyword === keyword),
				{ timeout: 60_000, interval: 100, describe: () => `No run for ${keyword} was started` },
			);
			expect(run.callbackUrl === null).toBe(!sleeps);
			if (sleeps) await asleep(client, executionId);
			await finish(bench, keyword);
		}
		const execution = await client.waitForExecution(executionId ?? '', { timeout: 90_000 });

		expect(execution.failure).toBeUndefined();
		const output = String(execution.json('Agent')[0]?.output);
		expect(output).toContain('lamp');
		expect(output).toContain('chair');
		expect(await sandbox.runs()).toHaveLength(2);
	});
});
