import { randomUUID } from 'node:crypto';
import { callWebhook } from '../../dev/n8n/callWebhook';
import { textOf } from '../../dev/n8n/json';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { workflowOf, type NodeSketch } from '../../dev/n8n/workflow';
import { chosen } from '../fixture/parameters';
import {
	after,
	asleep,
	begin,
	ending,
	expectResults,
	fallAsleep,
	finish,
	openRun,
	PATIENCE,
	retry,
	scrapeEach,
	starts,
	words,
	type Scene,
	type WaitingCase,
} from './waitingScene';
import { manualTrigger } from './workbench';

/** A wait limit in hours that a busy machine leaves enough of to start runs. n8n’s wait timer makes a minute of it. */
const SHORT_LIMIT = 0.01;

/** A parent workflow that calls one with a bot in it for the words a and b. */
async function parentOf(scene: Scene, mode: 'once' | 'each' = 'once'): Promise<NodeSketch[]> {
	const { client } = scene;
	const child = await client.createWorkflow(
		workflowOf('Child', [
			{
				name: 'Called',
				type: 'n8n-nodes-base.executeWorkflowTrigger',
				typeVersion: 1.1,
				parameters: { inputSource: 'passthrough' },
			},
			scene.botNode(scrapeEach({}, { waitForCompletion: 'automatic' })),
		]),
	);
	// n8n 2 calls published workflows only; n8n 1 cannot activate one that has no other trigger.
	if (scene.setup.version !== '1.123') await client.activate(child);
	return [
		words('a', 'b'),
		{
			name: 'Call',
			type: 'n8n-nodes-base.executeWorkflow',
			typeVersion: 1.2,
			parameters: {
				workflowId: chosen(child.workflowId),
				mode,
				options: {},
			},
		},
	];
}

/** A published workflow whose caller is answered with what its last node passes on. */
async function answering(scene: Scene): Promise<string> {
	const { client } = scene;
	const path = randomUUID();
	const workflow = await client.createWorkflow(
		workflowOf('Ask', [
			{
				name: 'Ask',
				type: 'n8n-nodes-base.webhook',
				typeVersion: 2,
				webhookId: path,
				parameters: { path, httpMethod: 'POST', responseMode: 'lastNode' },
			},
			words('a'),
			scene.botNode(scrapeEach()),
		]),
	);
	await client.activate(workflow);
	return path;
}

/** Puts a run for the word a to sleep; answers with the address of its status page, too. */
async function sleepWithPage(scene: Scene): Promise<{ executionId: string; page: URL }> {
	const { client, setup } = scene;
	const nodes = [words('a'), scene.botNode(scrapeEach()), after];
	const executionId = await fallAsleep(scene, nodes);
	const [bot] = (await client.execution(executionId)).runs('Bot');
	const { pathname, search } = new URL(textOf(bot?.metadata, 'resumeUrl'));
	return { executionId, page: new URL(pathname + search, setup.webhookUrl) };
}

/** Presses a button of a status page. */
async function press(page: URL, name: string, value: string): Promise<Response> {
	return await waitUntil(
		async () => {
			const answer = await fetch(page, {
				method: 'POST',
				body: new URLSearchParams([[name, value]]),
			});
			if (answer.status !== 409) return answer;
			return (await answer.clone().text()).includes('running') ? undefined : answer;
		},
		{ timeout: 60_000, interval: 500, describe: () => 'n8n was at work for a minute' },
	);
}

