import { callWebhook } from '../../dev/n8n/callWebhook';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { sharedServer } from './sharedServer';
import { describeTriggers } from './triggerScenarios';
import { callbackTrigger, PublishedTrigger, startAndTrigger } from './triggerWorkflows';
import { openWorkbench, runBot, type Workbench } from './workbench';

let bench: Workbench;

beforeAll(async () => {
	bench = await openWorkbench(sharedServer().client);
	await bench.sandbox.setDurations({ created: 20, running: 100, pausing: 20, resuming: 20 });
});

afterAll(async () => {
	await bench?.close();
});

describeTriggers(() => bench);

it('the trigger hears of each status, and of a manual run too while the workflow is active', async () => {
	const { client, credential, sandbox } = bench;
	const starter = bench.botNode(runBot('1003', { waitForCompletion: 'none', notify: 'trigger' }));
	const listening = callbackTrigger(credential, { events: ['runFinished', 'runStatusChanged'] });
	const workflow = startAndTrigger('statuses', starter, listening);
	const trigger = await PublishedTrigger.publish(bench, workflow);
	const untilTold = async (what: object): Promise<Record<string, unknown>> =>
		await waitUntil(
			async () => {
				const told = (await trigger.outputs(1)).flat();
				return told.find((event) =>
					Object.entries(what).every(([key, value]) => event[key] === value),
				);
			},
			{ timeout: 30_000, describe: () => `The trigger was not told of ${JSON.stringify(what)}` },
		);
	const started = await client.runManually(trigger.workflow, {
		trigger: 'Hook',
		destination: 'Bot',
	});
	expect(started).toBeUndefined();
	await fetch(`${client.session.url}/webhook-test/statuses`, { method: 'POST' });

	const { task_id } = await untilTold({ status: 'paused' });
	await sandbox.moveRun({ taskId: String(task_id), status: 'finished' });
	await untilTold({ task_id, event: 'runFinished', status: 'finished' });
	await trigger.unpublish();
	expect(new Set(await trigger.told(1))).toEqual(new Set([task_id]));
});

it('the trigger is told of by Retry of an execution that failed', async () => {
	const { client, sandbox } = bench;
	const trigger = await notifying('retried', '1008', ['runFinished']);
	const fault = { kind: 'envelopeError', code: 10021, msg: 'not ready' } as const;
	await sandbox.addFault({ ...fault, path: '/runs$', times: 1 });
	await callWebhook(client.session.url, 'retried');
	const [failed] = await client.waitForExecutions(trigger.workflow, 1);
	expect(failed?.status).toBe('error');
	const retried = await client.retryExecution(failed?.executionId ?? '');
	expect((await client.waitForExecution(retried)).failure).toBeUndefined();
	expect(await trigger.outputs(1)).toHaveLength(1);
	await trigger.unpublish();
});
