import { callWebhook } from '../../dev/n8n/callWebhook';
import { describeTriggers } from './triggerScenarios';
import { callbackTrigger, PublishedTrigger, startAndTrigger } from './triggerWorkflows';
import { useBench } from './useBench';
import { runBot, until } from './workbench';

const bench = useBench();

beforeAll(async () => {
	await bench().sandbox.setDurations({ created: 20, running: 100, pausing: 20, resuming: 20 });
});

describeTriggers(bench);

/** Publishes a workflow whose webhook starts a run that notifies the trigger beside it. */
async function notifying(path: string, botId: string, events: string[]): Promise<PublishedTrigger> {
	const starter = bench().botNode(runBot(botId, { waitForCompletion: 'none', notify: 'trigger' }));
	const trigger = callbackTrigger(bench().credential, { events });
	return await PublishedTrigger.publish(bench(), startAndTrigger(path, starter, trigger));
}

it('the trigger hears of each status, and of a manual run too while the workflow is active', async () => {
	const { client, sandbox } = bench();
	const events = ['runFinished', 'runStatusChanged'];
	const trigger = await notifying('statuses', '1003', events);
	const untilReported = async (what: object): Promise<Record<string, unknown>> =>
		await until(
			async () => {
				const reported = (await trigger.outputs(1)).flat();
				return reported.find((event) =>
					Object.entries(what).every(([key, value]) => event[key] === value),
				);
			},
			`a report of ${JSON.stringify(what)}`,
			30_000,
		);
	const started = await client.runManually(trigger.workflow, {
		trigger: 'Hook',
		destination: 'Bot',
	});
	expect(started).toBeUndefined();
	await callWebhook(client.session.url, 'statuses', {}, { isTest: true });

	const { task_id } = await untilReported({ status: 'paused' });
	await sandbox.moveRun({ taskId: String(task_id), status: 'finished' });
	await untilReported({ task_id, event: 'runFinished', status: 'finished' });
	await trigger.unpublish();
	expect(new Set(await trigger.reported(1))).toEqual(new Set([task_id]));
});

it('Retry of an execution that failed notifies the trigger', async () => {
	const { client, sandbox } = bench();
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
