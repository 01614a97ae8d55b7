import { attempt } from '../attempt';
import { decodeText, type BytesAnswer } from './content';
import { excerptOf, readEnvelope, readRefusal, refusal } from './envelope';
import { BASE_URL, ConnectionError, ServiceError } from '../errors';
import { checkPayload } from './expectation';
import { retryAfterOf } from './httpHeaders';
import { readJson, type JsonValue } from '../json/json';
import { withoutSecret } from './redaction';
import { pathWithQuery, type HttpMethod, type ServiceRequest } from './request';
import { DEFAULT_LIMITS, type RequestLimits } from './credential';
import { isTransient, pauseBeforeRetry, READ_ATTEMPTS } from './retry';
import { startOf } from '../text';

/** A request as it goes over the wire. */
export interface WireRequest {
	method: HttpMethod;
	url: string;
	headers: Record<string, string>;
	body?: string;
	timeoutMs: number;
	maxBytes: number;
}

/** How the client sends requests, redacts and waits; `transport/client.ts` does it with n8n's helpers. */
export interface Transport {
	/** Scheme, host and port of the service, and a path if it has one; no slash at the end. */
	baseUrl: string;
	/** Redacted in all errors, also in the service's own words; empty where there is none. */
	secret: string;
	/** DEFAULT_LIMITS where there are none. */
	limits?: RequestLimits;
	/**
	 * Sends a request with the key, and follows no redirect. The answer comes as it is, whatever its status.
	 *
	 * @throws ConnectionError when no complete answer came in time, ServiceError when it is too large,
	 * CanceledError when the execution was stopped
	 */
	request(request: WireRequest): Promise<BytesAnswer>;
	/** Waits. @throws CanceledError when the execution is stopped meanwhile */
	pause(milliseconds: number): Promise<void>;
}

/** Talks to the service: sends requests, opens envelopes, turns refusals into errors. */
export interface ServiceClient {
	readonly baseUrl: string;
	/** DEFAULT_LIMITS where there are none. */
	readonly limits?: RequestLimits;
	/** The service's time when it last answered (its `Date` header), in milliseconds since 1970; undefined without one. */
	lastDate?(): number | undefined;
	/**
	 * Sends a request and returns its payload: an envelope's `data`, or the resource itself, checked
	 * against what the request expects. Reads (GET), and what `mayRepeat`, are
	 * retried when that may help; everything else is sent once.
	 *
	 * @returns undefined when the answer has no body
	 * @throws ServiceError, ConnectionError or CanceledError
	 */
	send(request: ServiceRequest): Promise<JsonValue | undefined>;
}

/** Makes a client of the service in the given transport. */
export function createClient(transport: Transport): ServiceClient {
	const { baseUrl, limits = DEFAULT_LIMITS } = transport;
	let date = NaN;

	const sendOnce = async (request: ServiceRequest): Promise<JsonValue | undefined> => {
		const left = (request.until ?? Infinity) - Date.now();
		if (left <= 0) {
			const advice = 'The service answers slowly. Try again in a moment.';
			throw new ConnectionError('there was no time left to ask it', false, advice);
		}
		const body = request.body === undefined ? undefined : JSON.stringify(request.body);
		const type = body === undefined ? {} : { 'Content-Type': 'application/json' };
		const answer = await transport.request({
			method: request.method,
			url: baseUrl + pathWithQuery(request),
			headers: { Accept: 'application/json', ...request.headers, ...type },
			...(body !== undefined && { body }),
			timeoutMs: Math.min(limits.timeoutMs, left),
			maxBytes: limits.maxBytes,
		});
		date = Date.parse(answer.headers.date ?? '');
		if (request.take?.(answer) === true) return undefined;
		const payload = openAnswer(request, answer);
		checkPayload(request, payload);
		return payload;
	};

	const send = async (request: ServiceRequest): Promise<JsonValue | undefined> => {
		const { mayRepeat = request.method === 'GET' } = request;
		const attempts = mayRepeat ? READ_ATTEMPTS : 1;
		for (let tries = 1; ; tries++) {
			const sent = await attempt(sendOnce(request));
			if (sent.ok) return sent.value;
			const error = withoutSecret(sent.error, transport.secret);
			if (tries >= attempts || !isTransient(error)) throw error;
			const retryAfterMs = error instanceof ServiceError ? error.facts.retryAfterMs : undefined;
			const pause = pauseBeforeRetry(tries, retryAfterMs);
			if (Date.now() + pause >= (request.until ?? Infinity)) throw error;
			await transport.pause(pause);
		}
	};

	return { baseUrl, limits, send, lastDate: () => (Number.isNaN(date) ? undefined : date) };
}

/** The limits of a client's requests; DEFAULT_LIMITS without a client. */
export function limitsOf(client?: ServiceClient): RequestLimits {
	return client?.limits ?? DEFAULT_LIMITS;
}

/** A client whose requests are over by a moment, in milliseconds since 1970, unless they say another. */
export function withDeadline(client: ServiceClient, until: number): ServiceClient {
	return { ...client, send: async (request) => await client.send({ until, ...request }) };
}

/** The codes of an envelope that is no refusal. The interface does not say which: the service sends 0, and 200 repeats HTTP's. */
const SUCCESS_CODES: ReadonlyArray<number | undefined> = [0, 200];

/**
 * The payload of an answer: an envelope's `data`, or the resource itself (docs/service.md: Response
 * envelope). A success status with any other code in its envelope is a refusal too.
 */
function openAnswer(
	{ path }: ServiceRequest,
	{ status, headers, bytes }: BytesAnswer,
): JsonValue | undefined {
	const succeeded = status >= 200 && status < 300;
	if (status >= 300 && status < 400) {
		throw new ServiceError(
			`The service sent the request elsewhere (HTTP ${status})`,
			`Check ${BASE_URL}: its scheme, host and path must be the service’s own.`,
			{ httpStatus: status },
		);
	}
	const decoded = decodeText(bytes, headers['content-type'] ?? '');
	const text = decoded ?? bytes.toString('latin1');
	// What is in no character set that it could be in is refused rather than spoilt.
	const body = decoded === undefined ? undefined : readJson(decoded);
	if (body === undefined && succeeded && text.trim() !== '') {
		const words = excerptOf(text).trim() || text.trim();
		throw new ServiceError(
			`The service’s answer cannot be read as JSON, but begins with "${startOf(words, 100)}"`,
		);
	}
	const envelope = succeeded ? readEnvelope(body) : readRefusal(text);
	if (!succeeded || (envelope !== undefined && !SUCCESS_CODES.includes(envelope.code))) {
		throw refusal(status, envelope, retryAfterOf(headers), path);
	}
	return envelope === undefined ? body : envelope.data;
}
