import {
	sleep,
	type IAllExecuteFunctions,
	type ICredentialsDecrypted,
	type IHttpRequestMethods,
	type IHttpRequestOptions,
} from 'n8n-workflow';

import { toBaseUrl } from '../service/baseUrl';
import {
	createClient,
	type ServiceClient,
	type WireRequest,
	type WireResponse,
} from '../service/client';
import { CanceledError, ConnectionError } from '../service/errors';

/** The credential that holds the base URL and the API key. */
export const API_CREDENTIAL = 'browserAutomationApi';

/** How long to wait for an answer, in milliseconds. */
const ANSWER_TIMEOUT_MS = 60_000;

/** A stop of the execution is noticed at least this often while waiting, in milliseconds. */
const LONGEST_NAP_MS = 1_000;

/** What a node's context offers for talking to the service. */
export type Caller = Extract<
	IAllExecuteFunctions,
	{ helpers: { httpRequestWithAuthentication: unknown } }
>;

/** The signal that n8n raises when the execution is stopped; contexts without one are never stopped. */
export function cancelSignalOf(caller: Caller): AbortSignal | undefined {
	return 'getExecutionCancelSignal' in caller ? caller.getExecutionCancelSignal() : undefined;
}

/**
 * Waits in short naps, so that it works alike on every n8n and ends soon after a stop.
 *
 * @throws CanceledError when the signal is raised
 */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
	const until = Date.now() + milliseconds;
	for (let left = milliseconds; left > 0; left = until - Date.now()) {
		if (signal?.aborted) throw new CanceledError();
		await sleep(Math.min(left, LONGEST_NAP_MS));
	}
	if (signal?.aborted) throw new CanceledError();
}

/**
 * A client of the service that uses the node's credential. The credential is read once; the key
 * is added by n8n to each request and follows no redirect to another host.
 *
 * @throws NodeOperationError (n8n's own) when the node has no credential
 * @throws InputError when the credential's base URL is none
 */
export async function connect(caller: Caller): Promise<ServiceClient> {
	return await connectUntil(caller, caller, cancelSignalOf(caller));
}

/** A client that still works after the execution was stopped, to clean up in the service. */
export async function connectAfterStop(caller: Caller): Promise<ServiceClient> {
	const { helpers, getCredentials, getNode, logger } = caller;
	// n8n aborts requests of a context that has a cancel signal, so they go out from one that has none.
	const unstoppable = { helpers, getCredentials, getNode, logger } as Caller;
	return await connectUntil(caller, unstoppable, undefined);
}

async function connectUntil(
	caller: Caller,
	sender: Caller,
	signal: AbortSignal | undefined,
): Promise<ServiceClient> {
	const data = await caller.getCredentials<{ baseUrl: string; apiKey: string }>(API_CREDENTIAL);
	const credentialsDecrypted: ICredentialsDecrypted = {
		id: '',
		name: '',
		type: API_CREDENTIAL,
		data,
	};

	const exchange = async (request: WireRequest): Promise<WireResponse> => {
		if (signal?.aborted) throw new CanceledError();
		try {
			const answer: unknown = await caller.helpers.httpRequestWithAuthentication.call(
				sender,
				API_CREDENTIAL,
				toHttpRequestOptions(request),
				{ credentialsDecrypted },
			);
			return toWireResponse(answer);
		} catch (error) {
			throw signal?.aborted ? new CanceledError() : toConnectionError(error);
		}
	};

	return createClient({
		baseUrl: toBaseUrl(data.baseUrl),
		exchange,
		pause: async (milliseconds) => await pause(milliseconds, signal),
		now: Date.now,
		random: Math.random,
	});
}

/** Text both ways and no error for any status: JSON and refusals are the client's business. */
function toHttpRequestOptions({ method, url, headers, body }: WireRequest): IHttpRequestOptions {
	return {
		// n8n's type leaves out OPTIONS, which its HTTP client sends all the same.
		method: method as IHttpRequestMethods,
		url,
		headers,
		...(body !== undefined && { body }),
		encoding: 'text',
		returnFullResponse: true,
		ignoreHttpStatusErrors: true,
		disableFollowRedirect: true,
		sendCredentialsOnCrossOriginRedirect: false,
		timeout: ANSWER_TIMEOUT_MS,
	};
}

function toWireResponse(answer: unknown): WireResponse {
	if (typeof answer !== 'object' || answer === null || !('statusCode' in answer)) {
		throw new Error('n8n returned no status code');
	}
	const headers: WireResponse['headers'] = {};
	if ('headers' in answer && typeof answer.headers === 'object' && answer.headers !== null) {
		for (const [name, value] of Object.entries(answer.headers)) headers[name] = String(value);
	}
	return {
		status: Number(answer.statusCode),
		headers,
		body: 'body' in answer && typeof answer.body === 'string' ? answer.body : '',
	};
}

interface Reason {
	text: string;
	/** Whether the request never left this machine. */
	neverSent?: boolean;
}

const NO_ANSWER: Reason = { text: `no answer within ${ANSWER_TIMEOUT_MS / 1000} seconds` };
const BROKEN: Reason = { text: 'the connection broke' };
const NO_WAY: Reason = { text: 'there is no way to its network', neverSent: true };

const REASONS: Record<string, Reason> = {
	CERT_HAS_EXPIRED: { text: 'its certificate has expired', neverSent: true },
	DEPTH_ZERO_SELF_SIGNED_CERT: { text: 'its certificate is self-signed', neverSent: true },
	EAI_AGAIN: { text: 'its name could not be looked up', neverSent: true },
	ECONNABORTED: NO_ANSWER,
	ECONNREFUSED: { text: 'the connection was refused', neverSent: true },
	ECONNRESET: BROKEN,
	EHOSTUNREACH: NO_WAY,
	ENETUNREACH: NO_WAY,
	ENOTFOUND: { text: 'no server has this name', neverSent: true },
	EPIPE: BROKEN,
	ERR_BAD_RESPONSE: BROKEN,
	ETIMEDOUT: NO_ANSWER,
};

/** Why no answer came. n8n wraps the network's error, so its code is looked for along the causes. */
function toConnectionError(error: unknown): ConnectionError {
	for (let cause = error; cause instanceof Error; cause = cause.cause) {
		const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : '';
		const reason = REASONS[code];
		if (reason !== undefined) return new ConnectionError(reason.text, reason.neverSent !== true);
		if (code !== '') return new ConnectionError(code, true);
	}
	const text = error instanceof Error ? error.message : 'for an unknown reason';
	return new ConnectionError(text, true);
}
