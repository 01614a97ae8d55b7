import { callWebhook } from '../../n8n/callWebhook';
import type { StoredWorkflow } from '../../n8n/client';
import { waitUntil } from '../../n8n/waitUntil';
import { workflowOf } from '../../n8n/workflow';
import { chosen } from '../fixture/parameters';
import { sharedClient } from './sharedServer';
import {
	addressesOf,
	callbackTrigger,
	countExecutions,
	pollingTrigger,
	post,
	startAndTrigger,
	triggered,
	triggerLine,
} from './triggerWorkflows';
import { openWorkbench, runBot, type Workbench } from './workbench';

let bench: Workbench;

beforeAll(async () => {
	bench = await openWorkbench(sharedClient());
	await bench.sandbox.setDurations({ created: 20, running: 100, pausing: 20, resuming: 20 });
});

afterAll(async () => {
	await bench?.close();
});

const scrape = { input: JSON.stringify({ keyword: 'lamp', max_results: 2 }) };

async function call(path: string): Promise<void> {
	await callWebhook(bench.client.session.url, path);
}

describe('the trigger of runs that other nodes start', () => {
	it.each(['none', 'poll', 'automatic'])(
		'receives what “Trigger in This Workflow” notifies it of (%s)',
		async (waitForCompletion) => {
			const { client, botNode, credential } = bench;
			const path = `notify-${waitForCompletion}`;
			const workflow = await client.createWorkflow(
				startAndTrigger(
					path,
					botNode(runBot('1001', { ...scrape, waitForCompletion, notify: 'trigger' })),
					callbackTrigger(credential),
				),
			);
			await client.activate(workflow);
			await call(path);

			const [output] = await triggered(client, workflow, 1);
			await client.waitForExecutions(workflow, 2);
			const all = await triggered(client, workflow, 1);
			await client.deactivate(workflow);

			expect(all).toHaveLength(1);
			expect(output).toEqual([
				expect.objectContaining({
					event: 'runFinished',
					status: 'finished',
					task_id: expect.stringMatching(/^\d+$/),
					output: expect.any(Array),
				}),
			]);
			const failed = (await client.executions(workflow)).filter(({ status }) => status === 'error');
			expect(failed).toEqual([]);
		},
	);

	it('receives each status, and is told of by a manual run too while the workflow is active', async () => {
		const { client, botNode, credential } = bench;
		const workflow = await client.createWorkflow(
			startAndTrigger(
				'statuses',
				botNode(runBot('1003', { waitForCompletion: 'none', notify: 'trigger' })),
				callbackTrigger(credential, { events: ['runFinished', 'runStatusChanged'] }),
			),
		);
		await client.activate(workflow);
		const started = await client.runManually(workflow, { trigger: 'Hook', destination: 'Bot' });
		expect(started).toBeUndefined();
		await fetch(`${client.session.url}/webhook-test/statuses`, { method: 'POST' });

		const paused = await waitUntil(
			async () => {
				const outputs = (await triggered(client, workflow, 1)).flat();
				return outputs.find(({ status }) => status === 'paused');
			},
			{ timeout: 30_000, describe: () => 'The trigger was not told of the pause' },
		);
		const taskId = String(paused.task_id);
		await fetch(`${bench.sandbox.url}/v3/bots/runs/${taskId}/resume`, {
			method: 'POST',
			headers: { authorization: `Bearer ${bench.sandbox.key}` },
		});
		const events = await waitUntil(
			async () => {
				const outputs = (await triggered(client, workflow, 1)).flat();
				return outputs.some(({ event }) => event === 'runFinished') ? outputs : undefined;
			},
			{ timeout: 30_000, describe: () => 'The trigger was not told of the end' },
		);
		await client.deactivate(workflow);

		expect(events.every(({ task_id }) => task_id === taskId)).toBe(true);
		const ends = events.filter(({ status }) => status === 'finished');
		expect(ends.map(({ event }) => event).sort()).toEqual(expect.arrayContaining(['runFinished']));
	});

	it('is told of by Retry of an execution that failed', async () => {
		const { client, botNode, credential, sandbox } = bench;
		const starter = botNode(
			runBot('1001', { ...scrape, waitForCompletion: 'none', notify: 'trigger' }),
		);
		const workflow = await client.createWorkflow(
			startAndTrigger('retried', starter, callbackTrigger(credential)),
		);
		await client.activate(workflow);
		const path = '/runs$';
		await sandbox.addFault({
			kind: 'envelopeError',
			code: 10021,
			msg: 'not ready',
			path,
			times: 1,
		});
		await call('retried');
		const [failed] = await client.waitForExecutions(workflow, 1);
		const retried = await client.retryExecution(failed?.executionId ?? '');
		const { failure } = await client.waitForExecution(retried);
		expect(failed?.status).toBe('error');
		expect(failure).toBeUndefined();
		expect(await triggered(client, workflow, 1)).toHaveLength(1);
		await client.deactivate(workflow);
	});

	it('says what to do when the workflow has no active trigger', async () => {
		const { botNode, runLine } = bench;
		const execution = await runLine([botNode(runBot('1001', { ...scrape, notify: 'trigger' }))]);
		expect(execution.status).toBe('error');
		expect(execution.failure?.message).toBe(
			'No Browser Automation Trigger of this workflow is active',
		);
		expect(execution.failure?.description).toContain('publish (activate) the workflow');
	});

	it('takes its addresses back when the workflow is deactivated', async () => {
		const { client, credential } = bench;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		await client.deactivate(workflow);
		await expect(addressesOf(client, workflow)).rejects.toThrow('left no');
		const answer = await fetch(completedUrl, { method: 'POST' });
		expect(answer.status).toBe(404);
	});

	it('starts two workflows that were both given to the run of one bot', async () => {
		const { client, credential, sandbox } = bench;
		const create = async (): Promise<StoredWorkflow> =>
			await client.createWorkflow(
				triggerLine(
					callbackTrigger(credential, {
						events: ['runFinished'],
						filters: { bot: chosen('1001') },
					}),
				),
			);
		const workflows = [await create(), await create()];
		for (const workflow of workflows) await client.activate(workflow);
		const [first, second] = await Promise.all(
			workflows.map(async (workflow) => await addressesOf(client, workflow)),
		);
		await startRun('1001', first?.completedUrl, second?.statusUrl);
		await sandbox.callbacksSettled();
		for (const workflow of workflows) {
			expect(await triggered(client, workflow, 1)).toHaveLength(1);
			await client.deactivate(workflow);
		}
	});
});

