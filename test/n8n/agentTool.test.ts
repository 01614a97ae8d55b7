import { randomUUID } from 'node:crypto';

import { callWebhook } from '../../dev/n8n/callWebhook';
import type { Execution } from '../../dev/n8n/execution';
import type { NodeSketch } from '../../dev/n8n/workflow';
import { TOOL } from '../fixture/nodeTypes';
import { chosen } from '../fixture/parameters';
import { agentWorkflow } from './agentWorkflow';
import { ChatModel } from '../../dev/demo/chatModel';
import { connectMcp, mcpWorkflow } from './mcpClient';
import { sharedServer } from './sharedServer';
import { useBench } from './useBench';
import { manualTrigger, runBot, runInEditor, webhookNode } from './workbench';

describe('a bot as the tool of an AI agent', () => {
	const bench = useBench();
	let model: ChatModel;

	beforeAll(async () => {
		model = await ChatModel.start([
			{ arguments: { keyword: 'lamp', max: 900 } },
			{ arguments: { keyword: 'lamp', max: 500 } },
		]);
	});

	afterAll(async () => await model?.close());

	const byModel = {
		keyword: "={{ $fromAI('keyword', 'What to look for', 'string') }}",
		max_results: "={{ $fromAI('max', 'How many products', 'number') }}",
	};
	const form = { mappingMode: 'defineBelow', value: byModel, schema: [] };
	const set = { inputMode: 'fields', inputFields: form, waitForCompletion: 'poll', output: 'rows' };
	const tool = () => bench().botNode(runBot('1001', set), { type: TOOL });

	beforeEach(async () => {
		await bench().sandbox.reset();
		await bench().sandbox.setDurations({ created: 0, running: 50 });
	});

	async function runAgent(using: ChatModel, version: number, node: NodeSketch): Promise<Execution> {
		const { client } = bench();
		const definition = await agentWorkflow(bench(), using, version, node);
		const execution = await runInEditor(client, await client.createWorkflow(definition));
		expect(execution.failure).toBeUndefined();
		return execution;
	}

	it.each([
		3,
		// Shows its model nothing of an error.
		2,
	])(
		'tells the model of agent %i what is wrong with its input, then gives it as many rows as it can read',
		async (version) => {
			const execution = await runAgent(model, version, tool());
			const answers: unknown = JSON.parse(String(execution.json('Agent')[0]?.output));
			const [refused, rows] = Array.isArray(answers) ? answers.map(String) : [];
			expect(refused).toContain('max_results) is 900, more than 500');
			expect(refused).toContain('Correct the fields named above');
			expect(refused).toContain('No run was started');
			expect(rows).toMatch(/shown.*\d+ of 500 items/);
			expect(rows?.length).toBeLessThan(50_000);
			expect(await bench().sandbox.runs()).toHaveLength(1);
		},
	);

	it.each([3.1, 2.2])(
		'shows the model of agent %f an argument for each input, in every script, and each gets its value',
		async (version) => {
			const text = (title: string) => ({ type: 'string', title });
			const properties = {
				...{ keyword: text('关键词'), region: text('国家名'), size: text('Größe') },
				...{ greeting: text('Grüße'), запрос: {}, регион: {}, arguments: {} },
			};
			const inputSchema = { properties };
			await bench().sandbox.addBot({ id: '4711', name: '商品搜索', inputSchema });
			const botId = chosen('4711');
			const schema = await bench().formOf('4711', TOOL);
			// As n8n's editor names them: test/methods/argumentNames.test.ts.
			const names = schema.map(({ id, displayName }) => ({
				id: String(id),
				name: String(displayName).replace(/[^a-zA-Z0-9-]/g, '_'),
			}));
			const value = names.map(({ id, name }) => [id, `={{ $fromAI('${name}', \`\`, 'string') }}`]);
			const given = Object.fromEntries(names.map(({ id, name }) => [name, `值 ${id}`]));
			const scripted = await ChatModel.start([{ arguments: given }]);
			try {
				const filled = { mappingMode: 'defineBelow', value: Object.fromEntries(value) };
				const inputFields = { ...filled, schema };
				const parameters = { ...tool().parameters, botId, inputFields };
				await runAgent(scripted, version, { ...tool(), parameters });
				expect(scripted.offers[0]).toMatchObject([
					{ function: { name: 'Bot', parameters: { required: Object.keys(given) } } },
				]);
				expect(Object.keys(given)).toHaveLength(7);
				const inputs = (await bench().sandbox.runs()).map(({ input }) => input);
				expect(inputs).toEqual([Object.fromEntries(names.map(({ id }) => [id, `值 ${id}`]))]);
			} finally {
				await scripted.close();
			}
		},
	);

	const hooked = (responseMode: string) => ({ typeVersion: 2.1, parameters: { responseMode } });
	const chat = {
		type: '@n8n/n8n-nodes-langchain.chatTrigger',
		typeVersion: 1.4,
		parameters: { public: true, mode: 'webhook', options: { responseMode: 'streaming' } },
	};

	it.each<[string, string, Partial<NodeSketch>]>([
		['waits for the last node', '', hooked('lastNode')],
		['gets a stream', '', hooked('streaming')],
		['chats and gets a stream', '/chat', chat],
	])('stays awake for whoever called the workflow and %s', async (_, end, how) => {
		await bench().sandbox.setDurations({ created: 0, running: 2_000 });
		const path = randomUUID();
		const node = tool();
		const parameters = { ...node.parameters, waitForCompletion: 'automatic' };
		const definition = await agentWorkflow(bench(), model, 3.1, { ...node, parameters });
		const hook = webhookNode(path, { options: {}, ...how.parameters }, manualTrigger.name);
		definition.nodes = definition.nodes.map((other) =>
			other.name === hook.name ? { ...other, ...hook, ...how, parameters: hook.parameters } : other,
		);
		const stored = await bench().client.publish(definition);
		const said = { action: 'sendMessage', sessionId: path, chatInput: 'Go' };
		const answer = await callWebhook(sharedServer().url, `${path}${end}`, said);
		await bench().client.deactivate(stored);

		expect(answer).toMatch(/shown.*\d+ of 500 items/);
	});

	it('answers an agent outside of n8n with rows, over MCP', async () => {
		await bench().sandbox.setDurations({ created: 0, running: 2_000 });
		const path = randomUUID();
		const stored = await bench().client.publish(mcpWorkflow(path, tool()));

		const ask = await connectMcp(`${sharedServer().url}/mcp/${path}`);
		const listed = JSON.stringify(await ask('tools/list'));
		const given = { keyword: 'lamp', max: 2 };
		const called = await ask('tools/call', { name: 'Bot', arguments: given });
		await bench().client.deactivate(stored);

		expect(listed).toContain('What to look for');
		expect(JSON.stringify(called)).toContain('lamp');
		expect(await bench().sandbox.runs()).toHaveLength(1);
	});
});
