import { Readable } from 'node:stream';
import type {
	IAdditionalCredentialOptions,
	IExecuteFunctions,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { CanceledError, messageOf } from '../../nodes/BrowserAutomation/service/errors';
import { connect, connectToWatch } from '../../nodes/BrowserAutomation/transport/client';
import {
	API_CREDENTIAL,
	SIGNING_CREDENTIAL,
} from '../../nodes/BrowserAutomation/transport/credentials';
import { insideNode } from '../execution/insideNode';

const baseUrl = 'https://service.test';
const request = { method: 'GET', path: '/v3/bots' } as const;
const start = { method: 'POST', path: '/v3/bots/bot/runs' } as const;

function answer(statusCode: number, envelope: object): object {
	const text = JSON.stringify({ data: null, traceId: 't', ...envelope });
	return { statusCode, headers: {}, body: Readable.from([Buffer.from(text)]) };
}

/** Sends a read of a watcher with a key that was replaced meanwhile; the service takes these keys. */
async function sendWith(
	apiKey: string,
	code: number | undefined,
	status = 200,
): Promise<{ used: string[]; got: unknown }> {
	const used: string[] = [];
	const httpRequestWithAuthentication = async (
		_name: string,
		_options: object,
		{ credentialsDecrypted }: IAdditionalCredentialOptions = {},
	): Promise<object> => {
		const key = String(credentialsDecrypted?.data?.apiKey);
		used.push(key);
		return key === 'new'
			? answer(200, { code: 0, data: ['fine'] })
			: answer(status, { code, msg: 'no' });
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
	expect(await sendWith('old', undefined, 401)).toEqual({ used: ['old', 'new'], got: ['fine'] });
	expect(await sendWith('new', 401)).toEqual({ used: ['new'], got: ['fine'] });
	expect(await sendWith('old', 10112)).toMatchObject({ used: ['old'] });
});

/** What comes of a start in an n8n that sends it so, for an execution that ends with the signal. */
async function sentBy(
	httpRequestWithAuthentication: unknown,
	signal: AbortSignal,
	type = API_CREDENTIAL,
): Promise<unknown> {
	const credential = { baseUrl, apiKey: 'the-key', signingSecret: 'the-secret' };
	return await insideNode(
		async (context) =>
			await (await connect(context, type)).send(start).catch((error: unknown) => error),
		{},
		{
			helpers: { httpRequestWithAuthentication },
			getCredentials: async () => credential,
			getExecutionCancelSignal: () => signal,
		},
	);
}

it('a stop ends a start under way, by the signal that n8n takes, and n8n waits longer than we do', async () => {
	const stop = new AbortController();
	const used: unknown[] = [];
	async function send(
		this: IExecuteFunctions,
		_name: string,
		{ abortSignal, timeout }: IHttpRequestOptions,
	): Promise<never> {
		stop.abort();
		const isItsOwn = this.getExecutionCancelSignal() === abortSignal;
		used.push(isItsOwn, abortSignal?.aborted, timeout);
		throw new Error('socket hang up');
	}
	expect(await sentBy(send, stop.signal)).toBeInstanceOf(CanceledError);
	expect(used).toEqual([true, true, 61_000]);
});

it('nothing is sent after a stop', async () => {
	const send = jest.fn();
	expect(await sentBy(send, AbortSignal.abort())).toBeInstanceOf(CanceledError);
	expect(send).not.toHaveBeenCalled();
});

it.each([
	[API_CREDENTIAL, 'the-key is unknown'],
	[SIGNING_CREDENTIAL, 'the-secret is unknown'],
])('what is secret in %s is in no words of the service', async (type, msg) => {
	const send = async (): Promise<object> => answer(400, { code: 5, msg });
	const error = await sentBy(send, new AbortController().signal, type);
	expect(messageOf(error)).toContain('(hidden) is unknown');
});

it('the connection of an answer that is too large is ended', async () => {
	let connection: AbortSignal | undefined;
	const send = async (_name: string, { abortSignal }: IHttpRequestOptions): Promise<object> => {
		if (abortSignal instanceof AbortSignal) connection = abortSignal;
		return { statusCode: 200, headers: {}, body: Readable.from([Buffer.alloc(101 * 1024 ** 2)]) };
	};
	expect(messageOf(await sentBy(send, new AbortController().signal))).toContain('is larger than');
	expect(connection?.aborted).toBe(true);
});
