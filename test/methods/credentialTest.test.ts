import type { ICredentialTestFunctions } from 'n8n-workflow';

import { testApiKey } from '../../nodes/BrowserAutomation/methods/credentialTest';
import { startSandbox, type Sandbox } from '../../sandbox/server';

let sandbox: Sandbox;

beforeAll(async () => void (sandbox = await startSandbox()));
afterAll(async () => await sandbox.close());

/** n8n's older way of sending requests, as far as a credential's test uses it. */
async function request(options: {
	method: string;
	url: string;
	headers: Record<string, string>;
}): Promise<unknown> {
	const { status, headers, ...response } = await answerTo(options);
	return { statusCode: status, headers: Object.fromEntries(headers), body: response.text };
}

async function answerTo({ url, ...options }: Parameters<typeof request>[0]) {
	const response = await fetch(url, { ...options, redirect: 'manual' });
	return { status: response.status, headers: response.headers, text: await response.text() };
}

async function testOf(data: { baseUrl?: string; apiKey?: string }): Promise<unknown> {
	const context = { helpers: { request } } as unknown as ICredentialTestFunctions;
	return await testApiKey.call(context, {
		id: '1',
		name: 'Mine',
		type: 'browserAutomationApi',
		data: { baseUrl: sandbox.url, apiKey: sandbox.key, ...data },
	});
}

it.each([
	['as it is', (key: string) => key],
	['with Bearer before it', (key: string) => `Bearer ${key}`],
	['as the whole header', (key: string) => `Authorization: Bearer ${key}\n`],
])('a key is accepted %s', async (_, paste) => {
	expect(await testOf({ apiKey: paste(sandbox.key) })).toMatchObject({ status: 'OK' });
});

it('a wrong key is told in the service’s words, and is not told itself', async () => {
	const result = await testOf({ apiKey: 'wrong-key-4711' });
	expect(result).toMatchObject({
		status: 'Error',
		message: expect.stringMatching(/does not accept the API key/),
	});
	expect(JSON.stringify(result)).not.toContain('wrong-key-4711');
});

it.each([
	[{ apiKey: 'two words' }, 'holds a space'],
	[{ baseUrl: 'https://me:pass-4711@api.example.com' }, 'holds a user name or a password'],
	[{ baseUrl: 'https://api.example.com/?' }, 'is not a base URL'],
	[{ baseUrl: '={{ $json.host }}' }, 'is not a base URL'],
])('%j is refused before a request is made', async (data, message) => {
	const result = await testOf(data);
	expect(result).toMatchObject({ status: 'Error', message: expect.stringContaining(message) });
	expect(JSON.stringify(result)).not.toContain('pass-4711');
});
