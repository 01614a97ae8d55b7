import type { N8nClient } from '../../n8n/client';
import { workflowOf, type WorkflowDefinition } from '../../n8n/workflow';
import { ChatModel } from './chatModel';
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

	async function workflow(typeVersion: number): Promise<WorkflowDefinition> {
		const openAi = await client.createCredential('Scripted', 'openAiApi', {
			apiKey: 'none',
			url: model.url,
		});
		const definition = workflowOf('Agent', [
			manualTrigger,
			{
				name: 'Agent',
				type: '@n8n/n8n-nodes-langchain.agent',
				typeVersion,
				parameters: { promptType: 'define', text: 'Go', options: {} },
			},
			{
				name: 'Model',
				type: '@n8n/n8n-nodes-langchain.lmChatOpenAi',
				typeVersion: 1.2,
				parameters: { model: { __rl: true, mode: 'id', value: 'scripted' }, options: {} },
				credentials: { openAiApi: { id: openAi.credentialId, name: openAi.name } },
			},
			bench.botNode(
				{
					resource: 'bot',
					operation: 'run',
					botId: { __rl: true, mode: 'id', value: '1001' },
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
				{ type: 'n8n-nodes-browser-automation.browserAutomationTool' },
			),
		]);
		definition.connections = {
			Start: { main: [[{ node: 'Agent', type: 'main', index: 0 }]] },
			Model: { ai_languageModel: [[{ node: 'Agent', type: 'ai_languageModel', index: 0 }]] },
			Bot: { ai_tool: [[{ node: 'Agent', type: 'ai_tool', index: 0 }]] },
		};
		return definition;
	}

	it('tells the model what is wrong with its input, and then gives it as many rows as it can read', async () => {
		const stored = await client.createWorkflow(await workflow(3));
		const executionId = await client.runManually(stored, { trigger: manualTrigger.name });
		const execution = await client.waitForExecution(executionId ?? '', { timeout: 90_000 });

		expect(execution.failure).toBeUndefined();
		const answers: unknown = JSON.parse(String(execution.json('Agent')[0]?.output));
		const [refused, rows] = Array.isArray(answers) ? answers.map(String) : [];
		expect(refused).toContain('max_results) is 900, more than 500');
		expect(refused).toContain('Correct the fields named above');
		expect(rows).toMatch(/shown.*\d+ of 500 items/);
		expect(rows?.length).toBeLessThan(50_000);
		expect(await bench.sandbox.runs()).toHaveLength(1);
	});
});
