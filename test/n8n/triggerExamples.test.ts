import path from 'node:path';
import type { StoredWorkflow } from '../../n8n/client';
import { readWorkflowFile, withCredentials } from '../../n8n/workflow';
import { sharedClient } from './sharedServer';
import { addressesOf, triggered } from './triggerWorkflows';
import { openWorkbench, type Workbench } from './workbench';

let bench: Workbench;

beforeAll(async () => {
	bench = await openWorkbench(sharedClient());
});

afterAll(async () => {
	await bench?.close();
});

async function load(file: string): Promise<StoredWorkflow> {
	const definition = readWorkflowFile(path.join(__dirname, '../../examples', file));
	return await bench.client.createWorkflow(withCredentials(definition, [bench.credential]));
}

describe('the examples with triggers', () => {
	it('06: what the schedule starts is received by the trigger of the same workflow', async () => {
		const { client } = bench;
		const workflow = await load('06-schedule-a-scrape-and-receive-it.json');
		await client.activate(workflow);
		const started = await client.runManually(workflow, { trigger: 'Every Morning' });
		const start = await client.waitForExecution(started ?? '');
		expect(start.failure).toBeUndefined();
		const [run] = start.json('Start Product Scraper');

		const trigger = 'When the Run Has Ended';
		const [events] = await triggered(client, workflow, 1, trigger);
		const received = (await client.executions(workflow)).find(
			({ executionId }) => executionId !== started,
		);
		const execution = await client.execution(received?.executionId ?? '');
		await client.deactivate(workflow);

		expect(events?.[0]).toMatchObject({ event: 'runCompleted', task_id: run?.task_id });
		expect(execution.json('One Item per Product')).toHaveLength(5);
	});

	it('07: a finished run becomes a CSV file', async () => {
		const { client, sandbox } = bench;
		const { taskIds } = await sandbox.seedRuns({ count: 1, createdFrom: new Date().toISOString() });
		const workflow = await load('07-completed-run-to-a-file.json');
		const started = await client.runManually(workflow, { trigger: 'When a Run Has Finished' });
		const execution = await client.waitForExecution(started ?? '');
		expect(execution.failure).toBeUndefined();
		expect(execution.json('Download Its CSV')[0]).toMatchObject({ task_id: taskIds[0] });
		expect(Object.keys(execution.items('Download Its CSV')[0]?.binary ?? {})).toEqual(['csv']);
	});

	it('08: a failed run becomes a message that says why', async () => {
		const { client, sandbox } = bench;
		const { taskIds } = await sandbox.seedRuns({ count: 1, bot: '1004', statuses: ['failed'] });
		const workflow = await load('08-failed-run-to-an-alert.json');
		await client.activate(workflow);
		const { completedUrl } = await addressesOf(client, workflow);
		await fetch(completedUrl, {
			method: 'POST',
			headers: { 'content-type': 'application/json' },
			body: JSON.stringify({ task_id: taskIds[0], status: 'failed' }),
		});
		await triggered(client, workflow, 1, 'When a Run Has Failed');
		const [summary] = await client.executions(workflow);
		const execution = await client.execution(summary?.executionId ?? '');
		await client.deactivate(workflow);

		expect(execution.json('Write the Message')).toEqual([
			{
				subject: `Broken Login: run ${taskIds[0]} failed`,
				text: expect.stringContaining('the site refused the password'),
			},
		]);
	});
});