describe('the trigger and callbacks that are not to be trusted', () => {
	it('starts exactly one execution for each of 200 runs whose callbacks come doubled, shuffled and 10 % forged', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 200 });
		const forged = Array.from({ length: 44 }, (_, index) => `forged-${index}`);
		const bodies = [...taskIds, ...taskIds, ...forged]
			.map((taskId) => ({ taskId, place: Math.random() }))
			.sort((a, b) => a.place - b.place)
			.map(({ taskId }) => taskId);
		const answers = new Map<number, number>();
		const lanes = Array.from({ length: 20 }, async () => {
			for (let taskId = bodies.pop(); taskId !== undefined; taskId = bodies.pop()) {
				const answer = await post(completedUrl, { task_id: taskId, status: 'finished' });
				answers.set(answer, (answers.get(answer) ?? 0) + 1);
			}
		});
		await Promise.all(lanes);
		await waitUntil(
			async () => ((await countExecutions(client, workflow)) >= 200 ? true : undefined),
			{ timeout: 60_000, describe: () => 'There are fewer than 200 executions' },
		);
		await client.deactivate(workflow);

		expect(await countExecutions(client, workflow)).toBe(200);
		expect(Object.fromEntries(answers)).toEqual({ 200: 400, 503: 44 });
	});

	it('answers 503 while the service cannot be asked, and takes the callback when it comes again', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 1 });
		const body = { task_id: taskIds[0], status: 'finished' };
		await sandbox.addFault({ kind: 'serverError', path: '^/v3/bots/runs/', times: 4 });
		expect(await post(completedUrl, body)).toBe(503);
		expect(await countExecutions(client, workflow)).toBe(0);
		expect(await post(completedUrl, body)).toBe(200);
		expect(await triggered(client, workflow, 1)).toHaveLength(1);
		await client.deactivate(workflow);
	});

	it('does not believe a status: a run that goes on has not ended, and a late status is marked', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(
			triggerLine(callbackTrigger(credential, { events: ['runFinished'] })),
		);
		await client.activate(workflow);
		const { completedUrl, statusUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 2, statuses: ['running', 'finished'] });
		const [going, over] = taskIds;
		expect(await post(completedUrl, { task_id: going, status: 'finished' })).toBe(200);
		expect(await countExecutions(client, workflow)).toBe(0);
		expect(await post(statusUrl, { task_id: over, status: 'running' })).toBe(200);
		expect(await triggered(client, workflow, 1)).toEqual([
			[
				expect.objectContaining({
					event: 'runFinished',
					task_id: over,
					status: 'finished',
					late: true,
				}),
			],
		]);
		await client.deactivate(workflow);
	});
});

