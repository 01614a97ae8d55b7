import { randomUUID } from 'node:crypto';
import { fetchAlone } from '../../dev/fetchAlone';
import { callWebhook } from '../../dev/n8n/callWebhook';
import { textOf } from '../../dev/n8n/json';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { chosen } from '../fixture/parameters';
import { expectResults, scrapeEach, words, type Cases, type Scene } from './waitingScene';
import {
	calledTrigger,
	manualTrigger,
	PATIENCE,
	respondNode,
	until,
	webhookNode,
} from './workbench';

/** A wait limit in hours that a busy machine leaves enough of to start runs. */
const SHORT_LIMIT = 0.02;

/** Goes on when its address is called with POST. */
export const waitForPost: NodeSketch = {
	name: 'Wait',
	type: 'n8n-nodes-base.wait',
	typeVersion: 1.1,
	parameters: { resume: 'webhook', httpMethod: 'POST', options: {} },
};

/** A parent workflow that calls one with a bot in it for the words a and b. */
async function parentOf(scene: Scene, mode: 'once' | 'each' = 'once'): Promise<NodeSketch[]> {
	const { client } = scene;
	const definition = workflowOf('Child', [calledTrigger, scene.botNode(scrapeEach())]);
	const child = await client.createWorkflow(definition);
	// n8n 2 calls published workflows only; n8n 1 cannot activate one that has no other trigger.
	if (scene.setup.version !== '1.123') await client.activate(child);
	return [
		...words('a', 'b'),
		{
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: { workflowId: chosen(child.workflowId), mode, options: {} },
		},
	];
}

/** Has a workflow of such nodes behind a webhook answer its caller with the results for the words a and b. */
async function answersCaller(
	scene: Scene,
	responseMode: 'lastNode' | 'responseNode',
	nodes: NodeSketch[],
): Promise<void> {
	const path = randomUUID();
	const hook = webhookNode(path, { responseMode, responseData: 'allEntries' });
	await scene.client.publish(workflowOf('Ask', [hook, ...nodes]));
	const answer = callWebhook(scene.setup.webhookUrl, path);
	await scene.finish('a', 'b');

	const finished = { status: 'finished' };
	expect(JSON.parse(await answer)).toMatchObject([finished, finished]);
	expect(await scene.starts()).toBe(2);
}

/** Waits until the runs of a sub-workflow have ended, and its parent with their results. */
async function endsWithBoth(scene: Scene, nodes: NodeSketch[]): Promise<void> {
	const executionId = await scene.begin(nodes);
	await scene.finish('a', 'b');
	const execution = await scene.ending(executionId);

	expect(execution.failure).toBeUndefined();
	expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
	expect(await scene.starts()).toBe(2);
}

/** Puts a workflow to sleep in the editor that runs the bot for the word a; by "Execute step" where a step is named. */
async function sleepInEditor(scene: Scene, step?: string) {
	const { client } = scene;
	const definition = workflowOf('Sleeps', [manualTrigger, ...scene.scrapes(['a'])]);
	const workflow = await client.createWorkflow(definition);
	const destination = step === undefined ? {} : { destination: step };
	const begun = await client.runManually(workflow, { trigger: manualTrigger.name, ...destination });
	return { workflow, executionId: await scene.asleep(begun ?? '') };
}

/** Puts a run for the word a to sleep; answers with the address of its status page, too. */
async function sleepWithPage(scene: Scene): Promise<{ executionId: string; page: URL }> {
	const executionId = await scene.fallAsleep(scene.scrapes(['a']));
	const page = await pageOf(scene, executionId);
	if (page === undefined) throw new Error('The execution has no status page');
	return { executionId, page };
}

/** The address of an execution's status page, once it has one. */
async function pageOf({ client, setup }: Scene, executionId: string): Promise<URL | undefined> {
	const [bot] = (await client.execution(executionId)).runs('Bot');
	const url = bot?.metadata && new URL(textOf(bot.metadata, 'resumeUrl'));
	return url && new URL(url.pathname + url.search, setup.webhookUrl);
}

