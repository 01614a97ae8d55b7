import { newestN8n } from '../../dev/n8n/versions';
import { TOOL } from '../fixture/nodeTypes';
import { agentWorkflow } from './agentWorkflow';
import { ChatModel } from '../../dev/demo/chatModel';
import { sharedServer } from './sharedServer';
import { scrapeEach, testCases, type Scene } from './waitingScene';

/** An agent of a version is given the rows of each of two calls. */
async function callTwice(scene: Scene, typeVersion: number): Promise<void> {
	const sleeps = typeVersion === 3;
	const { sandbox } = scene;
	const keywords = ['lamp', 'chair'];
	const model = await ChatModel.start(keywords.map((keyword) => ({ arguments: { keyword } })));
	try {
		const input = "={{ { keyword: $fromAI('keyword', 'what to look for'), max_results: 1 } }}";
		const tool = scene.botNode(scrapeEach({}, { output: 'rows', input }), { type: TOOL });
		const executionId = await scene.begin(await agentWorkflow(scene, model, typeVersion, tool));
		for (const keyword of keywords) {
			const taskId = await scene.openRun(keyword);
			const run = (await sandbox.runs()).find((one) => one.taskId === taskId);
			expect(run?.callbackUrl === null).toBe(!sleeps);
			if (sleeps) await scene.asleep(executionId);
			await scene.finish(keyword);
		}
		const execution = await scene.ending(executionId);

		expect(execution.failure).toBeUndefined();
		const output = String(execution.json('Agent')[0]?.output);
		for (const keyword of keywords) expect(output).toContain(keyword);
		expect(await scene.starts()).toBe(keywords.length);
	} finally {
		await model.close();
	}
}

const cases = {
	'gives an agent of version 3, which can wait for its tools, the rows of each call': async (
		scene: Scene,
	) => await callTwice(scene, 3),
	'gives an agent of version 2, which cannot wait, the rows of each call': async (scene: Scene) =>
		await callTwice(scene, 2),
};

describe('a tool of an AI agent', () => {
	testCases(cases, () => {
		const { client, url } = sharedServer();
		return { version: newestN8n(), client, webhookUrl: url };
	});
});
