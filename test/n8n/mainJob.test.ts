import { fetchAlone } from '../../dev/fetchAlone';
import type { Credential } from '../../dev/n8n/client';
import type { Execution } from '../../dev/n8n/execution';
import { textOf } from '../../dev/n8n/json';
import { n8nVersions } from '../../dev/n8n/versions';
import { NODE_VERSION } from '../../nodes/BrowserAutomation/execution/webhook';
import { signingCredential } from '../fixture/credentials';
import { ACTION } from '../fixture/nodeTypes';
import { sharedServer } from './sharedServer';
import { useBench } from './useBench';
import { refersTo, runBot } from './workbench';

/** What every supported n8n has to do beside waiting: credentials, rows, failures, fields before the first run. */
describe.each(n8nVersions)('the main job in n8n %s', (version) => {
	const bench = useBench(() => sharedServer(version).client);

	it('gives the rows of a run whose details are behind its status, and keeps a record whole', async () => {
		const { botNode, runLine, sandbox } = bench();
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
		const outputOptions = {
			rowsFrom: { __rl: true, mode: 'list', value: 'reviews' },
			includeBeside: true,
		};
		expect(await outputOf({ outputOptions, waitForCompletion: 'poll' })).toEqual([
			{ title: 'a', price: 1, stars: 5 },
			{ title: 'a', price: 1, stars: 4 },
		]);
	});

	it('fails with the run and the reason when the bot fails', async () => {
		const { botNode, runLine, sandbox } = bench();

		const execution = await runLine([botNode(runBot('1004', { waitForCompletion: 'poll' }))]);

		const taskId = (await sandbox.runs()).at(-1)?.taskId ?? 'none';
		expect(execution.status).toBe('error');
		expect(execution.lastNode).toBe('Bot');
		expect(execution.failure?.message).toContain(taskId);
		expect(execution.failure?.message).toContain('the site refused the password');
		expect(execution.failure?.description).toBeTruthy();
		expect(await sandbox.callbacks({ taskId })).toEqual([]);
	});

	it('refuses a wrong key with the message of the service, in the test and in a run, and accepts the right one', async () => {
		const { client, credential, sandbox, botNode } = bench();
		const data = { baseUrl: sandbox.url, apiKey: 'wrong-key' };
		const wrong = await client.createCredential('Wrong', 'browserAutomationApi', data);
		const refusal = await fetchAlone(`${sandbox.url}/v3/bots`, {
			headers: { authorization: 'Bearer wrong-key' },
		});
		const msg = textOf(await refusal.json(), 'msg');

		const test = await client.testCredential(wrong, data);
		expect(test).toEqual({ isOk: false, message: expect.stringContaining(msg) });
		const right = { ...data, apiKey: sandbox.key };
		expect(await client.testCredential(credential, right)).toMatchObject({ isOk: true });

		const execution = await bench().runLine([
			botNode(runBot('1008'), { credentials: refersTo(wrong) }),
		]);
		expect(execution.status).toBe('error');
		expect(`${execution.failure?.message} ${execution.failure?.description}`).toContain(msg);
	});

	it('shows the fields of an operation before it has run', async () => {
		const { url } = bench().client.session;
		const schema = `${ACTION}/${NODE_VERSION}.0/bot/get.json`;
		const answer = await fetchAlone(`${url}/schemas/${schema}`);

		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({
			type: 'object',
			properties: { bot_id: { type: 'string' }, input_schema: { type: 'object' } },
		});
	});

	it('HTTP Request may send the key nowhere, unless its owner allows a domain', async () => {
		const { client, credential, sandbox } = bench();
		const { type } = credential;
		const widened = await client.createCredential('Widened', type, {
			baseUrl: sandbox.url,
			apiKey: sandbox.key,
			allowedHttpRequestDomains: 'domains',
			allowedDomains: new URL(sandbox.url).hostname,
		});
		await sandbox.clearRequests();
		const sentWith = async (given: Credential): Promise<Execution> =>
			await bench().runLine([
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
					credentials: refersTo(given),
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

	it('tests a signing credential, which HTTP Request may not use, by asking the service for something open', async () => {
		const { client, sandbox } = bench();
		const type = 'browserAutomationSigningApi';
		const data = { ...signingCredential(sandbox.url)[type], allowedHttpRequestDomains: 'none' };
		const signing = await client.createCredential('Signing', type, data);

		expect(await client.testCredential(signing, data)).toMatchObject({ isOk: true });
		const elsewhere = { ...data, baseUrl: `${sandbox.url}/elsewhere` };
		expect(await client.testCredential(signing, elsewhere)).toMatchObject({ isOk: false });
	});
});
