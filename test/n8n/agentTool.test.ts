import type { N8nClient } from '../../n8n/client';
import { TOOL } from '../fixture/nodeTypes';
import { chosen } from '../fixture/parameters';
import { agentWorkflow } from './agentWorkflow';
import { ChatModel } from '../../demo/chatModel';
import { sharedClient } from './sharedServer';
import { manualTrigger, openWorkbench, type Workbench } from './workbench';

describe('a bot as the tool of an AI agent', () => {
	let client: N8nClient;
	let bench: Workbench;
	let model: ChatModel;

	beforeAll(async () => {
		client = sharedClient();
		bench = await openWorkbench(client);
		await bench.sandbox.setDurations({ created: 0, running: 50 });
		model = await ChatModel.start([
			{ arguments: { keyword: 'lamp', most: 900 } },
			{ arguments: { keyword: 'lamp', most: 500 } },
		]);
	});

	afterAll(async () => {
		await model?.close();
		await bench?.close();
	});

	const tool = () =>
		bench.botNode(
			{
				resource: 'bot',
				operation: 'run',
				botId: chosen('1001'),
				inputMode: 'fields',
				inputFields: {
					mappingMode: 'defineBelow',
					value: {
						keyword: "={{ $fromAI('keyword', 'What to look for', 'string') }}",
						max_results: "={{ $fromAI('most', 'How many products', 'number') }}",
					},
					schema: [],
				},
				waitForCompletion: 'poll',
				output: 'rows',
				options: {},
			},
			{ type: TOOL },
		);

	it.each([
		3,
		// Shows its model nothing of an error.
		2,
	])(
		'tells the model of agent %i what is wrong with its input, then gives it as many rows as it can read',
		async (version) => {
			await bench.sandbox.reset();
			await bench.sandbox.setDurations({ created: 0, running: 50 });
			const stored = await client.createWorkflow(
				await agentWorkflow(bench, model, version, tool()),
			);
			const executionId = await client.runManually(stored, { trigger: manualTrigger.name });
			const execution = await client.waitForExecution(executionId ?? '', { timeout: 90_000 });

			expect(execution.failure).toBeUndefined();
			const answers: unknown = JSON.parse(String(execution.json('Agent')[0]?.output));
			const [refused, rows] = Array.isArray(answers) ? answers.map(String) : [];
			expect(refused).toContain('max_results) is 900, more than 500');
			expect(refused).toContain('Correct the fields named above');
			expect(refused).toContain('No run was started');
			expect(rows).toMatch(/shown.*\d+ of 500 items/);
			expect(rows?.length).toBeLessThan(50_000);
			expect(await bench.sandbox.runs()).toHaveLength(1);
		},
	);
});
