import { waitUntil } from '../../dev/n8n/waitUntil';
import { newestN8n } from '../../dev/n8n/versions';
import { TOOL } from '../fixture/nodeTypes';
import { agentWorkflow } from './agentWorkflow';
import { ChatModel } from '../../dev/demo/chatModel';
import { sharedServer } from './sharedServer';
import {
	asleep,
	begin,
	ending,
	finish,
	PATIENCE,
	starts,
	testCases,
	untilCheckedAgain,
	type Scene,
	type WaitingCase,
} from './waitingScene';
import { runBot } from './workbench';

const agents = [
	{
		title: 'gives an agent of version 3, which can wait for its tools, the rows of each call',
		typeVersion: 3,
		sleeps: true,
		callbacks: true,
	},
	{
		title: 'gives an agent of version 3 the rows although all callbacks are lost',
		typeVersion: 3,
		sleeps: true,
		callbacks: false,
	},
	{
		title: 'gives an agent of version 2, which cannot wait, the rows of each call',
		typeVersion: 2,
		sleeps: false,
		callbacks: true,
	},
];

async function callTwice(
	scene: Scene,
	{ typeVersion, sleeps, callbacks }: (typeof agents)[number],
): Promise<void> {
	const { client, sandbox } = scene;
	const keywords = callbacks ? ['lamp', 'chair'] : ['lamp'];
	const model = await ChatModel.start(keywords.map((keyword) => ({ arguments: { keyword } })));
	try {
		const tool = scene.botNode(
			runBot('1001', {
				waitForCompletion: 'automatic',
				output: 'rows',
				inputMode: 'json',
				input: "={{ { keyword: $fromAI('keyword', 'what to look for'), max_results: 1 } }}",
			}),
			{ type: TOOL },
		);
		const executionId = await begin(scene, await agentWorkflow(scene, model, typeVersion, tool));
		for (const keyword of keywords) {
			const run = await waitUntil(
				async () => (await sandbox.runs()).find(({ input }) => input.keyword === keyword),
				{ timeout: PATIENCE, interval: 100, describe: () => `No run for ${keyword} was started` },
			);
			expect(run.callbackUrl === null).toBe(!sleeps);
			if (sleeps) await asleep(client, executionId);
			if (!callbacks) {
				await untilCheckedAgain(scene);
				await sandbox.setCallbackFaults({ lose: 'all' });
			}
			await finish(scene, keyword);
		}
		const execution = await ending(scene, executionId);

		expect(execution.failure).toBeUndefined();
		const output = String(execution.json('Agent')[0]?.output);
		for (const keyword of keywords) expect(output).toContain(keyword);
		expect(await starts(scene)).toBe(keywords.length);
	} finally {
		await model.close();
	}
}

const cases: WaitingCase[] = agents.map((agent) => ({
	title: agent.title,
	act: async (scene) => await callTwice(scene, agent),
}));

describe('a tool of an AI agent', () => {
	testCases(newestN8n(), cases, () => {
		const client = sharedServer().client;
		return { version: newestN8n(), client, webhookUrl: client.session.url };
	});
});