/** What every supported n8n has to do with a sleeping execution, in each of its modes. */
export const WAITING_CASES: readonly WaitingCase[] = [
	{
		title: 'resumes an active workflow with all results, in order and paired',
		act: async (scene) => {
			const executionId = await fallAsleep(
				scene,
				[words('a', 'b', 'c'), scene.botNode(scrapeEach()), after],
				'in an active workflow',
			);
			await finish(scene, 'c', 'a', 'b');
			expectResults(await ending(scene, executionId), 'a', 'b', 'c');
			expect(await starts(scene)).toBe(3);
		},
	},
	{
		title: 'answers a caller who waits for the last node with the results',
		act: async (scene) => {
			const path = await answering(scene);
			const answer = callWebhook(scene.setup.webhookUrl, path);
			await openRun(scene, 'a');
			await finish(scene, 'a');

			expect(JSON.parse(await answer)).toMatchObject({ status: 'finished' });
			expect(await starts(scene)).toBe(1);
		},
	},
	{
		title:
			'shows its runs to whoever has the link, whose Check now resumes it; n8n then answers as the page knows it',
		act: async (scene) => {
			await scene.sandbox.setCallbackFaults({ lose: 'all' });
			const { executionId, page } = await sleepWithPage(scene);
			const shown = await fetch(page);
			expect(shown.status).toBe(200);
			expect(await shown.text()).toMatch(/running<\/span>\s*<strong>Run \d+<.*Live view.*Log/s);
			expect((await scene.client.execution(executionId)).status).toBe('waiting');

			await finish(scene, 'a');
			const answer = await press(page, 'action', 'check');
			expectResults(await ending(scene, executionId), 'a');
			expect(answer.status).toBe(200);
			expect(await answer.text()).toContain('n8n goes on with the runs.');
			const late = await fetch(page);
			expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('finished')]);
		},
	},
	{
		title: 'ends with the run that was canceled on the status page',
		act: async (scene) => {
			const { executionId, page } = await sleepWithPage(scene);
			const answer = await press(page, 'cancel', await openRun(scene, 'a'));
			const execution = await ending(scene, executionId);

			expect(await answer.text()).toMatch(/Run \d+ was canceled\./);
			expect(execution.failure?.message).toContain('was cancelled');
			const late = await fetch(page);
			expect([late.status, await late.text()]).toEqual([
				409,
				expect.stringContaining('finished with error'),
			]);
		},
	},
	{
		title: 'starts nothing more once "Cancel all runs" was taken, between waves and on Retry',
		versions: ['2.41'],
		act: async (scene) => {
			const { client, sandbox, setup } = scene;
			await sandbox.addFault({ kind: 'latency', ms: 50, path: '/runs$', method: 'POST' });
			const many = words(...Array.from({ length: 150 }, (_, index) => `w${index}`));
			const executionId = await begin(scene, [many, scene.botNode(scrapeEach()), after]);
			const page = await waitUntil(
				async () => {
					const [bot] = (await client.execution(executionId)).runs('Bot');
					const url = bot?.metadata && new URL(textOf(bot.metadata, 'resumeUrl'));
					return url && new URL(url.pathname + url.search, setup.webhookUrl);
				},
				{ timeout: PATIENCE, interval: 20, describe: () => 'The execution has no status page' },
			);
			await waitUntil(async () => ((await starts(scene)) > 0 ? true : undefined), {
				timeout: PATIENCE,
				interval: 20,
				describe: () => 'No run is started',
			});
			const answer = await waitUntil(
				async () => {
					const pressed = await press(page, 'action', 'cancelAll');
					return pressed.status === 200 ? pressed : undefined;
				},
				{ timeout: PATIENCE, interval: 20, describe: () => 'The button is not taken' },
			);
			const before = await starts(scene);
			expect(await answer.json()).toEqual({ canceled: true });
			const execution = await ending(scene, executionId);
			expect(execution.status).toBe('error');
			expect(await starts(scene)).toBe(before);
			const statuses = (await sandbox.runs()).map(({ status }) => status);
			expect(new Set(statuses)).toEqual(new Set(['canceled']));
			expect((await retry(scene, executionId)).status).toBe('error');
			expect(await starts(scene)).toBe(before);
		},
	},
	{
		title: 'resumes "Execute step", which ends with the step',
		act: async (scene) => {
			const { client } = scene;
			const workflow = await client.createWorkflow(
				workflowOf('Step', [manualTrigger, words('a'), scene.botNode(scrapeEach()), after]),
			);
			const executionId = await client.runManually(workflow, {
				trigger: manualTrigger.name,
				destination: 'Bot',
			});
			await asleep(client, executionId ?? '');
			await finish(scene, 'a');
			const execution = await ending(scene, executionId ?? '');

			expect(execution.status).toBe('success');
			expect(execution.json('Bot')).toHaveLength(1);
			expect(execution.runs('After')).toHaveLength(0);
		},
	},
	{
		title: 'sends a failed run to the error output with the fields of its item',
		act: async (scene) => {
			const node = scene.botNode(scrapeEach(), { onError: 'continueErrorOutput' });
			const executionId = await fallAsleep(scene, [words('a', 'b'), node, after]);
			const taskId = await openRun(scene, 'a');
			await scene.sandbox.moveRun({ taskId, status: 'failed' });
			await finish(scene, 'b');
			const execution = await ending(scene, executionId);

			expect(execution.status).toBe('success');
			expect(execution.json('After').map(({ of }) => of)).toEqual(['b']);
			expect(execution.json('Bot', 1)).toEqual([
				expect.objectContaining({ keyword: 'a', error: expect.stringContaining(taskId) }),
			]);
		},
	},
	{
		title: 'waits in a sub-workflow, whose parent goes on with its results',
		act: async (scene) => {
			const executionId = await begin(scene, await parentOf(scene));
			await finish(scene, 'a', 'b');
			const execution = await ending(scene, executionId);

			expect(execution.failure).toBeUndefined();
			expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
			expect(await starts(scene)).toBe(2);
		},
	},
	{
		title:
			'waits in a sub-workflow that is called for each item, whose parent goes on with all results',
		act: async (scene) => {
			const executionId = await begin(scene, await parentOf(scene, 'each'));
			await finish(scene, 'a');
			await finish(scene, 'b');
			const execution = await ending(scene, executionId);

			expect(execution.failure).toBeUndefined();
			expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
			expect(await starts(scene)).toBe(2);
		},
	},
	{
		title: 'does what it did when it was put to sleep, although the workflow was edited',
		act: async (scene) => {
			const { client } = scene;
			const workflow = await client.createWorkflow(
				workflowOf('Edited', [manualTrigger, words('a'), scene.botNode(scrapeEach()), after]),
			);
			const executionId = await client.runManually(workflow, { trigger: manualTrigger.name });
			await asleep(client, executionId ?? '');
			await client.updateWorkflow(
				workflow,
				workflowOf('Edited', [
					manualTrigger,
					scene.botNode({ resource: 'bot', operation: 'getAll' }),
				]),
			);
			await finish(scene, 'a');
			expectResults(await ending(scene, executionId ?? ''), 'a');
		},
	},
	{
		title:
			'takes the runs up again when a failed execution is retried, and starts failed ones anew',
		act: async (scene) => {
			const { sandbox } = scene;
			const nodes = [words('a', 'b'), scene.botNode(scrapeEach()), after];
			const executionId = await fallAsleep(scene, nodes);
			await sandbox.moveRun({ taskId: await openRun(scene, 'b'), status: 'failed' });
			await finish(scene, 'a');
			expect((await ending(scene, executionId)).status).toBe('error');

			await sandbox.setDurations({ created: 0, running: 100 });
			expectResults(await retry(scene, executionId), 'a', 'b');
			const inputs = (await sandbox.runs()).map(({ input }) => input.keyword);
			expect(inputs.sort()).toEqual(['a', 'b', 'b']);
		},
	},
	{
		title: 'continues at the wait limit with the run IDs where that is wanted',
		act: async (scene) => {
			const limit = { waitLimit: SHORT_LIMIT, atWaitLimit: 'continue' };
			const nodes = [words('a', 'b'), scene.botNode(scrapeEach(limit)), after];
			const executionId = await fallAsleep(scene, nodes);
			await finish(scene, 'b');
			const late = await openRun(scene, 'a');
			const execution = await ending(scene, executionId);

			expect(execution.json('After')).toEqual([
				expect.objectContaining({ of: 'a', task_id: late, timed_out: true }),
				expect.objectContaining({ of: 'b', status: 'finished' }),
			]);
		},
	},
	{
		title: 'cancels the runs when a polling execution is stopped',
		act: async (scene) => {
			const { client, sandbox } = scene;
			const executionId = await begin(scene, [
				words('a', 'b'),
				scene.botNode(scrapeEach({}, { waitForCompletion: 'poll' })),
			]);
			await openRun(scene, 'a');
			await openRun(scene, 'b');
			await client.stopExecution(executionId);
			await waitUntil(
				async () =>
					(await sandbox.runs()).every(({ status }) => status === 'canceled') || undefined,
				{ timeout: 30_000, interval: 50, describe: () => 'The runs were not canceled' },
			);
			expect((await ending(scene, executionId)).status).toBe('canceled');
		},
	},
];
