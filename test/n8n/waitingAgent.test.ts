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
	starts,
	testCases,
	untilCheckedAgain,
	waitingCase,
	type Scene,
} from './waitingScene';
import { runBot, until } from './workbench';

const CAN_WAIT = 'version 3, which can wait for its tools, the rows of each call';
const CANNOT_WAIT = 'version 2, which cannot wait, the rows of each call';

/** An agent of a version is given rows, by callbacks or where these are lost. */
async function callTwice(scene: Scene, typeVersion: number, callbacks = true): Promise<void> {
	const sleeps = typeVersion === 3;
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
			const run = await until(
				async () => (await sandbox.runs()).find(({ input }) => input.keyword === keyword),
				`a run for ${keyword}`,
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

const cases = [
	waitingCase(`gives an agent of ${CAN_WAIT}`, async (scene) => await callTwice(scene, 3)),
	waitingCase(
		'gives an agent of version 3 the rows although all callbacks are lost',
		async (scene) => await callTwice(scene, 3, false),
	),
	waitingCase(`gives an agent of ${CANNOT_WAIT}`, async (scene) => await callTwice(scene, 2)),
];

describe('a tool of an AI agent', () => {
	testCases(newestN8n(), cases, () => {
		const client = sharedServer().client;
		return { version: newestN8n(), client, webhookUrl: client.session.url };
	});
});
