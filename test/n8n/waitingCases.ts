import { randomUUID } from 'node:crypto';
import type { N8nClient, StoredWorkflow } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { textOf } from '../../n8n/json';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf, type NodeSketch, type WorkflowDefinition } from '../../n8n/workflow';
import { manualTrigger, openWorkbench, runBot, runInEditor, type Workbench } from './workbench';

/** An n8n to try waiting in. */
export interface WaitingStage {
	client: N8nClient;
	/** Where its webhooks are called. */
	webhookUrl: string;
	/** Whether n8n can fail a node whose wait it ends itself. */
	failsAtLimit: boolean;
}

const word = 'keyword';

/** Items `{ keyword }`, one for each word. */
export function words(...given: string[]): NodeSketch {
	return {
		name: 'Words',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `return ${JSON.stringify(given)}.map((${word}) => ({ json: { ${word} } }));`,
		},
	};
}

/** What follows the bot: says to which word each item belongs. */
export const after: NodeSketch = {
	name: 'After',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: {
		assignments: {
			assignments: [
				{ id: '1', name: 'of', type: 'string', value: "={{ $('Words').item.json.keyword }}" },
			],
		},
		includeOtherFields: true,
		options: {},
	},
};

/** Runs the Product Scraper for the item's word, and sleeps. */
export function scrapeEach(options: Record<string, unknown> = {}, further = {}) {
	return runBot('1001', {
		inputMode: 'json',
		input: '={{ { keyword: $json.keyword, max_results: 1 } }}',
		options,
		...further,
	});
}

/** Waits until an execution is asleep. */
export async function asleep(client: N8nClient, executionId: string | undefined): Promise<string> {
	const execution = await client.waitForExecution(executionId ?? '', {
		until: ({ status, isOver }) => isOver || status === 'waiting',
	});
	if (execution.status !== 'waiting') {
		throw new Error(`The execution is ${execution.status}: ${execution.failure?.message}`);
	}
	return execution.executionId;
}

/** Ends the runs of these words, in this order. */
export async function finish({ sandbox }: Workbench, ...given: string[]): Promise<void> {
	for (const one of given) {
		const taskId = await waitUntil(
			async () =>
				(await sandbox.runs()).find(
					({ input, finishedAt }) => input.keyword === one && finishedAt === null,
				)?.taskId,
			{ timeout: 30_000, interval: 50, describe: () => `No run for ${one} was started` },
		);
		await sandbox.moveRun({ taskId, status: 'finished' });
	}
}

/** Retries a failed execution as a user does, and waits until the new one is over. */
export async function retry(client: N8nClient, executionId: string): Promise<Execution> {
	const answer = await client.request('POST', `/executions/${executionId}/retry`, {
		loadWorkflow: false,
	});
	return await client.waitForExecution(textOf(answer, 'id'), { timeout: 120_000 });
}

/** How many runs were started. */
export async function starts({ sandbox }: Workbench): Promise<number> {
	return (await sandbox.runs()).length;
}

