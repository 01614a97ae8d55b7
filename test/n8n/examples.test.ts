import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fetchAlone } from '../../dev/fetchAlone';
import {
	exampleFiles,
	importExample,
	setExampleSetup,
	type ExampleSetup,
} from '../../dev/demo/examples';
import { callWebhook } from '../../dev/n8n/callWebhook';
import type { Credential, StoredWorkflow } from '../../dev/n8n/client';
import type { Execution } from '../../dev/n8n/execution';
import { n8nVersions } from '../../dev/n8n/versions';
import { withCredentials, workflowOf, type WorkflowDefinition } from '../../dev/n8n/workflow';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';
import { ACTION } from '../fixture/nodeTypes';
import { sharedServer, type SharedServer } from './sharedServer';
import { triggered } from './triggerWorkflows';
import { manualTrigger, runBot } from './workbench';

/** What a case has at hand: an n8n, the service, and the example itself, imported. */
interface Scene extends SharedServer {
	sandbox: Sandbox;
	workflow: StoredWorkflow;
	credentials: Credential[];
	/** Starts the example, or another workflow, as a user would with the button in the editor. */
	start(workflow?: StoredWorkflow): Promise<string>;
	/** The same; it has to end well. */
	run(workflow?: StoredWorkflow): Promise<Execution>;
}

/** How long runs take, in milliseconds. */
const DURATIONS = { created: 50, running: 1_000 };

