import type {
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { checkApiKey, toApiKey } from '../service/apiKey';
import { toBaseUrl } from '../service/baseUrl';
import {
	createClient,
	type ServiceClient,
	type Transport,
	type WireRequest,
	type WireResponse,
} from '../service/client';
import { isRefused, type BytesAnswer } from '../service/content';
import { CanceledError, ConnectionError } from '../service/errors';
import type { ServiceRequest } from '../service/request';
import { keepingSecret } from '../service/redaction';
import { cancelSignalOf, pause } from './cancellation';
import { ANSWER_TIMEOUT_MS, connectionReason } from './connectionErrors';
import { readFullAnswer, type FullAnswer } from './fullAnswer';
import { noteSecret } from './secrets';

/** The credential that holds the base URL and the API key. */
export const API_CREDENTIAL = 'browserAutomationApi';

/** The credential that holds the base URL and how the signed public operations are signed. */
export const SIGNING_CREDENTIAL = 'browserAutomationSigningApi';

/** What a node's context offers for talking to the service. */
export type Caller = Extract<
	IAllExecuteFunctions,
	{ helpers: { httpRequestWithAuthentication: unknown } }
>;

/**
 * A client of the service that uses the node's credential. The credential is read once; the key
 * is added by n8n to each request and follows no redirect to another host.
 *
 * @throws NodeOperationError (n8n's own) when the node has no credential
 * @throws InputError when the credential's base URL is none, or its key cannot be sent
 */
export async function connect(caller: Caller): Promise<ServiceClient> {
	return connectWith(caller, await readApiCredential(caller));
}

/** The decrypted credential: where the service is, the key, and what n8n adds. */
export type ApiCredential = ICredentialDataDecryptedObject & { baseUrl: string; apiKey: string };

/**
 * Reads the node's credential.
 *
 * @throws NodeOperationError (n8n's own) when the node has none
 */
export async function readApiCredential(caller: Caller): Promise<ApiCredential> {
	return await caller.getCredentials<ApiCredential>(API_CREDENTIAL);
}

/**
 * A client that uses a credential that was read before.
 *
 * @throws InputError when the credential's base URL is none, or its key cannot be sent
 */
export function connectWith(caller: Caller, credential: ApiCredential): ServiceClient {
	return connectUntil(caller, caller, cancelSignalOf(caller), credential);
}

/** A client that still works after the execution was stopped, to clean up in the service. */
export async function connectAfterStop(caller: Caller): Promise<ServiceClient> {
	const { helpers, getCredentials, getNode, logger } = caller;
	// n8n aborts requests of a context that has a cancel signal, so they go out from one that has none.
	const unstoppable = { helpers, getCredentials, getNode, logger } as Caller;
	return connectUntil(caller, unstoppable, undefined, await readApiCredential(caller));
}

function connectUntil(
	caller: Caller,
	sender: Caller,
	signal: AbortSignal | undefined,
	credential: ApiCredential,
): ServiceClient {
	return clientIn(transportFor(caller, sender, signal, API_CREDENTIAL, credential));
}

type SigningCredential = ICredentialDataDecryptedObject & {
	baseUrl: string;
	signingSecret: string;
};

/**
 * A client for the signed public operations: n8n signs each request by the credential.
 *
 * @throws NodeOperationError (n8n's own) when the node has no such credential
 * @throws InputError when the credential's base URL is none, or its key cannot be sent
 */
export async function connectSigned(caller: Caller): Promise<ServiceClient> {
	const data = await caller.getCredentials<SigningCredential>(SIGNING_CREDENTIAL);
	const signal = cancelSignalOf(caller);
	return clientIn(transportFor(caller, caller, signal, SIGNING_CREDENTIAL, data));
}

/** A client for the public operations: no credential is read, none is sent. */
export function connectWithoutKey(caller: Caller, baseUrl: string): ServiceClient {
	const signal = cancelSignalOf(caller);
	const send: Send = async (options): Promise<unknown> =>
		await caller.helpers.httpRequest({
			...options,
			...(signal !== undefined && { abortSignal: signal }),
		});
	return clientIn(transportAt(baseUrl, '', send, signal));
}

/**
 * A client for testing a credential that is being edited: its fields as they stand in the form.
 *
 * @throws InputError when the base URL is none, or the key cannot be sent
 */
export function connectForTest(
	{ helpers: { request } }: ICredentialTestFunctions,
	{ baseUrl, apiKey }: ICredentialDataDecryptedObject,
): ServiceClient {
	const secret = toApiKey(String(apiKey ?? ''));
	checkApiKey(secret);
	// Here n8n offers its older way of sending requests only.
	const send: Send = async ({ method, url, headers, timeout }): Promise<unknown> =>
		await request({
			method,
			url,
			headers: { ...headers, Authorization: `Bearer ${secret}` },
			timeout,
			followRedirect: false,
			resolveWithFullResponse: true,
			simple: false,
		});
	return clientIn(transportAt(toBaseUrl(String(baseUrl ?? '')), secret, send, undefined));
}

/**
 * Sends a request with the node's credential and returns the answer's bytes as they came. Reads are
 * tried again, and refusals become errors, as with any other request.
 *
 * @throws ServiceError, ConnectionError or CanceledError
 */
export async function sendForBytes(caller: Caller, request: ServiceRequest): Promise<BytesAnswer> {
	const credential = await readApiCredential(caller);
	const signal = cancelSignalOf(caller);
	const transport = transportFor(caller, caller, signal, API_CREDENTIAL, credential);
	let answer: BytesAnswer = { status: 0, headers: {}, bytes: Buffer.alloc(0) };
	const requestText = async (wire: WireRequest): Promise<WireResponse> => {
		answer = await transport.requestBytes(wire);
		const { status, headers, bytes } = answer;
		return { status, headers, body: isRefused(answer) ? bytes.toString('utf8') : '' };
	};
	await clientIn({ ...transport, request: requestText }).send(request);
	return answer;
}

/** Hands a request to n8n and returns its answer, whatever its status. */
type Send = (options: IHttpRequestOptions) => Promise<unknown>;

interface BytesTransport extends Transport {
	/** The secret to redact in messages; empty where there is none. */
	secret: string;
	requestBytes(request: WireRequest): Promise<BytesAnswer>;
}

function clientIn(transport: BytesTransport): ServiceClient {
	return keepingSecret(createClient(transport), transport.secret);
}

/** Sends requests as n8n does with a credential that was read; no request reads it again. */
function transportFor(
	caller: Caller,
	sender: Caller,
	signal: AbortSignal | undefined,
	credential: string,
	data: ApiCredential | SigningCredential,
): BytesTransport {
	const secret = secretIn(data);
	noteSecret(caller.getNode(), secret);
	if ('apiKey' in data) checkApiKey(secret);
	const credentialsDecrypted: ICredentialsDecrypted = { id: '', name: '', type: credential, data };
	const send: Send = async (options): Promise<unknown> =>
		await caller.helpers.httpRequestWithAuthentication.call(sender, credential, options, {
			credentialsDecrypted,
		});
	return transportAt(toBaseUrl(data.baseUrl), secret, send, signal);
}

function secretIn(data: ApiCredential | SigningCredential): string {
	return 'apiKey' in data ? toApiKey(String(data.apiKey)) : String(data.signingSecret).trim();
}

function transportAt(
	baseUrl: string,
	secret: string,
	send: Send,
	signal: AbortSignal | undefined,
): BytesTransport {
	const sendUnlessStopped = async (options: IHttpRequestOptions): Promise<FullAnswer> => {
		if (signal?.aborted) throw new CanceledError();
		try {
			return readFullAnswer(await send(options));
		} catch (error) {
			throw signal?.aborted ? new CanceledError() : toConnectionError(error);
		}
	};

	return {
		baseUrl,
		secret,
		request: async (request) => {
			const answer = await sendUnlessStopped(toHttpRequestOptions(request, 'text'));
			const { status, headers, body } = answer;
			return { status, headers, body: typeof body === 'string' ? body : '' };
		},
		requestBytes: async (request) => {
			const answer = await sendUnlessStopped(toHttpRequestOptions(request, 'arraybuffer'));
			const { status, headers, body } = answer;
			return { status, headers, bytes: Buffer.isBuffer(body) ? body : Buffer.alloc(0) };
		},
		pause: async (milliseconds) => await pause(milliseconds, signal),
		now: Date.now,
		random: Math.random,
	};
}

/** No error for any status: refusals are the client's business. So is JSON, which is read as text. */
function toHttpRequestOptions(
	{ method, url, headers, body }: WireRequest,
	encoding: 'text' | 'arraybuffer',
): IHttpRequestOptions {
	return {
		// n8n's type leaves out OPTIONS, which its HTTP client sends all the same.
		method: method as IHttpRequestMethods,
		url,
		headers,
		...(body !== undefined && { body }),
		encoding,
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		timeout: ANSWER_TIMEOUT_MS,
	};
}

function toConnectionError(error: unknown): ConnectionError {
	const { text, neverSent } = connectionReason(error);
	return new ConnectionError(text, neverSent !== true);
}