async function press(page: URL, name: string, value: string): Promise<Response> {
	const body = new URLSearchParams([[name, value]]);
	const pressed = async (): Promise<Response | undefined> => {
		const answer = await fetchAlone(page, { method: 'POST', body });
		if (answer.status !== 409) return answer;
		return (await answer.clone().text()).includes('running') ? undefined : answer;
	};
	return await until(pressed, 'an n8n that is not at work', 60_000, 500);
}

/** What every supported n8n has to do with a sleeping execution, in each of its modes. */
export const WAITING_CASES: Cases = {
	'resumes an active workflow with all results, in order and paired': async (scene) => {
		const nodes = scene.scrapes(['a', 'b', 'c']);
		const executionId = await scene.fallAsleep(nodes, 'in an active workflow');
		await scene.finish('c', 'a', 'b');
		expectResults(await scene.ending(executionId), 'a', 'b', 'c');
		expect(await scene.starts()).toBe(3);
	},
	'answers a caller who waits for the last node with the results': async (scene) => {
		const nodes = [...words('a', 'b'), scene.botNode(scrapeEach())];
		await answersCaller(scene, 'lastNode', nodes);
	},
	'answers a caller whom a Respond to Webhook node answers with the results': async (scene) => {
		const nodes = [...words('a', 'b'), scene.botNode(scrapeEach()), respondNode];
		await answersCaller(scene, 'responseNode', nodes);
	},
	'answers a caller who waits for a workflow that calls one with several items with the results':
		async (scene) => await answersCaller(scene, 'lastNode', await parentOf(scene)),
	'shows its runs to whoever has the link, whose Check now resumes it; n8n then answers as the page knows it':
		async (scene) => {
			await scene.sandbox.setCallbackFaults({ lose: 'all' });
			const { executionId, page } = await sleepWithPage(scene);
			const shown = await fetchAlone(page);
			expect(shown.status).toBe(200);
			expect(await shown.text()).toMatch(/running<\/span>\s*<strong>Run \d+<.*Live view.*Log/s);
			const asleep = await scene.client.execution(executionId);
			expect(asleep.status).toBe('waiting');
			// The editor of n8n 1 does not know the address.
			const hint = expect.stringContaining(`key=${page.searchParams.get('key')}" target`);
			expect(asleep.runs('Bot').at(-1)?.hints).toEqual(
				scene.setup.version === '1.123' ? [hint] : [],
			);

			await scene.finish('a');
			const answer = await press(page, 'action', 'check');
			expectResults(await scene.ending(executionId), 'a');
			expect(answer.status).toBe(200);
			expect(await answer.text()).toContain('n8n goes on with the runs.');
			const late = await fetchAlone(page);
			expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('finished')]);
		},
	'ends with the run that was canceled on the status page': async (scene) => {
		const { executionId, page } = await sleepWithPage(scene);
		const answer = await press(page, 'cancel', await scene.openRun('a'));
		const execution = await scene.ending(executionId);

		expect(await answer.text()).toMatch(/Run \d+ was canceled\./);
		expect(execution.failure?.message).toContain('was cancelled');
		const late = await fetchAlone(page);
		expect([late.status, await late.text()]).toEqual([
			409,
			expect.stringContaining('finished with error'),
		]);
	},
	'resumes "Execute step", which ends with the step': async (scene) => {
		const { executionId } = await sleepInEditor(scene, 'Bot');
		await scene.finish('a');
		const execution = await scene.ending(executionId);

		expect(execution.status).toBe('success');
		expect(execution.json('Bot')).toHaveLength(1);
		expect(execution.runs('After')).toHaveLength(0);
	},
	'waits in a sub-workflow, whose parent goes on with its results': async (scene) => {
		await endsWithBoth(scene, await parentOf(scene));
	},
	'waits in a sub-workflow that is called for each item, whose parent goes on with all results':
		async (scene) => {
			await endsWithBoth(scene, await parentOf(scene, 'each'));
		},
	'does what it did when it was put to sleep, although the workflow was edited': async (scene) => {
		const { workflow, executionId } = await sleepInEditor(scene);
		const other = scene.botNode({ resource: 'bot', operation: 'getAll' });
		await scene.client.updateWorkflow(workflow, workflowOf('Edited', [manualTrigger, other]));
		await scene.finish('a');
		expectResults(await scene.ending(executionId), 'a');
	},
	'takes the runs up again when a failed execution is retried, and starts failed ones anew': async (
		scene,
	) => {
		const { sandbox } = scene;
		const executionId = await scene.fallAsleep(scene.scrapes(['a', 'b']));
		await sandbox.moveRun({ taskId: await scene.openRun('b'), status: 'failed' });
		await scene.finish('a');
		expect((await scene.ending(executionId)).status).toBe('error');

		await sandbox.setDurations({ created: 0, running: 100 });
		expectResults(await scene.retry(executionId), 'a', 'b');
		const inputs = (await sandbox.runs()).map(({ input }) => input.keyword);
		expect(inputs.sort()).toEqual(['a', 'b', 'b']);
	},
	'continues at the wait limit with the run IDs where that is wanted': async (scene) => {
		const limit = { waitLimit: SHORT_LIMIT, atWaitLimit: 'continue' };
		const nodes = scene.scrapes(['a', 'b'], scrapeEach(limit));
		const executionId = await scene.fallAsleep(nodes);
		await scene.finish('b');
		const late = await scene.openRun('a');
		const execution = await scene.ending(executionId);

		expect(execution.json('After')).toEqual([
			expect.objectContaining({ of: 'a', task_id: late, timed_out: true }),
			expect.objectContaining({ of: 'b', status: 'finished' }),
		]);
	},
	'resumes no other node that waits, whose address the service was given before': async (scene) => {
		const { client, sandbox, setup } = scene;
		const bot = scene.botNode(scrapeEach({ whenPaused: 'continue' }));
		const nodes = [...words('a'), bot, waitForPost];
		const executionId = await scene.fallAsleep(nodes, 'in an active workflow');
		const address = new URL(`webhook-waiting/${executionId}`, setup.webhookUrl);
		address.search = (await pageOf(scene, executionId))?.search ?? '';
		await sandbox.moveRun({ taskId: await scene.openRun('a'), status: 'paused' });
		await scene.untilAt(waitForPost.name, executionId);
		await scene.finish('a');
		await sandbox.callbacksSettled();
		expect((await sandbox.callbacks()).length).toBeGreaterThan(1);
		expect((await client.execution(executionId)).status).toBe('waiting');
		await fetchAlone(address, { method: 'POST' });
		expect((await scene.ending(executionId)).status).toBe('success');
	},
	'cancels the runs when a polling execution is stopped': async (scene) => {
		const { client, sandbox } = scene;
		const polling = scrapeEach({}, { waitForCompletion: 'poll' });
		const executionId = await scene.begin(scene.scrapes(['a', 'b'], polling));
		await scene.openRun('a');
		await scene.openRun('b');
		await client.stopExecution(executionId);
		const areCanceled = async (): Promise<boolean> =>
			(await sandbox.runs()).every(({ status }) => status === 'canceled');
		await until(areCanceled, 'the runs to be canceled', 30_000);
		expect((await scene.ending(executionId)).status).toBe('canceled');
	},
};