describe('the trigger that starts its own run', () => {
	const own = {
		source: 'own',
		inputMode: 'json',
		start: 'bot',
		botId: chosen('1001'),
		input: scrape.input,
	};

	it('starts one run when the workflow is activated, with both addresses', async () => {
		const { client, credential, sandbox } = bench;
		const before = (await sandbox.runs()).length;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential, own)));
		await client.activate(workflow);
		const [output] = await triggered(client, workflow, 1);
		await client.deactivate(workflow);

		const started = (await sandbox.runs()).slice(before);
		expect(started).toHaveLength(1);
		expect(started[0]).toMatchObject({
			botId: '1001',
			callbackUrl: expect.stringMatching(/run-completed$/),
			statusCallbackUrl: expect.stringMatching(/run-status-changed$/),
		});
		expect(output?.[0]).toMatchObject({ event: 'runFinished', task_id: started[0]?.taskId });
	});

	it('cancels its run on deactivation when asked to', async () => {
		const { client, credential, sandbox } = bench;
		const before = (await sandbox.runs()).length;
		const workflow = await client.createWorkflow(
			triggerLine(
				callbackTrigger(credential, {
					...own,
					botId: chosen('1003'),
					input: '{}',
					options: { cancelOnDeactivation: true },
				}),
			),
		);
		await client.activate(workflow);
		await waitUntil(
			async () => ((await sandbox.runs())[before]?.status === 'paused' ? true : undefined),
			{ timeout: 10_000, describe: () => 'The run did not pause' },
		);
		await client.deactivate(workflow);
		expect((await sandbox.runs())[before]?.status).toBe('canceled');
	});

	it('starts one run when the first answer got lost and n8n tries again', async () => {
		const { client, credential, sandbox } = bench;
		const before = (await sandbox.runs()).length;
		await sandbox.addFault({
			kind: 'cutConnection',
			after: true,
			method: 'POST',
			path: '/runs$',
			times: 1,
		});
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential, own)));
		await client.activate(workflow);
		await triggered(client, workflow, 1).catch(() => undefined);
		await client.deactivate(workflow);
		expect((await sandbox.runs()).slice(before)).toHaveLength(1);
	});

	it('shows a real event within seconds in the editor', async () => {
		const { client, credential, sandbox } = bench;
		const before = (await sandbox.runs()).length;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential, own)));
		const begin = Date.now();
		expect(await client.runManually(workflow, { trigger: 'Trigger' })).toBeUndefined();
		const [output] = await triggered(client, workflow, 1);
		expect(Date.now() - begin).toBeLessThan(10_000);
		const started = (await sandbox.runs()).slice(before);
		expect(started).toHaveLength(1);
		expect(started[0]?.callbackUrl).toContain('/webhook-test/');
		expect(output?.[0]).toMatchObject({ event: 'runFinished', task_id: started[0]?.taskId });
	});

	it('says what is wrong when the bot cannot be started', async () => {
		const { client, credential } = bench;
		const workflow = await client.createWorkflow(
			triggerLine(callbackTrigger(credential, { ...own, botId: chosen('1005') })),
		);
		await expect(client.runManually(workflow, { trigger: 'Trigger' })).rejects.toThrow(
			/not published/,
		);
	});
});

