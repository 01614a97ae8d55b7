import { explain } from './errorCodes';
import { ServiceError } from './errors';
import { isJsonObject, textAt, type JsonValue } from './json';

/** The response envelope (interface: Response envelope, shape ResponseData). */
export interface Envelope {
	code: number;
	msg: string | undefined;
	traceId: string | undefined;
	data: JsonValue | undefined;
}

/** Reads an envelope; undefined when the body is a resource of its own. */
export function readEnvelope(body: JsonValue | undefined): Envelope | undefined {
	if (!isJsonObject(body) || typeof body.code !== 'number' || !Number.isInteger(body.code)) {
		return undefined;
	}
	if (!['msg', 'traceId', 'ts', 'data'].some((key) => key in body)) return undefined;
	return {
		code: body.code,
		msg: textAt(body, 'msg'),
		traceId: textAt(body, 'traceId'),
		data: body.data,
	};
}

/**
 * The error behind a refusing answer. The message says what happened and keeps the service's own
 * words and code; the advice says what to do and names the trace ID.
 *
 * @param retryAfterMs what Retry-After asked for, in milliseconds
 */
export function refusal(
	httpStatus: number,
	envelope: Envelope | undefined,
	retryAfterMs?: number,
): ServiceError {
	const { what, advice } = explain(envelope?.code, httpStatus);
	const words = envelope?.msg === undefined ? '' : `: ${envelope.msg}`;
	const code = envelope === undefined ? `HTTP ${httpStatus}` : `code ${envelope.code}`;
	const trace = envelope?.traceId === undefined ? '' : ` Trace ID: ${envelope.traceId}.`;
	return new ServiceError(`${what}${words} (${code})`, `${advice}${trace}`, {
		code: envelope?.code,
		msg: envelope?.msg,
		traceId: envelope?.traceId,
		httpStatus,
		retryAfterMs,
	});
}