const CASES: Readonly<Record<string, (scene: Scene) => Promise<void>>> = {
	'01: the products of a shop are items': async ({ run }) => {
		const execution = await run();
		const row = {
			product: expect.stringContaining('desk lamp'),
			price: expect.any(Number),
			currency: 'USD',
			rating: expect.any(Number),
			link: expect.stringMatching(/^https:/),
		};
		expect(execution.json('Pick the Columns')).toEqual([row, row, row, row, row]);
	},
	'02: fifty runs, of which five fail, leave by the right output and in order': async ({ run }) => {
		const execution = await run();
		const jobs = Array.from({ length: 50 }, (_, index) => index + 1);
		const found = execution.json('Products Found');
		expect(found).toEqual(
			jobs.filter((job) => job % 10 !== 0).map((job) => ({ job, products: 2 })),
		);
		const failed = execution.json('What Went Wrong');
		expect(failed.map(({ job }) => job)).toEqual([10, 20, 30, 40, 50]);
		for (const { reason } of failed) expect(reason).toMatch(/\d+.*the site refused the password/);
	},
	'03: the CSV file of a run is on the disk': async ({ folder, run }) => {
		const execution = await run();
		const [{ fileName } = { fileName: '' }] = execution.json('Write the CSV File');
		const text = await readFile(path.join(folder, String(fileName)), 'utf8');
		const lines = text.trim().split('\n');
		expect(lines[0]).toContain('title');
		expect(lines).toHaveLength(21);
	},
	'04: resumes, waits for the person, thanks them, resumes and waits again': async ({
		client,
		start,
	}) => {
		const executionId = await start();
		const asked = await client.waitForExecution(executionId, {
			until: (execution) =>
				execution.isOver || execution.runs('Until They Are Done').at(-1)?.status === 'waiting',
		});
		const message = String(asked.json('Message for a Person')[0]?.message);
		expect(message).toMatch(/The run needs you: http/);
		const link = /Press when done: (\S+)/.exec(message)?.[1] ?? '';
		const answer = await fetchAlone(link);
		expect({ status: answer.status, text: await answer.text() }).toEqual({
			status: 200,
			text: expect.stringContaining('Thank you!'),
		});
		const execution = await client.waitForExecution(executionId);

		expect(execution.failure).toBeUndefined();
		expect(execution.json('Wait Again')).toEqual([expect.objectContaining({ status: 'finished' })]);
	},
	'05: the agent runs the bot and answers from its rows': async ({ sandbox, run }) => {
		const execution = await run();
		expect(execution.json('Shopping Assistant')[0]?.output).toMatch(
			/^The cheapest of 3 is .*desk lamp.*, for \d/,
		);
		const inputs = (await sandbox.runs()).map(({ input }) => input);
		expect(inputs).toContainEqual(
			expect.objectContaining({ keyword: 'desk lamp', max_results: 3 }),
		);
	},
	'06: what the schedule starts is received by the trigger of the same workflow': async ({
		client,
		workflow,
		start,
	}) => {
		const started = await start();
		const begun = await client.waitForExecution(started);
		expect(begun.failure).toBeUndefined();
		const [own] = begun.json('Start Product Scraper');

		const [events] = await triggered(client, workflow, 1, 'When the Run Has Ended');
		const received = (await client.executions(workflow)).find(
			({ executionId }) => executionId !== started,
		);
		const execution = await client.execution(received?.executionId ?? '');
		await client.deactivate(workflow);

		expect(events?.[0]).toMatchObject({ event: 'runFinished', task_id: own?.task_id });
		expect(execution.json('One Item per Product')).toHaveLength(5);
	},
	'07: a finished run becomes a CSV file': async ({ run }) => {
		const execution = await run();
		expect(execution.json('Download Its CSV')[0]).toMatchObject({ status: 'finished' });
		expect(Object.keys(execution.items('Download Its CSV')[0]?.binary ?? {})).toEqual(['csv']);
	},
	'08: a failed run becomes a message that says why': async ({ run }) => {
		const execution = await run();
		expect(execution.json('Write the Message')).toEqual([
			{
				subject: expect.stringMatching(/^Broken Login: run \d+ failed$/),
				text: expect.stringContaining('the site refused the password'),
			},
		]);
	},
	'09: only what is new becomes a message': async ({ run }) => {
		expect((await run()).json('Write the Message')).toEqual([
			{ subject: '5 new products', text: expect.stringMatching(/^(.+desk lamp.+\n?){5}$/) },
		]);
		const again = await run();
		expect(again.runs('Run Product Scraper')).toHaveLength(1);
		expect(again.json('Run Product Scraper')).toEqual([]);
		expect(again.json('Write the Message')).toEqual([]);
	},
	'10: each product is a row of the table, however often it is found': async ({ run }) => {
		const ids = async (): Promise<unknown[]> =>
			(await run()).json('Add or Update Its Row').map(({ id }) => id);
		const first = await ids();
		expect(new Set(first).size).toBe(5);
		expect(await ids()).toEqual(first);
	},
	'11: each product comes as a row with the columns of the sheet': async ({ run }) => {
		const row = {
			link: expect.stringMatching(/^https:/),
			product: expect.stringContaining('desk lamp'),
			price: expect.any(Number),
		};
		expect((await run()).json('Pick the Columns')).toEqual([row, row, row, row, row]);
	},
	'12: a caller is answered with the rows, or with the reason': async ({
		client,
		url,
		workflow,
	}) => {
		await client.runManually(workflow, { trigger: 'Ask' });
		const given = { keyword: 'desk lamp' };
		expect(JSON.parse(await callWebhook(url, 'ask', given, { isTest: true }))).toHaveLength(5);

		await client.activate(workflow);
		const ask = async (body: object): Promise<unknown> =>
			JSON.parse(await callWebhook(url, 'ask', body));
		const rows = await ask(given);
		const refused: unknown = await ask({ keyword: 7 }).catch(({ message }) => message);
		await client.deactivate(workflow);

		expect(rows).toHaveLength(5);
		expect(rows).toContainEqual(
			expect.objectContaining({ title: expect.stringContaining('desk lamp') }),
		);
		expect(refused).toMatch(/answered 502: .*keyword/);
	},
	'13: each open run comes with the execution that waits for it, or without one': async ({
		client,
		sandbox,
		workflow,
		start,
		run,
	}) => {
		await sandbox.setDurations({ created: 0, running: null });
		const lists = workflow.definition.nodes.find(({ name }) => name === 'Open Runs');
		const node = { ...lists, name: 'Bot', type: ACTION, parameters: runBot('1008') };
		const definition = workflowOf('Sleeps', [manualTrigger, node]);
		const suspension = await client.createWorkflow(definition);
		const executionId = await start(suspension);
		await client.waitForExecution(executionId, { until: ({ status }) => status === 'waiting' });
		const taskId = (await sandbox.runs()).at(-1)?.taskId ?? '';
		const createdFrom = new Date().toISOString();
		await sandbox.seedRuns({ count: 1, createdFrom, statuses: ['running'] });

		const listed = (await run()).json('What Waits for Them');
		expect(listed).toContainEqual({
			bot: 'Inbox Watcher',
			run: taskId,
			status: 'running',
			since: expect.any(String),
			workflow: 'Sleeps',
			execution: executionId,
			status_page: expect.stringContaining(`/webhook-waiting/${executionId}/watch?`),
		});
		const alone = { execution: null, status_page: null, workflow: 'None waits for it' };
		expect(listed).toContainEqual(expect.objectContaining(alone));
		const page = listed.find(({ run }) => run === taskId)?.status_page;
		expect(await (await fetchAlone(String(page))).text()).toContain(`Run ${taskId}`);

		for (const { run: open } of listed) {
			await sandbox.moveRun({ taskId: String(open), status: 'finished' });
		}
		await client.waitForExecution(executionId);
		await sandbox.setDurations(DURATIONS);
	},
	'14: the agent finds a template, reads its input, runs it and answers from its rows': async ({
		sandbox,
		run,
	}) => {
		const execution = await run();
		expect(execution.json('Web Assistant')[0]?.output).toMatch(
			/^The cheapest of 3 is .*desk lamp.*, for \d/,
		);
		expect(await sandbox.runs()).toContainEqual(
			expect.objectContaining({
				botId: '2001',
				input: expect.objectContaining({ keyword: 'desk lamp', max_results: 3 }),
			}),
		);
	},
	'15: a workflow that is pasted into the form comes back with other nodes, and runs': async ({
		client,
		url,
		workflow,
		credentials,
		run,
	}) => {
		await client.runManually(workflow, { trigger: 'Paste a Workflow' });
		const form = new FormData();
		form.set('field-0', JSON.stringify(OLD_WORKFLOW));
		const { webhookId }: { webhookId?: string } = Object(
			workflow.definition.nodes.find(isFormTrigger),
		);
		const answer = await fetchAlone(`${url}/form-test/${webhookId}`, {
			method: 'POST',
			body: form,
		});
		const { formWaitingUrl }: { formWaitingUrl: string } = Object(await answer.json());
		// n8n leaves a request without an answer while the execution is running.
		const [, executionId = ''] = /\/form-waiting\/(\d+)/.exec(formWaitingUrl) ?? [];
		await client.waitForExecution(executionId, { until: ({ status }) => status === 'waiting' });
		const page = await (await fetchAlone(formWaitingUrl)).text();
		const [, text = ''] = /<textarea[^>]*>([^]*)<\/textarea>/.exec(page) ?? [];
		expect(page).toContain('<li>Choose your credential');
		await fetchAlone(formWaitingUrl, { method: 'POST' });

		const moved: WorkflowDefinition = JSON.parse(
			text.replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
		);
		const stored = await client.createWorkflow(withCredentials(moved, credentials));
		expect((await run(stored)).json('Read the Result')).toEqual([
			{ text: expect.stringContaining('<b> & lamp') },
		]);
	},
};