/** What every supported n8n has to do with a sleeping execution, in each of its modes. */
export function describeWaiting(connect: () => WaitingStage): void {
	let bench: Workbench;
	let client: N8nClient;

	beforeAll(async () => {
		client = connect().client;
		bench = await openWorkbench(client);
	});

	beforeEach(async () => {
		await bench.sandbox.reset();
		await bench.sandbox.setDurations({ created: 0, running: null });
	});

	afterAll(async () => {
		await bench?.close();
	});

	/** Starts a workflow in the editor and waits until it sleeps. */
	async function sleepInEditor(
		definition: WorkflowDefinition,
		destination?: string,
	): Promise<{ workflow: StoredWorkflow; executionId: string }> {
		const workflow = await client.createWorkflow(definition);
		const executionId = await client.runManually(workflow, {
			trigger: manualTrigger.name,
			...(destination !== undefined && { destination }),
		});
		return { workflow, executionId: await asleep(client, executionId) };
	}

	/** Puts a run for the word `a` to sleep; answers with the address of its status page, too. */
	async function sleepWithPage(name: string): Promise<{ executionId: string; page: URL }> {
		const { executionId } = await sleepInEditor(
			workflowOf(name, [manualTrigger, words('a'), bench.botNode(scrapeEach()), after]),
		);
		const [bot] = (await client.execution(executionId)).runs('Bot');
		const { pathname, search } = new URL(textOf(bot?.metadata, 'resumeUrl'));
		return { executionId, page: new URL(pathname + search, connect().webhookUrl) };
	}

	/** Presses a button of the status page. */
	async function press(page: URL, name: string, value: string): Promise<Response> {
		return await fetch(page, { method: 'POST', body: new URLSearchParams([[name, value]]) });
	}

	it('wakes an active workflow with all results, in order and paired', async () => {
		const path = randomUUID();
		const workflow = await client.createWorkflow(
			workflowOf('Active', [
				{
					name: 'Hook',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					webhookId: path,
					parameters: { path, httpMethod: 'POST' },
				},
				words('a', 'b', 'c'),
				bench.botNode(scrapeEach()),
				after,
			]),
		);
		await client.activate(workflow);
		await fetch(`${connect().webhookUrl}/webhook/${path}`, { method: 'POST' });
		const [summary] = await client.waitForExecutions(workflow, 1, {
			until: ({ status }) => status === 'waiting',
		});
		await finish(bench, 'c', 'a', 'b');
		const execution = await client.waitForExecution(summary?.executionId ?? '');
		await client.deactivate(workflow);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('After').map(({ of }) => of)).toEqual(['a', 'b', 'c']);
		expect(execution.json('After').map(({ status }) => status)).toEqual(
			Array.from({ length: 3 }, () => 'finished'),
		);
		expect(await starts(bench)).toBe(3);
	});

	it('shows the runs that it waits for to whoever has the link in the editor', async () => {
		const { executionId, page } = await sleepWithPage('Watched');
		const shown = await fetch(page);
		expect(shown.status).toBe(200);
		expect(await shown.text()).toMatch(/running<\/span>\s*<strong>Run \d+<.*Live view.*Log/s);
		expect((await client.execution(executionId)).status).toBe('waiting');

		await finish(bench, 'a');
		const execution = await client.waitForExecution(executionId);
		expect(execution.json('After')).toEqual([expect.objectContaining({ of: 'a' })]);
	});

	it('wakes by Look now of the status page, which n8n then answers in the words that its script knows', async () => {
		await bench.sandbox.setCallbackFaults({ lose: 'all' });
		const { executionId, page } = await sleepWithPage('Looked at');
		await finish(bench, 'a');
		const answer = await press(page, 'action', 'look');
		const execution = await client.waitForExecution(executionId);
		await bench.sandbox.setCallbackFaults({});

		expect(answer.status).toBe(200);
		expect(await answer.text()).toContain('n8n goes on with the runs.');
		expect(execution.json('After')).toEqual([expect.objectContaining({ of: 'a' })]);
		const late = await fetch(page);
		expect([late.status, await late.text()]).toEqual([409, expect.stringContaining('finished')]);
	});

	it('ends with the run that was canceled on the status page', async () => {
		const { executionId, page } = await sleepWithPage('Canceled');
		const [run] = (await bench.sandbox.runs()).slice(-1);
		const answer = await press(page, 'cancel', run?.taskId ?? '');
		const execution = await client.waitForExecution(executionId);

		expect(await answer.text()).toContain('1 of 1 run canceled.');
		expect(execution.failure?.message).toContain('was cancelled');
		const late = await fetch(page);
		expect([late.status, await late.text()]).toEqual([
			409,
			expect.stringContaining('finished with error'),
		]);
	});

	it('wakes "Execute step", which ends with the step', async () => {
		const { executionId } = await sleepInEditor(
			workflowOf('Step', [manualTrigger, words('a'), bench.botNode(scrapeEach()), after]),
			'Bot',
		);
		await finish(bench, 'a');
		const execution = await client.waitForExecution(executionId);

		expect(execution.status).toBe('success');
		expect(execution.json('Bot')).toHaveLength(1);
		expect(execution.runs('After')).toHaveLength(0);
	});

	it('sends a failed run to the error output with the fields of its item', async () => {
		const node = bench.botNode(scrapeEach(), { onError: 'continueErrorOutput' });
		const { executionId } = await sleepInEditor(
			workflowOf('Error output', [manualTrigger, words('a', 'b'), node, after]),
		);
		const failing = (await bench.sandbox.runs()).find(({ input }) => input.keyword === 'a');
		await bench.sandbox.moveRun({ taskId: failing?.taskId ?? '', status: 'failed' });
		await finish(bench, 'b');
		const execution = await client.waitForExecution(executionId);

		expect(execution.status).toBe('success');
		expect(execution.json('After').map(({ of }) => of)).toEqual(['b']);
		expect(execution.json('Bot', 1)).toEqual([
			expect.objectContaining({
				keyword: 'a',
				error: expect.stringContaining(failing?.taskId ?? 'none'),
			}),
		]);
	});

	it('waits in a sub-workflow, whose parent goes on with its results', async () => {
		const child = await client.createWorkflow(
			workflowOf('Child', [
				{
					name: 'Called',
					type: 'n8n-nodes-base.executeWorkflowTrigger',
					typeVersion: 1.1,
					parameters: { inputSource: 'passthrough' },
				},
				bench.botNode(scrapeEach({}, { waitForCompletion: 'automatic' })),
			]),
		);
		await client.activate(child).catch(() => undefined);
		const parent = await client.createWorkflow(
			workflowOf('Parent', [
				manualTrigger,
				words('a', 'b'),
				{
					name: 'Call',
					type: 'n8n-nodes-base.executeWorkflow',
					typeVersion: 1.2,
					parameters: {
						workflowId: { __rl: true, mode: 'id', value: child.workflowId },
						mode: 'once',
						options: {},
					},
				},
			]),
		);
		const executionId = await client.runManually(parent, { trigger: manualTrigger.name });
		await finish(bench, 'a', 'b');
		const execution = await client.waitForExecution(executionId ?? '');

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Call').map(({ status }) => status)).toEqual(['finished', 'finished']);
	});

	it('sleeps once for each round of Loop Over Items', async () => {
		const definition = workflowOf('Loop', [
			manualTrigger,
			words('a', 'b', 'c'),
			{
				name: 'Loop',
				type: 'n8n-nodes-base.splitInBatches',
				typeVersion: 3,
				parameters: { batchSize: 1, options: {} },
			},
			bench.botNode(scrapeEach()),
		]);
		definition.connections = {
			...definition.connections,
			Loop: { main: [[], [{ node: 'Bot', type: 'main', index: 0 }]] },
			Bot: { main: [[{ node: 'Loop', type: 'main', index: 0 }]] },
		};
		const { executionId } = await sleepInEditor(definition);
		await finish(bench, 'a', 'b', 'c');
		const execution = await client.waitForExecution(executionId);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Loop', 0)).toHaveLength(3);
		const runs = await bench.sandbox.runs();
		expect(runs.map(({ input }) => input.keyword)).toEqual(['a', 'b', 'c']);
		expect(execution.json('Loop', 0).map(({ task_id }) => task_id)).toEqual(
			runs.map(({ taskId }) => taskId),
		);
	});

	it('starts more than the plan allows bit by bit, asleep in between', async () => {
		await bench.sandbox.setKey({ key: bench.sandbox.key, concurrency: 1 });
		const { executionId } = await sleepInEditor(
			workflowOf('Slots', [
				manualTrigger,
				words('a', 'b', 'c'),
				bench.botNode(scrapeEach()),
				after,
			]),
		);
		for (let ended = 0; ended < 3; ended++) {
			const open = await waitUntil(
				async () => (await bench.sandbox.runs()).find(({ finishedAt }) => finishedAt === null),
				{ timeout: 30_000, interval: 50, describe: () => `Run ${ended + 1} was not started` },
			);
			await bench.sandbox.moveRun({ taskId: open.taskId, status: 'finished' });
		}
		const execution = await client.waitForExecution(executionId);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('After').map(({ of }) => of)).toEqual(['a', 'b', 'c']);
		expect(await starts(bench)).toBe(3);
	});

	it('does what it did when it was put to sleep, although the workflow was edited', async () => {
		const { workflow, executionId } = await sleepInEditor(
			workflowOf('Edited', [manualTrigger, words('a'), bench.botNode(scrapeEach()), after]),
		);
		await client.updateWorkflow(
			workflow,
			workflowOf('Edited', [
				manualTrigger,
				bench.botNode({ resource: 'bot', operation: 'getAll' }),
			]),
		);
		await finish(bench, 'a');
		const execution = await client.waitForExecution(executionId);

		expect(execution.status).toBe('success');
		expect(execution.json('After')).toEqual([
			expect.objectContaining({ of: 'a', status: 'finished' }),
		]);
	});

	it('takes the runs up again when a failed execution is retried, and starts failed ones anew', async () => {
		const { executionId } = await sleepInEditor(
			workflowOf('Retried', [manualTrigger, words('a', 'b'), bench.botNode(scrapeEach()), after]),
		);
		const failing = (await bench.sandbox.runs()).find(({ input }) => input.keyword === 'b');
		await bench.sandbox.moveRun({ taskId: failing?.taskId ?? '', status: 'failed' });
		await finish(bench, 'a');
		const failed = await client.waitForExecution(executionId);
		expect(failed.status).toBe('error');

		await bench.sandbox.setDurations({ created: 0, running: 100 });
		const again = await retry(client, executionId);

		expect(again.failure).toBeUndefined();
		expect(again.json('After').map(({ of }) => of)).toEqual(['a', 'b']);
		const inputs = (await bench.sandbox.runs()).map(({ input }) => input.keyword);
		expect(inputs.sort()).toEqual(['a', 'b', 'b']);
	});

	it('ends at the limit with the run, never with the untouched input', async () => {
		const { executionId } = await sleepInEditor(
			workflowOf('Limit', [
				manualTrigger,
				words('a'),
				bench.botNode(scrapeEach({ waitLimit: 0.001 })),
				after,
			]),
		);
		const execution = await client.waitForExecution(executionId, { timeout: 150_000 });
		const [run] = await bench.sandbox.runs();
		const taskId = run?.taskId ?? 'none';

		if (connect().failsAtLimit) {
			expect(execution.status).toBe('error');
			expect(execution.failure?.message).toContain(`Run ${taskId} was still`);
			expect(execution.failure?.description).toContain('Wait for Completion');
		} else {
			expect(execution.json('Bot')).toEqual([
				expect.objectContaining({ error: expect.stringContaining(`Run ${taskId} was still`) }),
			]);
		}
	});

	it('continues at the limit with the run IDs where that is wanted', async () => {
		const { executionId } = await sleepInEditor(
			workflowOf('Limit', [
				manualTrigger,
				words('a', 'b'),
				bench.botNode(scrapeEach({ waitLimit: 0.001, atWaitLimit: 'continue' })),
				after,
			]),
		);
		const execution = await client.waitForExecution(executionId, { timeout: 150_000 });

		expect(execution.json('After')).toEqual([
			expect.objectContaining({ of: 'a', task_id: expect.any(String), timed_out: true }),
			expect.objectContaining({ of: 'b', task_id: expect.any(String), timed_out: true }),
		]);
	});

	it('cancels the runs when a polling execution is stopped', async () => {
		const workflow = await client.createWorkflow(
			workflowOf('Stopped', [
				manualTrigger,
				words('a', 'b'),
				bench.botNode(scrapeEach({}, { waitForCompletion: 'poll' })),
			]),
		);
		const executionId = (await client.runManually(workflow, { trigger: manualTrigger.name })) ?? '';
		await waitUntil(async () => (await starts(bench)) === 2 || undefined, {
			timeout: 30_000,
			interval: 50,
			describe: () => 'The runs were not started',
		});
		await client.stopExecution(executionId);
		await waitUntil(
			async () =>
				(await bench.sandbox.runs()).every(({ status }) => status === 'canceled') || undefined,
			{ timeout: 30_000, interval: 50, describe: () => 'The runs were not canceled' },
		);

		expect((await client.waitForExecution(executionId)).status).toBe('canceled');
	});

	it('polls where n8n’s address is private and the service’s is not, and says why', async () => {
		const credential = await client.createCredential('Public', 'browserAutomationApi', {
			baseUrl: 'http://service.example.com',
			apiKey: 'key',
		});
		const node = bench.botNode(scrapeEach({}, { waitForCompletion: 'sleep' }), {
			credentials: { browserAutomationApi: { id: credential.credentialId, name: 'Public' } },
		});
		const workflow = await client.createWorkflow(
			workflowOf('Private', [manualTrigger, words('a'), node]),
		);
		const execution = await runInEditor(client, workflow);

		expect(execution.status).toBe('error');
		expect(execution.failure?.message).toContain('cannot sleep');
		expect(execution.failure?.description).toContain('WEBHOOK_URL');
	});
}
