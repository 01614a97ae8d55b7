import { callWebhook } from '../../n8n/callWebhook';
import path from 'node:path';
import type { Credential, N8nClient } from '../../n8n/client';
import type { Execution } from '../../n8n/execution';
import { textOf } from '../../n8n/json';
import { readWorkflowFile, withCredentials, workflowOf } from '../../n8n/workflow';
import { signingCredential } from '../fixture/credentials';
import { openWorkbench, runBot, type Workbench } from './workbench';

const example = path.join(__dirname, '../../examples/01-run-a-bot-and-get-rows.json');
const scrape = { input: JSON.stringify({ keyword: 'lamp', max_results: 3 }) };

/** The main job, which every supported n8n has to do: start a bot, wait for it, pass its result on. */
export function describeMainJob(connect: () => N8nClient, webhookPath: string): void {
	let bench: Workbench;

	beforeAll(async () => {
		bench = await openWorkbench(connect());
	});

	afterAll(async () => {
		await bench?.close();
	});

	it('runs the first example: asleep until the callback, then one item for each row', async () => {
		const { client, credential, sandbox } = bench;
		const workflow = await client.createWorkflow(
			withCredentials(readWorkflowFile(example), [credential]),
		);
		const executionId = await client.runManually(workflow, {
			trigger: 'When clicking ‘Execute workflow’',
		});
		const asleep = await client.waitForExecution(executionId ?? '', {
			until: (execution) => execution.status === 'waiting',
		});
		const over = await client.waitForExecution(asleep.executionId);

		expect(over.failure).toBeUndefined();
		expect(over.status).toBe('success');
		const row = {
			product: expect.stringContaining('desk lamp'),
			price: expect.any(Number),
			currency: 'USD',
			rating: expect.any(Number),
			link: expect.stringMatching(/^https:/),
		};
		expect(over.json('Pick the Columns')).toEqual([row, row, row, row, row]);
		const taskId = (await sandbox.runs()).at(-1)?.taskId;
		expect(await sandbox.callbacks()).toContainEqual(
			expect.objectContaining({ taskId, outcome: 'accepted' }),
		);
	});

	it('does the same in an active workflow', async () => {
		const { client, botNode } = bench;
		const workflow = await client.createWorkflow(
			workflowOf('Active', [
				{
					name: 'Hook',
					type: 'n8n-nodes-base.webhook',
					typeVersion: 2,
					webhookId: webhookPath,
					parameters: { path: webhookPath, httpMethod: 'POST' },
				},
				botNode(runBot('1001', scrape)),
			]),
		);
		await client.activate(workflow);
		await callWebhook(client.session.url, webhookPath);

		const [summary] = await client.waitForExecutions(workflow, 1);
		const execution = await client.execution(summary?.executionId ?? '');
		await client.deactivate(workflow);

		expect(execution).toMatchObject({ status: 'success', mode: 'webhook', failure: undefined });
		expect(execution.json('Bot')).toEqual([
			expect.objectContaining({ status: 'finished', output: expect.any(Array) }),
		]);
	});

	it('polls instead, without asking for a callback', async () => {
		const { botNode, runLine, sandbox } = bench;
		const before = (await sandbox.callbacks()).length;

		const execution = await runLine([
			botNode(runBot('1001', { ...scrape, waitForCompletion: 'poll' })),
		]);

		expect(execution).toMatchObject({ status: 'success', failure: undefined });
		expect(execution.json('Bot')).toEqual([
			expect.objectContaining({ status: 'finished', output: expect.any(Array) }),
		]);
		expect(await sandbox.callbacks()).toHaveLength(before);
	});

	it('gives the rows of a run whose details are behind its status, and keeps a record whole', async () => {
		const { botNode, runLine, sandbox } = bench;
		const record = { title: 'a', price: 1, reviews: [{ stars: 5 }, { stars: 4 }] };
		await sandbox.setOutput({ bot: '1011', output: record, outputSchema: null });
		await sandbox.addFault({ kind: 'lagging', path: '^/v3/bots/runs/\\d+$', times: 2 });
		const outputOf = async (further: object): Promise<unknown> => {
			const parameters = { input: '{}', output: 'rows', ...further };
			const execution = await runLine([botNode(runBot('1011', parameters))]);
			expect(execution.failure).toBeUndefined();
			return execution.json('Bot');
		};

		expect(await outputOf({})).toEqual([record]);
		const options = { rowsFrom: { __rl: true, mode: 'list', value: 'reviews' }, keepOthers: true };
		expect(await outputOf({ options, waitForCompletion: 'poll' })).toEqual([
			{ title: 'a', price: 1, stars: 5 },
			{ title: 'a', price: 1, stars: 4 },
		]);
	});

	it.each(['automatic', 'poll'])(
		'fails with the run and the reason when the bot fails (%s)',
		async (waitForCompletion) => {
			const { botNode, runLine, sandbox } = bench;

			const execution = await runLine([botNode(runBot('1004', { waitForCompletion }))]);

			const taskId = (await sandbox.runs()).at(-1)?.taskId ?? 'none';
			expect(execution.status).toBe('error');
			expect(execution.lastNode).toBe('Bot');
			expect(execution.failure?.message).toContain(taskId);
			expect(execution.failure?.message).toContain('the site refused the password');
			expect(execution.failure?.description).toBeTruthy();
		},
	);

	it('refuses a wrong key with the message of the service, in the test and in a run', async () => {
		const { client, sandbox, botNode } = bench;
		const data = { baseUrl: sandbox.url, apiKey: 'wrong-key' };
		const wrong = await client.createCredential('Wrong', 'browserAutomationApi', data);
		const refusal = await fetch(`${sandbox.url}/v3/bots`, {
			headers: { authorization: 'Bearer wrong-key' },
		});
		const msg = textOf(await refusal.json(), 'msg');

		const test = await client.testCredential(wrong, data);
		expect(test).toEqual({ isOk: false, message: expect.stringContaining(msg) });

		const execution = await bench.runLine([
			botNode(runBot('1001', scrape), {
				credentials: { browserAutomationApi: { id: wrong.credentialId, name: wrong.name } },
			}),
		]);
		expect(execution.status).toBe('error');
		expect(`${execution.failure?.message} ${execution.failure?.description}`).toContain(msg);
	});

	it('shows the fields of an operation before it has run', async () => {
		const { url } = bench.client.session;
		const { type, typeVersion } = bench.botNode({});
		const schema = `${type}/${typeVersion}.0/bot/get.json`;
		const answer = await fetch(`${url}/schemas/${schema}`);

		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({
			type: 'object',
			properties: { bot_id: { type: 'string' }, input_schema: { type: 'object' } },
		});
	});

	it('accepts the right key', async () => {
		const { client, credential, sandbox } = bench;

		const test = await client.testCredential(credential, {
			baseUrl: sandbox.url,
			apiKey: 'sandbox-key',
		});

		expect(test.isOk).toBe(true);
	});

	it('HTTP Request may send the key nowhere, unless its owner allows a domain', async () => {
		const { client, credential, sandbox } = bench;
		const { type } = credential;
		const widened = await client.createCredential('Widened', type, {
			baseUrl: sandbox.url,
			apiKey: sandbox.key,
			allowedHttpRequestDomains: 'domains',
			allowedDomains: new URL(sandbox.url).hostname,
		});
		await sandbox.clearRequests();
		const sentWith = async ({ credentialId: id, name }: Credential): Promise<Execution> =>
			await bench.runLine([
				{
					name: 'HTTP Request',
					type: 'n8n-nodes-base.httpRequest',
					typeVersion: 4.2,
					parameters: {
						url: `${sandbox.url}/v3/bots`,
						authentication: 'predefinedCredentialType',
						nodeCredentialType: type,
						options: {},
					},
					credentials: { [type]: { id, name } },
				},
			]);
		// One after the other: n8n 1.123 cannot begin two transactions at once in SQLite.
		const refused = await sentWith(credential);
		const allowed = await sentWith(widened);

		expect(refused.failure?.message).toMatch(
			/^This credential is configured to prevent use within an HTTP Request/,
		);
		expect(allowed).toMatchObject({ status: 'success', failure: undefined });
		expect(await sandbox.requests()).toHaveLength(1);
	});

	it('tests a signing credential that HTTP Request may not use', async () => {
		const { client, sandbox } = bench;
		const type = 'browserAutomationSigningApi';
		const data = { ...signingCredential(sandbox.url)[type], allowedHttpRequestDomains: 'none' };
		const signing = await client.createCredential('Signing', type, data);

		expect(await client.testCredential(signing, data)).toMatchObject({ isOk: true });
	});
}
