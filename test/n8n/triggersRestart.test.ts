import { N8nClient } from '../../n8n/client';
import { startN8n, type N8nServer } from '../../n8n/server';
import { waitUntil } from '../../n8n/waitUntil';
import { newestN8n } from '../../n8n/versions';
import { packedPackage } from './sharedServer';
import { describeTriggerScenarios } from './triggerScenarios';
import {
	addressesOf,
	afterOutage,
	callbackTrigger,
	ownRunTrigger,
	countExecutions,
	isAnsweredByTrigger,
	pollingTrigger,
	post,
	triggered,
	triggerLine,
} from './triggerWorkflows';
import { openWorkbench, type Workbench } from './workbench';

let server: N8nServer;
let bench: Workbench;

beforeAll(async () => {
	server = await startN8n({ version: newestN8n(), packages: [packedPackage()] });
	bench = await openWorkbench(await N8nClient.signIn(server.url));
}, 300_000);

afterAll(async () => {
	await bench?.close();
	await server?.remove();
});

/** An active workflow is there again some time after n8n answers. */
async function untilRegistered(url: string): Promise<void> {
	await waitUntil(async () => ((await isAnsweredByTrigger(url)) ? true : undefined), {
		timeout: 60_000,
		describe: () => 'The webhook is not there again',
	});
}

// In this n8n of its own a flood keeps no other test waiting.
describeTriggerScenarios(() => bench, 150);

describe('after a restart of n8n', () => {
	it('the trigger’s own run is the same one, and its end starts the workflow', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(triggerLine(ownRunTrigger(credential)));
		await client.activate(workflow);
		const run = (await sandbox.runs()).at(-1);
		const taskId = run?.taskId ?? '';
		await server.restart();
		await untilRegistered(run?.callbackUrl ?? '');
		await fetch(`${sandbox.url}/v3/bots/runs/${taskId}/cancel`, {
			method: 'POST',
			headers: { authorization: `Bearer ${sandbox.key}` },
		});
		const [output] = await triggered(client, workflow, 1);
		await client.deactivate(workflow);

		expect(output?.[0]).toMatchObject({ task_id: taskId, status: 'canceled' });
		expect((await sandbox.runs()).filter(({ botId }) => botId === '1003')).toHaveLength(1);
	});

	it('a callback that was taken before starts nothing again', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(triggerLine(callbackTrigger(credential)));
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		const { taskIds } = await sandbox.seedRuns({ count: 20 });
		await Promise.all(
			taskIds.map(async (task_id) => await post(completedUrl, { task_id, status: 'finished' })),
		);
		await triggered(client, workflow, 20);
		await server.kill();
		await server.start();
		await untilRegistered(completedUrl);
		for (const task_id of taskIds) {
			expect(await post(completedUrl, { task_id, status: 'finished' })).toBe(200);
		}
		await client.deactivate(workflow);
		expect(await countExecutions(client, workflow)).toBe(20);
	});

	it('each of twenty runs that ended while n8n was down is told once, though no callback comes', async () => {
		const { taskIds, told, executions } = await afterOutage(bench, server, 20);

		expect(told).toEqual(taskIds);
		expect(executions).toBe(20);
	});

	it('the polling trigger tells of each of 200 runs once, though n8n was off when they ended', async () => {
		const { client, credential, sandbox } = bench;
		const { taskIds: going } = await sandbox.seedRuns({ count: 50, statuses: ['running'] });
		const workflow = await client.createWorkflow(triggerLine(pollingTrigger(credential)));
		await client.activate(workflow);
		await server.kill();
		for (const taskId of going) await sandbox.moveRun({ taskId, status: 'finished' });
		const { taskIds: fresh } = await sandbox.seedRuns({
			count: 150,
			createdFrom: new Date().toISOString(),
			statuses: ['finished', 'failed', 'canceled'],
		});
		await server.start();
		const [events] = await triggered(client, workflow, 1);
		await server.restart();
		await waitUntil(
			async () =>
				(await sandbox.requests({ operation: 'run.getAll' })).length > 0 ? true : undefined,
			{ timeout: 60_000, describe: () => 'n8n did not poll' },
		);
		await client.deactivate(workflow);

		const told = (events ?? []).map(({ task_id }) => String(task_id)).sort();
		expect(told).toEqual([...going, ...fresh].sort());
		expect(await countExecutions(client, workflow)).toBe(1);
	});
});
