import type {
	IAdditionalCredentialOptions,
	IAllExecuteFunctions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { checkApiKey, toApiKey } from '../service/http/apiKey';
import { toBaseUrl } from '../service/http/baseUrl';
import {
	createClient,
	whenNotAuthorized,
	type ServiceClient,
	type Transport,
	type WireRequest,
} from '../service/http/client';
import { isRefused, type BytesAnswer } from '../service/http/content';
import { CanceledError, ConnectionError, HelpfulError } from '../service/errors';
import type { ServiceRequest } from '../service/http/request';
import { keepingSecret } from '../service/http/redaction';
import { AS_IT_COMES, readBody, readFullAnswer } from './answer';
import { cancelSignalOf, pause, withSignal } from './cancellation';
import { connectionReason } from './connectionErrors';
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
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export async function connect(caller: Caller): Promise<ServiceClient> {
	return connectWith(caller, await readApiCredential(caller));
}

/** The decrypted credential: where the service is, the key, and what n8n adds. */
export type ApiCredential = ICredentialDataDecryptedObject & { baseUrl: string; apiKey: string };

/** Reads the node's credential. @throws NodeOperationError (n8n's own) when the node has none */
export async function readApiCredential(caller: Caller): Promise<ApiCredential> {
	return await caller.getCredentials<ApiCredential>(API_CREDENTIAL);
}

/**
 * A client that uses a credential that was read before.
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export function connectWith(caller: Caller, credential: ApiCredential): ServiceClient {
	return clientIn(transportFor(caller, cancelSignalOf(caller), API_CREDENTIAL, credential));
}

/** A client that still works after the execution was stopped, to clean up in the service. */
export async function connectAfterStop(caller: Caller): Promise<ServiceClient> {
	return connectToWatch(caller, await readApiCredential(caller));
}

/**
 * A client that no stop of an execution ends, e.g. to watch runs while theirs sleeps. When the
 * service does not accept the key any more, the credential is read anew.
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export function connectToWatch(
	caller: Caller,
	credential: ApiCredential,
	readAnew = readApiCredential,
): ServiceClient {
	const connected = (data: ApiCredential): ServiceClient =>
		clientIn(transportFor(caller, undefined, API_CREDENTIAL, data));
	return whenNotAuthorized(
		connected(credential),
		async (request) => await connected(await readAnew(caller)).send(request),
	);
}

type SigningCredential = ICredentialDataDecryptedObject & {
	baseUrl: string;
	signingSecret: string;
};

/**
 * A client for the signed public operations: n8n signs each request by the credential.
 *
 * @throws NodeOperationError (n8n's own) when the node has no such credential
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export async function connectSigned(caller: Caller): Promise<ServiceClient> {
	const data = await caller.getCredentials<SigningCredential>(SIGNING_CREDENTIAL);
	const signal = cancelSignalOf(caller);
	return clientIn(transportFor(caller, signal, SIGNING_CREDENTIAL, data));
}

/** A client for the public operations: no credential is read, none is sent. */
export function connectWithoutKey(caller: Caller, baseUrl: string): ServiceClient {
	const send: Send = async (options): Promise<unknown> => await caller.helpers.httpRequest(options);
	return clientIn(transportAt(baseUrl, '', send, cancelSignalOf(caller)));
}

/**
 * A client for testing a credential that is being edited: its fields as they stand in the form.
 * @throws InputError for a base URL that is none, or a key that cannot be sent
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
			useStream: true,
		});
	return clientIn(transportAt(toBaseUrl(String(baseUrl ?? '')), secret, send, undefined));
}

/**
 * Sends a request with the node's credential and returns the answer's bytes as they came. Reads are
 * tried again, and refusals become errors, as with any other request.
 *
 * @param neverFails set where any answer at all will do
 * @throws ServiceError, ConnectionError or CanceledError
 */
export async function sendForBytes(
	caller: Caller,
	request: ServiceRequest,
	neverFails: boolean,
): Promise<BytesAnswer> {
	const credential = await readApiCredential(caller);
	const signal = cancelSignalOf(caller);
	const transport = transportFor(caller, signal, API_CREDENTIAL, credential);
	let answer: BytesAnswer = { status: 0, headers: {}, bytes: Buffer.alloc(0) };
	const requestAnswer = async (wire: WireRequest): Promise<BytesAnswer> => {
		answer = await transport.request(wire);
		const isFailure = !neverFails && isRefused(answer);
		return isFailure ? answer : { status: 200, headers: {}, bytes: Buffer.alloc(0) };
	};
	await clientIn({ ...transport, request: requestAnswer }).send(request);
	return answer;
}

/** Hands a request to n8n and returns its answer, whatever its status. */
type Send = (options: IHttpRequestOptions) => Promise<unknown>;

interface NodeTransport extends Transport {
	/** The secret to redact in messages; empty where there is none. */
	secret: string;
}

function clientIn(transport: NodeTransport): ServiceClient {
	return keepingSecret(createClient(transport), transport.secret);
}

/** Sends requests as n8n does with a credential that was read; no request reads it again. */
function transportFor(
	caller: Caller,
	signal: AbortSignal | undefined,
	credential: string,
	data: ApiCredential | SigningCredential,
): NodeTransport {
	const isKey = 'apiKey' in data;
	const secret = isKey ? toApiKey(String(data.apiKey)) : String(data.signingSecret).trim();
	noteSecret(caller.getNode(), secret);
	if (isKey) checkApiKey(secret);
	const credentialsDecrypted: ICredentialsDecrypted = { id: '', name: '', type: credential, data };
	const send: Send = async (options) =>
		await sendAs(caller, credential, options, { credentialsDecrypted });
	return transportAt(toBaseUrl(data.baseUrl), secret, send, signal);
}

/** An object that is another one but for some of its members. */
const inherit: (from: Caller, own: PropertyDescriptorMap) => Caller = Object.create;

/** Sends a request with a credential. It ends by its own signal, in whose place n8n puts the context's, which does less. */
export async function sendAs(
	context: Caller,
	credential: string,
	options: IHttpRequestOptions,
	further?: IAdditionalCredentialOptions,
): Promise<unknown> {
	const sender = inherit(context, {
		getExecutionCancelSignal: { value: () => options.abortSignal },
	});
	return await context.helpers.httpRequestWithAuthentication.call(
		sender,
		credential,
		options,
		further,
	);
}

function transportAt(
	baseUrl: string,
	secret: string,
	send: Send,
	signal: AbortSignal | undefined,
): NodeTransport {
	return {
		baseUrl,
		secret,
		request: async (request) => await requestAnswer(send, request, signal),
		pause: async (milliseconds) => await pause(milliseconds, signal),
		now: Date.now,
		random: Math.random,
	};
}

/** How much sooner than n8n's timeout ours is, in milliseconds. */
const OWN_TIMEOUT_LEAD_MS = 1_000;

/**
 * Sends a request and reads its answer, within its time in all: n8n's own timeout starts anew with
 * each byte that comes. JSON is read as it comes, and refusals are the client's business.
 */
async function requestAnswer(
	send: Send,
	{ method, url, headers, body, timeoutMs, maxBytes }: WireRequest,
	stopped: AbortSignal | undefined,
): Promise<BytesAnswer> {
	if (stopped?.aborted) throw new CanceledError();
	const connection = new AbortController();
	const tooLate = AbortSignal.timeout(Math.ceil(timeoutMs));
	// Many requests share the execution's signal: Node warns of more than ten listeners.
	const signals = [connection.signal, tooLate, ...(stopped === undefined ? [] : [stopped])];
	const abortSignal = AbortSignal.any(signals);
	const options = {
		...AS_IT_COMES,
		// n8n's type leaves out OPTIONS, which its HTTP client sends all the same.
		method: method as IHttpRequestMethods,
		url,
		headers,
		...(body !== undefined && { body }),
		timeout: timeoutMs + OWN_TIMEOUT_LEAD_MS,
		abortSignal,
	};
	const read = async (): Promise<BytesAnswer> => {
		const answer = readFullAnswer(await send(options));
		const { status, headers } = answer;
		return { status, headers, bytes: await readBody(answer.body, maxBytes, abortSignal) };
	};
	const failureOf = (error: unknown): HelpfulError => {
		if (stopped?.aborted) return new CanceledError();
		if (tooLate.aborted) return outOfTime(timeoutMs);
		return error instanceof HelpfulError ? error : toConnectionError(error);
	};
	try {
		return await withSignal(abortSignal, read());
	} catch (error) {
		connection.abort();
		throw failureOf(error);
	}
}

function outOfTime(timeoutMs: number): ConnectionError {
	return new ConnectionError(
		`no complete answer within ${Math.round(timeoutMs / 100) / 10} seconds`,
		true,
		'Try again later. If the service needs longer for this, raise Answer Timeout (Seconds) under Options.',
	);
}

function toConnectionError(error: unknown): ConnectionError {
	const { text, neverSent } = connectionReason(error);
	return new ConnectionError(text, neverSent !== true);
}