describe('the files of a run', () => {
	const linesOfCsv = {
		name: 'Then',
		type: 'n8n-nodes-base.code',
		typeVersion: 2,
		parameters: {
			jsCode: `
				const csv = await this.helpers.getBinaryDataBuffer(0, 'csv');
				return csv.toString().trim().split('\\n').map((line) => ({ json: { line } }));
			`,
		},
	};
	const ofCsv = [
		expect.objectContaining({ mime_type: 'text/csv', property: 'csv', size: expect.any(Number) }),
	];

	it('come with a callback’s event when asked for, as binary fields for the next node', async () => {
		const { client, credential } = bench;
		const trigger = callbackTrigger(credential, { options: { downloadFiles: ['csv'] } });
		const workflow = await client.createWorkflow(workflowOf('Files', [trigger, linesOfCsv]));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		await startRun('1001', completedUrl, undefined);
		const [summary] = await client.waitForExecutions(workflow, 1);
		await client.deactivate(workflow);
		const execution = await client.execution(summary?.executionId ?? '');

		expect(execution.json('Trigger')).toEqual([expect.objectContaining({ files: ofCsv })]);
		expect(execution.json('Then')).toHaveLength(3);
	});

	it('come with a polled event, too', async () => {
		const { client, credential, sandbox } = bench;
		await sandbox.seedRuns({ count: 1, bot: '1001', statuses: ['finished'] });
		const trigger = pollingTrigger(credential, {
			filters: { bot: chosen('1001') },
			options: { downloadFiles: ['csv'] },
		});
		const workflow = await client.createWorkflow(workflowOf('Files', [trigger, linesOfCsv]));
		const executionId = await client.runManually(workflow, { trigger: 'Trigger' });
		const execution = await client.waitForExecution(executionId ?? '');

		expect(execution.json('Trigger')).toEqual([expect.objectContaining({ files: ofCsv })]);
		expect(execution.json('Then').length).toBeGreaterThan(1);
	});

	it('that cannot be downloaded do not keep an event from starting the workflow', async () => {
		const { client, credential, sandbox } = bench;
		const options = { downloadFiles: ['csv'], maxFileSize: 0.000001 };
		const workflow = await client.createWorkflow(
			triggerLine(callbackTrigger(credential, { options })),
		);
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 1 });
		expect(await post(completedUrl, { task_id: taskIds[0], status: 'finished' })).toBe(200);
		const [output] = await triggered(client, workflow, 1);
		await client.deactivate(workflow);

		expect(output).toEqual([
			expect.objectContaining({
				event: 'runFinished',
				files: [{ name: expect.any(String), error: expect.stringContaining('larger than') }],
			}),
		]);
	});
});

describe('the polling trigger', () => {
	it('gives the latest run that fits as an example in the editor', async () => {
		const { client, credential, sandbox } = bench;
		const { taskIds } = await sandbox.seedRuns({
			count: 2,
			bot: '1002',
			statuses: ['failed', 'finished'],
		});
		const workflow = await client.createWorkflow(
			triggerLine(
				pollingTrigger(credential, { events: ['runFailed'], filters: { bot: chosen('1002') } }),
			),
		);
		const executionId = await client.runManually(workflow, { trigger: 'Trigger' });
		const execution = await client.waitForExecution(executionId ?? '');
		expect(execution.json('Trigger')).toEqual([
			expect.objectContaining({ event: 'runFailed', task_id: taskIds[0], status: 'failed' }),
		]);
	});

	it('begins at its activation, or before it when asked to', async () => {
		const { client, credential, sandbox } = bench;
		const now = new Date().toISOString();
		const { taskIds } = await sandbox.seedRuns({ count: 3, bot: '1002', createdFrom: now });
		const filters = { bot: chosen('1002') };
		const fromNow = await client.createWorkflow(
			triggerLine(pollingTrigger(credential, { filters })),
		);
		const lookingBack = await client.createWorkflow(
			triggerLine(pollingTrigger(credential, { filters, options: { lookBack: 0.1 } })),
		);
		await client.activate(fromNow);
		await client.activate(lookingBack);
		const [events] = await triggered(client, lookingBack, 1);
		await client.deactivate(fromNow);
		await client.deactivate(lookingBack);
		expect(events?.map(({ task_id }) => task_id)).toEqual(expect.arrayContaining(taskIds));
		expect(await countExecutions(client, fromNow)).toBe(0);
	});
});

async function startRun(
	botId: string,
	completedUrl: string | undefined,
	statusUrl: string | undefined,
): Promise<void> {
	const answer = await fetch(`${bench.sandbox.url}/v3/bots/${botId}/runs`, {
		method: 'POST',
		headers: {
			authorization: `Bearer ${bench.sandbox.key}`,
			'content-type': 'application/json',
		},
		body: JSON.stringify({
			input: { keyword: 'lamp', max_results: 2 },
			callback_url: completedUrl,
			status_change_callback_url: statusUrl,
		}),
	});
	expect(answer.status).toBe(200);
	await answer.arrayBuffer();
}