/** A workflow with BrowserAct's own node. */
const OLD_WORKFLOW = workflowOf('Moves Over', [
	manualTrigger,
	{
		name: 'Find Offers',
		type: 'n8n-nodes-browseract.browserAct',
		parameters: {
			type: 'WORKFLOW',
			workflowId: '1001',
			workflowConfig: {
				value: { 'input-keyword': '<b> & lamp' },
				schema: [{ id: 'input-keyword', displayName: 'keyword', type: 'string' }],
			},
		},
	},
	{
		name: 'Read the Result',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: '={{ { text: $json.output.string } }}', options: {} },
	},
]);

function isFormTrigger({ type }: { type: string }): boolean {
	return type === 'n8n-nodes-base.formTrigger';
}

/** What an example ends in that needs an account of somebody else, so it is deactivated in the file. */
const ELSEWHERE = /^n8n-nodes-base\.(googleSheets|slack|emailSend)$/;

/** Those that this n8n can run are run as they are, on the setup that the demo sets for them. */
describe.each(n8nVersions)('the examples in n8n %s', (version) => {
	let server: SharedServer;
	let sandbox: Sandbox;
	let setup: ExampleSetup;

	beforeAll(async () => {
		server = sharedServer(version);
		sandbox = await startSandbox({ durations: DURATIONS });
		setup = await setExampleSetup(server.client, sandbox);
	});

	afterAll(async () => {
		await setup?.close();
		await sandbox?.close();
	});

	it.each(
		exampleFiles(version).map((file) => {
			const isOf = ([title]: [string, unknown]): boolean => title.startsWith(file.slice(0, 2));
			const [title, check] = Object.entries(CASES).find(isOf) ?? [file, undefined];
			return { file, title, check };
		}),
	)('$title', async ({ file, check }) => {
		if (check === undefined) throw new Error(`No case shows what comes of ${file}`);
		const workflow = await importExample(server.client, file, setup.credentials);
		const elsewhere = workflow.definition.nodes.filter(({ type }) => ELSEWHERE.test(type));
		for (const { name, disabled } of elsewhere) expect([name, disabled]).toEqual([name, true]);
		const { client } = server;
		const start = async ({ definition, ...stored } = workflow): Promise<string> => {
			const trigger = definition.nodes.find(({ type }) => /trigger$/i.test(String(type)));
			const begun = { trigger: trigger?.name ?? '' };
			return (await client.runManually({ definition, ...stored }, begun)) ?? '';
		};
		const run = async (other = workflow): Promise<Execution> => {
			const execution = await client.waitForExecution(await start(other), { timeout: 120_000 });
			expect(execution.failure).toBeUndefined();
			expect(execution.status).toBe('success');
			return execution;
		};
		await check({ ...server, ...setup, sandbox, workflow, start, run });
	});
});
