import { Readable } from 'node:stream';
import type { IAdditionalCredentialOptions } from 'n8n-workflow';

import { connectToWatch } from '../../nodes/BrowserAutomation/transport/client';
import { insideNode } from '../execution/insideNode';

const baseUrl = 'https://service.test';
const request = { method: 'GET', path: '/v3/bots' } as const;

/** Sends a read of a watcher with a key that was replaced meanwhile; the service takes these keys. */
async function sendWith(apiKey: string, code: number): Promise<{ used: string[]; got: unknown }> {
	const used: string[] = [];
	const httpRequestWithAuthentication = async (
		_name: string,
		_options: object,
		{ credentialsDecrypted }: IAdditionalCredentialOptions = {},
	): Promise<object> => {
		const key = String(credentialsDecrypted?.data?.apiKey);
		used.push(key);
		const envelope = key === 'new' ? { code: 0, data: ['fine'] } : { code, msg: 'no', data: null };
		const body = Readable.from([Buffer.from(JSON.stringify({ ...envelope, traceId: 't' }))]);
		return { statusCode: 200, headers: {}, body };
	};
	const helpers = { httpRequestWithAuthentication };
	const getCredentials = async (): Promise<object> => ({ baseUrl, apiKey: 'new' });
	const got = await insideNode(
		async (context) => {
			const client = connectToWatch(context, { baseUrl, apiKey });
			return await client.send(request).catch((error: unknown) => error);
		},
		{},
		{ helpers, getCredentials },
	);
	return { used, got };
}

it('a key that is not accepted any more is read anew; one that is accepted is not', async () => {
	expect(await sendWith('old', 401)).toEqual({ used: ['old', 'new'], got: ['fine'] });
	expect(await sendWith('new', 401)).toEqual({ used: ['new'], got: ['fine'] });
});

it('no other refusal has the key read anew', async () => {
	const { used, got } = await sendWith('old', 10112);
	expect(used).toEqual(['old']);
	expect(String(got)).toContain('code 10112');
});
