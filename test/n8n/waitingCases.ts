import { randomUUID } from 'node:crypto';
import { callWebhook } from '../../dev/n8n/callWebhook';
import { textOf } from '../../dev/n8n/json';
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
	retry,
	scrapeEach,
	starts,
	waitingCase,
	words,
	type Scene,
	type WaitingCase,
} from './waitingScene';
import {
	calledTrigger,
	manualTrigger,
	PATIENCE,
	respondNode,
	until,
	webhookNode,
} from './workbench';

/** A wait limit in hours that a busy machine leaves enough of to start runs. n8n’s wait timer makes a minute of it. */
const SHORT_LIMIT = 0.01;

/** A parent workflow that calls one with a bot in it for the words a and b. */
async function parentOf(scene: Scene, mode: 'once' | 'each' = 'once'): Promise<NodeSketch[]> {
	const { client } = scene;
	const child = await client.createWorkflow(
		workflowOf('Child', [
			calledTrigger,
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
			parameters: { workflowId: chosen(child.workflowId), mode, options: {} },
		},
	];
}

/** A workflow that answers its caller with the results for the words a and b. */
interface Answering {
	whom: string;
	responseMode: 'lastNode' | 'responseNode';
	/** What follows the webhook. */
	nodes(scene: Scene): Promise<NodeSketch[]> | NodeSketch[];
}

const ANSWERING: readonly Answering[] = [
	{
		whom: 'who waits for the last node',
		responseMode: 'lastNode',
		nodes: (scene) => [words('a', 'b'), scene.botNode(scrapeEach())],
	},
	{
		whom: 'whom a Respond to Webhook node answers',
		responseMode: 'responseNode',
		nodes: (scene) => [words('a', 'b'), scene.botNode(scrapeEach()), respondNode],
	},
	{
		whom: 'who waits for a workflow that calls one with several items',
		responseMode: 'lastNode',
		nodes: async (scene) => await parentOf(scene),
	},
];

/** Puts a run for the word a to sleep; answers with the address of its status page, too. */
async function sleepWithPage(scene: Scene): Promise<{ executionId: string; page: URL }> {
	const nodes = [words('a'), scene.botNode(scrapeEach()), after];
	const executionId = await fallAsleep(scene, nodes);
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

/** Presses a button of a status page. */
async function press(page: URL, name: string, value: string): Promise<Response> {
	const body = new URLSearchParams([[name, value]]);
	const pressed = async (): Promise<Response | undefined> => {
		const answer = await fetch(page, { method: 'POST', body });
		if (answer.status !== 409) return answer;
		return (await answer.clone().text()).includes('running') ? undefined : answer;
	};
	return await until(pressed, 'an n8n that is not at work', 60_000, 500);
}

/** What every supported n8n has to do with a sleeping execution, in each of its modes. */
export const WAITING_CASES: readonly WaitingCase[] = [
	waitingCase('resumes an active workflow with all results, in order and paired', async (scene) => {
		const executionId = await fallAsleep(
			scene,
			[words('a', 'b', 'c'), scene.botNode(scrapeEach()), after],
			'in an active workflow',
		);
		await finish(scene, 'c', 'a', 'b');
		expectResults(await ending(scene, executionId), 'a', 'b', 'c');
		expect(await starts(scene)).toBe(3);
	}),
	...ANSWERING.map(({ whom, responseMode, nodes }) =>
		waitingCase(`answers a caller ${whom} with the results`, async (scene) => {
			const { client } = scene;
			const path = randomUUID();
			const hook = webhookNode(path, { responseMode, responseData: 'allEntries' });
			const workflow = await client.createWorkflow(
				workflowOf('Ask', [hook, ...(await nodes(scene))]),
			);
			await client.activate(workflow);
			const answer = callWebhook(scene.setup.webhookUrl, path);
			await finish(scene, 'a', 'b');

			const finished = { status: 'finished' };
			expect(JSON.parse(await answer)).toMatchObject([finished, finished]);
			expect(await starts(scene)).toBe(2);
		}),
	),
	waitingCase(
		'shows its runs to whoever has the link, whose Check now resumes it; n8n then answers as the page knows it',
		async (scene) => {
			await scene.sandbox.setCallbackFaults({ lose: 'all' });
			const { executionId, page } = await sleepWithPage(scene);
			const shown = await fetch(page);
			expect(shown.status).toBe(200);
			expect(await shown.text()).toMatch(/running<\/span>\s*<strong>Run \d+<.*Live view.*Log/s);
			const asleep = await scene.client.execution(executionId);
			expect(asleep.status).toBe('waiting');
			// The editor of n8n 1 does not know the address.
			const hint = expect.stringContaining(`key=${page.searchParams.get('key')}" target`);
			expect(asleep.runs('Bot').at(-1)?.hints).toEqual(
				scene.setup.version === '1.123' ? [hint] : [],
			);

			await finish(scene, 'a');
			const answer = await press(page, 'action', 'check');
			expectResults(await ending(scene, executionId), 'a');
			expect(answer.status).toBe(200);
			expect(await answer.text()).toContain('n8n goes on with the runs.');
			const late = await fetch(page);
			expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('finished')]);
		},
	),
	waitingCase('ends with the run that was canceled on the status page', async (scene) => {
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
	}),
	waitingCase(
		'starts nothing more once "Cancel all runs" was taken, between waves and on Retry',
		async (scene) => {
			const { sandbox } = scene;
			await sandbox.addFault({ kind: 'latency', ms: 50, path: '/runs$', method: 'POST' });
			const many = words(...Array.from({ length: 250 }, (_, index) => `w${index}`));
			const executionId = await begin(scene, [many, scene.botNode(scrapeEach()), after]);
			const soon = async <T>(find: () => Promise<T | undefined | false>, what: string) =>
				await until(find, what, PATIENCE, 20);
			const page = await soon(async () => await pageOf(scene, executionId), 'the status page');
			await soon(async () => (await starts(scene)) > 0, 'the first start');
			const answer = await soon(async () => {
				const pressed = await press(page, 'action', 'cancelAll');
				return pressed.status === 200 && pressed;
			}, 'the button to be taken');
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
		['2.41'],
	),
	waitingCase('resumes "Execute step", which ends with the step', async (scene) => {
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
	}),
	waitingCase(
		'sends a failed run to the error output with the fields of its item',
		async (scene) => {
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
	),
	waitingCase('waits in a sub-workflow, whose parent goes on with its results', async (scene) => {
		const executionId = await begin(scene, await parentOf(scene));
		await finish(scene, 'a', 'b');
		const execution = await ending(scene, executionId);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
		expect(await starts(scene)).toBe(2);
	}),
	waitingCase(
		'waits in a sub-workflow that is called for each item, whose parent goes on with all results',
		async (scene) => {
			const executionId = await begin(scene, await parentOf(scene, 'each'));
			await finish(scene, 'a');
			await finish(scene, 'b');
			const execution = await ending(scene, executionId);

			expect(execution.failure).toBeUndefined();
			expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
			expect(await starts(scene)).toBe(2);
		},
	),
	waitingCase(
		'does what it did when it was put to sleep, although the workflow was edited',
		async (scene) => {
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
	),
	waitingCase(
		'takes the runs up again when a failed execution is retried, and starts failed ones anew',
		async (scene) => {
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
	),
	waitingCase(
		'continues at the wait limit with the run IDs where that is wanted',
		async (scene) => {
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
	),
	waitingCase('cancels the runs when a polling execution is stopped', async (scene) => {
		const { client, sandbox } = scene;
		const executionId = await begin(scene, [
			words('a', 'b'),
			scene.botNode(scrapeEach({}, { waitForCompletion: 'poll' })),
		]);
		await openRun(scene, 'a');
		await openRun(scene, 'b');
		await client.stopExecution(executionId);
		const areCanceled = async (): Promise<boolean> =>
			(await sandbox.runs()).every(({ status }) => status === 'canceled');
		await until(areCanceled, 'the runs to be canceled', 30_000);
		expect((await ending(scene, executionId)).status).toBe('canceled');
	}),
];