export const CASES_OF_N8N_2: Cases = {
	'starts nothing more once "Cancel all runs" was taken, between waves and on Retry': async (
		scene,
	) => {
		const { sandbox } = scene;
		await sandbox.addFault({ kind: 'latency', ms: 50, path: '/runs$', method: 'POST' });
		const many = Array.from({ length: 250 }, (_, index) => `w${index}`);
		const executionId = await scene.begin(scene.scrapes(many));
		const soon = async <T>(find: () => Promise<T | undefined | false>, what: string) =>
			await until(find, what, PATIENCE, 20);
		const page = await until(async () => await pageOf(scene, executionId), 'the status page');
		await soon(async () => (await scene.starts()) > 0, 'the first start');
		const answer = await soon(async () => {
			const pressed = await press(page, 'action', 'cancelAll');
			return pressed.status === 200 && pressed;
		}, 'the button to be taken');
		const before = await scene.starts();
		expect(await answer.json()).toEqual({ canceled: true });
		const execution = await scene.ending(executionId);
		expect(execution.status).toBe('error');
		expect(await scene.starts()).toBe(before);
		const statuses = (await sandbox.runs()).map(({ status }) => status);
		expect(new Set(statuses)).toEqual(new Set(['canceled']));
		expect((await scene.retry(executionId)).status).toBe('error');
		expect(await scene.starts()).toBe(before);
	},
};
