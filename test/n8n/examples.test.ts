import { readFile } from 'node:fs/promises';
import path from 'node:path';
import {
	exampleFiles,
	importExample,
	setExampleStage,
	type ExampleStage,
} from '../../demo/examples';
import type { N8nClient, StoredWorkflow } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { startSandbox, type Sandbox } from '../../sandbox/server';
import { sharedClient, sharedFolder } from './sharedServer';
import { triggered } from './triggerWorkflows';

/** The examples as they are, on the stage that the demo sets for them. */
let client: N8nClient;
let sandbox: Sandbox;
let stage: ExampleStage;

beforeAll(async () => {
	client = sharedClient();
	sandbox = await startSandbox({ durations: { created: 50, running: 1_000 } });
	stage = await setExampleStage(client, sandbox);
});

afterAll(async () => {
	await stage?.close();
	await sandbox?.close();
});

async function load(number: string): Promise<StoredWorkflow> {
	const file = exampleFiles().find((name) => name.startsWith(number)) ?? '';
	return await importExample(client, file, stage.credentials);
}

/** Starts a workflow as a user would with the button in the editor. */
async function start(workflow: StoredWorkflow): Promise<string> {
	const trigger = workflow.definition.nodes.find(({ type }) => /trigger$/i.test(String(type)));
	return (await client.runManually(workflow, { trigger: trigger?.name ?? '' })) ?? '';
}

async function run(workflow: StoredWorkflow): Promise<Execution> {
	const execution = await client.waitForExecution(await start(workflow), { timeout: 120_000 });
	expect(execution.failure).toBeUndefined();
	expect(execution.status).toBe('success');
	return execution;
}

it('01: the products of a shop are items', async () => {
	const execution = await run(await load('01'));
	expect(execution.json('Pick the Columns')).toHaveLength(5);
	expect(execution.json('Pick the Columns')[0]).toMatchObject({ price: expect.any(Number) });
});

it('02: fifty runs, of which five fail, leave by the right output and in order', async () => {
	const execution = await run(await load('02'));

	const jobs = Array.from({ length: 50 }, (_, index) => index + 1);
	const found = execution.json('Products Found');
	expect(found).toEqual(jobs.filter((job) => job % 10 !== 0).map((job) => ({ job, products: 2 })));
	const failed = execution.json('What Went Wrong');
	expect(failed.map(({ job }) => job)).toEqual([10, 20, 30, 40, 50]);
	for (const { reason } of failed) expect(reason).toMatch(/\d+.*the site refused the password/);
});

it('03: the CSV file of a run is on the disk', async () => {
	const execution = await run(await load('03'));

	const [{ fileName } = { fileName: '' }] = execution.json('Write the CSV File');
	const text = await readFile(path.join(sharedFolder(), String(fileName)), 'utf8');
	const lines = text.trim().split('\n');
	expect(lines[0]).toContain('title');
	expect(lines).toHaveLength(21);
});

it('04: wakes, waits for the person, thanks them, resumes and waits again', async () => {
	const executionId = await start(await load('04'));
	const asked = await client.waitForExecution(executionId, {
		until: (execution) =>
			execution.isOver || execution.runs('Until They Are Done').at(-1)?.status === 'waiting',
	});
	const message = String(asked.json('Message for a Person')[0]?.message);
	expect(message).toMatch(/The run needs you: http/);
	const link = /Press when done: (\S+)/.exec(message)?.[1] ?? '';
	const answer = await fetch(link);
	expect({ status: answer.status, text: await answer.text() }).toEqual({
		status: 200,
		text: expect.stringContaining('Thank you!'),
	});
	const execution = await client.waitForExecution(executionId);

	expect(execution.failure).toBeUndefined();
	expect(execution.json('Wait Again')).toEqual([expect.objectContaining({ status: 'finished' })]);
});

it('05: the agent runs the bot and answers from its rows', async () => {
	const execution = await run(await load('05'));

	expect(execution.json('Shopping Assistant')[0]?.output).toMatch(
		/^The cheapest of 3 is .*desk lamp.*, for \d/,
	);
	const inputs = (await sandbox.runs()).map(({ input }) => input);
	expect(inputs).toContainEqual(expect.objectContaining({ keyword: 'desk lamp', max_results: 3 }));
});

it('06: what the schedule starts is received by the trigger of the same workflow', async () => {
	const workflow = await load('06');
	const started = await start(workflow);
	const begun = await client.waitForExecution(started);
	expect(begun.failure).toBeUndefined();
	const [own] = begun.json('Start Product Scraper');

	const [events] = await triggered(client, workflow, 1, 'When the Run Has Ended');
	const received = (await client.executions(workflow)).find(
		({ executionId }) => executionId !== started,
	);
	const execution = await client.execution(received?.executionId ?? '');
	await client.deactivate(workflow);

	expect(events?.[0]).toMatchObject({ event: 'runCompleted', task_id: own?.task_id });
	expect(execution.json('One Item per Product')).toHaveLength(5);
});

it('07: a finished run becomes a CSV file', async () => {
	const execution = await run(await load('07'));

	expect(execution.json('Download Its CSV')[0]).toMatchObject({ status: 'finished' });
	expect(Object.keys(execution.items('Download Its CSV')[0]?.binary ?? {})).toEqual(['csv']);
});

it('08: a failed run becomes a message that says why', async () => {
	const execution = await run(await load('08'));

	expect(execution.json('Write the Message')).toEqual([
		{
			subject: expect.stringMatching(/^Broken Login: run \d+ failed$/),
			text: expect.stringContaining('the site refused the password'),
		},
	]);
});

it('09: only what is new becomes a message', async () => {
	const workflow = await load('09');

	expect((await run(workflow)).json('Write the Message')).toEqual([
		{ subject: '5 new products', text: expect.stringMatching(/^(.+desk lamp.+\n?){5}$/) },
	]);
	const again = await run(workflow);
	expect(again.json('Run Product Scraper')).toHaveLength(5);
	expect(again.json('Write the Message')).toEqual([]);
});

it('10: each product is a row of the table, however often it is found', async () => {
	const workflow = await load('10');

	const ids = async (): Promise<unknown[]> =>
		(await run(workflow)).json('Add or Update Its Row').map(({ id }) => id);
	const first = await ids();
	expect(new Set(first).size).toBe(5);
	expect(await ids()).toEqual(first);
});
