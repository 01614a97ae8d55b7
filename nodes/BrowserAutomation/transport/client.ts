import type {
	IAdditionalCredentialOptions,
	ICredentialDataDecryptedObject,
	ICredentialsDecrypted,
	ICredentialTestFunctions,
	IHttpRequestMethods,
	IHttpRequestOptions,
} from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { toApiKey, toBaseUrl, toRequestLimits } from '../service/http/credential';
import { createClient, type ServiceClient, type WireRequest } from '../service/http/client';
import type { BytesAnswer } from '../service/http/content';
import { isKeyRefusal } from '../service/http/retry';
import { CanceledError, ConnectionError, HelpfulError } from '../service/errors';
import { AS_IT_COMES, readBody, readFullAnswer } from './answer';
import { anySignal, cancelSignalOf, pause, withSignal } from './cancellation';
import { connectionReason } from './connectionErrors';
import {
	API_CREDENTIAL,
	readApiCredential,
	type ApiCredential,
	type NodeContext,
	type Credential,
} from './credentials';
import { recordSecret } from './secrets';
import { Semaphore } from './semaphore';

/**
 * A client of the service that uses the node's credential (for the first item). It is read once; n8n adds the key to
 * each request, or signs it, and it follows no redirect to another host.
 *
 * @throws NodeOperationError (n8n's own) when the node has no such credential
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export async function connect(context: NodeContext, type = API_CREDENTIAL): Promise<ServiceClient> {
	const credential = await context.getCredentials<Credential>(type);
	return connectWith(context, credential, cancelSignalOf(context), type);
}

/**
 * The same with a credential that was read before: n8n does not read it again.
 *
 * @param signal ends its requests; without one they outlive the execution
 */
export function connectWith(
	context: NodeContext,
	data: Credential,
	signal?: AbortSignal,
	type = API_CREDENTIAL,
): ServiceClient {
	const isKey = type === API_CREDENTIAL;
	const secret = isKey ? toApiKey(String(data.apiKey)) : String(data.signingSecret).trim();
	recordSecret(context.getNode(), secret);
	const credentialsDecrypted: ICredentialsDecrypted = { id: '', name: '', type, data };
	const send: Send = async (options) =>
		await sendAs(context, type, options, { credentialsDecrypted });
	const client = clientBy(data.baseUrl, secret, send, signal, data);
	sendersOf.set(client, send);
	return client;
}

/** How clients send with the credential that they were made with. */
const sendersOf = new WeakMap<ServiceClient, Send>();

/** Sends requests as a client does. For a client that was derived from another, it uses the node's credential. */
export function senderOf(client: ServiceClient, context: NodeContext): Send {
	return (
		sendersOf.get(client) ?? (async (options) => await sendAs(context, API_CREDENTIAL, options))
	);
}

/**
 * A client that outlives the execution, e.g. to watch the runs of a suspended one. When the service refuses the key, it reads
 * the credential anew.
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export function connectToWatch(
	context: NodeContext,
	credential: ApiCredential,
	readAnew = readApiCredential,
): ServiceClient {
	const { send, ...client } = connectWith(context, credential);
	return {
		...client,
		send: async (request) =>
			await send(request).catch(async (error: unknown) => {
				if (!isKeyRefusal(error)) throw error;
				return await connectWith(context, await readAnew(context)).send(request);
			}),
	};
}

/** A client for the public operations: no credential is read, none is sent. */
export function connectWithoutKey(context: NodeContext, baseUrl: string): ServiceClient {
	const send: Send = async (options): Promise<unknown> =>
		await context.helpers.httpRequest(options);
	return clientBy(baseUrl, '', send, cancelSignalOf(context));
}

/**
 * A client for testing a credential that is being edited: its fields as they stand in the form.
 * @throws InputError for a base URL that is none, or a key that cannot be sent
 */
export function connectForTest(
	{ helpers: { request } }: ICredentialTestFunctions,
	credential: ICredentialDataDecryptedObject,
): ServiceClient {
	const { baseUrl, apiKey } = credential;
	const secret = toApiKey(String(apiKey ?? ''));
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
	return clientBy(String(baseUrl ?? ''), secret, send, undefined, credential);
}

/** Hands a request to n8n and returns its answer, whatever its status. */
type Send = (options: IHttpRequestOptions) => Promise<unknown>;

/**
 * @param signal ends all requests
 * @param credential where it says how requests are sent
 */
function clientBy(
	baseUrl: string,
	secret: string,
	send: Send,
	signal?: AbortSignal,
	credential: ICredentialDataDecryptedObject = {},
): ServiceClient {
	const limits = toRequestLimits(credential);
	const slots = new Semaphore(limits.concurrency);
	return createClient({
		baseUrl: toBaseUrl(baseUrl),
		secret,
		limits,
		request: async (request) =>
			await slots.inTurn(async () => await requestAnswer(send, request, signal), signal),
		pause: async (milliseconds) => await pause(milliseconds, signal),
	});
}

/** An object with some members of its own, which inherits the others. */
const inherit: (from: NodeContext, own: PropertyDescriptorMap) => NodeContext = Object.create;

/** Sends a request with a credential. n8n uses the context's signal, so it gets a context whose signal is the request's own. */
async function sendAs(
	context: NodeContext,
	credential: string,
	options: IHttpRequestOptions,
	further?: IAdditionalCredentialOptions,
): Promise<unknown> {
	const { httpRequestWithAuthentication: request } = context.helpers;
	const own = { getExecutionCancelSignal: { value: () => options.abortSignal } };
	return await request.call(inherit(context, own), credential, options, further);
}

/** How much later n8n's timeout is than ours, in milliseconds. */
const OWN_TIMEOUT_LEAD_MS = 1_000;

/**
 * Sends a request and reads its whole answer within its time limit: n8n's own timeout starts anew with
 * each byte. Statuses and refusals are left to the client.
 */
async function requestAnswer(
	send: Send,
	{ method, url, headers, body, timeoutMs, maxBytes }: WireRequest,
	stopped: AbortSignal | undefined,
): Promise<BytesAnswer> {
	if (stopped?.aborted) throw new CanceledError();
	const connection = new AbortController();
	const tooLate = AbortSignal.timeout(Math.ceil(timeoutMs));
	const abortSignal = anySignal(connection.signal, tooLate, stopped);
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
		const { body: stream, ...answer } = readFullAnswer(await send(options));
		return { ...answer, bytes: await readBody(stream, maxBytes, abortSignal) };
	};
	const answered = await attempt(withSignal(abortSignal, read()));
	if (answered.ok) return answered.value;
	connection.abort();
	if (stopped?.aborted) throw new CanceledError();
	if (tooLate.aborted) {
		throw new ConnectionError(
			`no complete answer within ${Math.round(timeoutMs / 100) / 10} seconds`,
			true,
			"Try again later. If the service needs longer for this, raise 'Response Timeout (Seconds)' in the credential.",
		);
	}
	if (answered.error instanceof HelpfulError) throw answered.error;
	const { text, neverSent, advice } = connectionReason(answered.error);
	throw new ConnectionError(text, !neverSent, advice);
}
