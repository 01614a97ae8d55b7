import { attempt } from './attempt';
import { readEnvelope, readRefusal, refusal } from './envelope';
import { ServiceError } from './errors';
import { checkPayload } from './expectation';
import { parseRetryAfter } from './httpHeaders';
import { parseJson, type JsonValue } from './json';
import { pathWithQuery, type HttpMethod, type ServiceRequest } from './request';
import { isTransient, pauseBeforeRetry, READ_ATTEMPTS, retryAfterOf } from './retry';

/** A request as it goes over the wire. */
export interface WireRequest {
	method: HttpMethod;
	url: string;
	headers: Record<string, string>;
	body?: string;
}

/** An answer as it came over the wire, whatever its status. Header names are in lower case. */
export interface WireResponse {
	status: number;
	headers: Record<string, string | undefined>;
	body: string;
}

/** What the client needs from the place it runs in. */
export interface Transport {
	/** Scheme, host and port of the service, and a path if it has one; no slash at the end. */
	baseUrl: string;
	/**
	 * Sends a request with the key, and follows no redirect.
	 *
	 * @throws ConnectionError when no complete answer came, CanceledError when the execution was stopped
	 */
	request(request: WireRequest): Promise<WireResponse>;
	/** Waits. @throws CanceledError when the execution is stopped meanwhile */
	pause(milliseconds: number): Promise<void>;
	now(): number;
	/** A number from 0 up to 1. */
	random(): number;
}

/** Talks to the service: sends requests, opens envelopes, turns refusals into errors. */
export interface ServiceClient {
	readonly baseUrl: string;
	/**
	 * Sends a request and returns its payload: an envelope's `data`, or the resource itself, checked
	 * against what the request expects. Reads (GET) are tried again when that may help; everything else, and a read with `once`, is sent once.
	 *
	 * @returns undefined when the answer has no body
	 * @throws ServiceError, ConnectionError or CanceledError
	 */
	send(request: ServiceRequest): Promise<JsonValue | undefined>;
}

/** Makes a client of the service in the given transport. */
export function createClient(transport: Transport): ServiceClient {
	const { baseUrl } = transport;

	const sendOnce = async (request: ServiceRequest): Promise<JsonValue | undefined> => {
		const response = await transport.request(toWire(baseUrl, request));
		const payload = openAnswer(response, transport.now());
		checkPayload(request, payload);
		return payload;
	};

	const send = async (request: ServiceRequest): Promise<JsonValue | undefined> => {
		const attempts = request.method === 'GET' && request.once !== true ? READ_ATTEMPTS : 1;
		for (let tries = 1; ; tries++) {
			const sent = await attempt(async () => await sendOnce(request));
			if (sent.ok) return sent.value;
			if (tries >= attempts || !isTransient(sent.error)) throw sent.error;
			const asked = retryAfterOf(sent.error);
			await transport.pause(pauseBeforeRetry(tries, asked, transport.random()));
		}
	};

	return { baseUrl, send };
}

function toWire(baseUrl: string, request: ServiceRequest): WireRequest {
	const wire: WireRequest = {
		method: request.method,
		url: baseUrl + pathWithQuery(request),
		headers: { Accept: 'application/json', ...request.headers },
	};
	if (request.body !== undefined) {
		wire.headers['Content-Type'] = 'application/json';
		wire.body = JSON.stringify(request.body);
	}
	return wire;
}

/**
 * The codes of an envelope that brings what was asked for. The interface does not say which: 0 is
 * what the service sends, 200 repeats HTTP's.
 */
const SUCCESS_CODES: ReadonlyArray<number | undefined> = [0, 200];

/**
 * The payload of an answer: an envelope's `data`, or the resource itself (docs/service.md: Response
 * envelope). A success status with any other code in its envelope is a refusal too.
 */
function openAnswer(response: WireResponse, now: number): JsonValue | undefined {
	const { status } = response;
	const succeeded = status >= 200 && status < 300;
	if (status >= 300 && status < 400) {
		throw new ServiceError(
			`The service sent the request elsewhere (HTTP ${status})`,
			'Check the Base URL of the credential: its scheme, host and path must be the service’s own.',
			{ httpStatus: status },
		);
	}
	const body = readBody(response);
	if (body === undefined && succeeded && response.body.trim() !== '') {
		throw new ServiceError(
			'The service’s answer is not JSON',
			'Check that the Base URL of the credential is the service’s API, then try again.',
		);
	}
	const envelope = succeeded ? readEnvelope(body) : readRefusal(response.body);
	if (!succeeded || (envelope !== undefined && !SUCCESS_CODES.includes(envelope.code))) {
		throw refusal(status, envelope, parseRetryAfter(response.headers['retry-after'], now));
	}
	return envelope === undefined ? body : envelope.data;
}

/** The body's JSON; undefined when it is empty or not JSON. */
function readBody({ body }: WireResponse): JsonValue | undefined {
	if (body.trim() === '') return undefined;
	try {
		return parseJson(body);
	} catch {
		return undefined;
	}
}
