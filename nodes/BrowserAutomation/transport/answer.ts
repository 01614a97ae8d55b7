import type { IExecuteFunctions, IHttpRequestOptions, IN8nHttpFullResponse } from 'n8n-workflow';

import { ServiceError } from '../service/errors';
import { partOf } from '../service/json/json';

/** A stream as n8n's helpers take and give it. */
export type ByteStream = Exclude<
	Parameters<IExecuteFunctions['helpers']['prepareBinaryData']>[0],
	Buffer
>;

/** A whole answer of n8n's HTTP helpers. Header names are in lower case. */
export interface FullAnswer {
	status: number;
	headers: Record<string, string | undefined>;
	/** As the request's `encoding` asked for it. */
	body: unknown;
}

/** Options for an answer as it comes: its body as a stream, no error for any status, no redirect followed. */
export const AS_IT_COMES = {
	encoding: 'stream',
	returnFullResponse: true,
	ignoreHttpStatusErrors: true,
	disableFollowRedirect: true,
	sendCredentialsOnCrossOriginRedirect: false,
} satisfies Partial<IHttpRequestOptions>;

/**
 * Reads what n8n's HTTP helpers give where the whole answer was asked for. They do not say its type; status, headers and body
 * are always in it (seen in 1.123 and 2.41: `returnFullResponse`, `resolveWithFullResponse`).
 */
export function readFullAnswer(answer: unknown): FullAnswer {
	const { statusCode, headers, body } = answer as IN8nHttpFullResponse;
	const texts = Object.entries(headers).map(([name, value]) => [name, String(value)] as const);
	// A stream that fails while nobody reads it would end the whole process.
	if (isByteStream(body)) body.on('error', () => undefined);
	return { status: statusCode, headers: Object.fromEntries(texts), body };
}

/** Whether a value is a stream that can be read. */
export function isByteStream(value: unknown): value is ByteStream {
	const parts = [partOf(value, 'pipe'), partOf(value, Symbol.asyncIterator)];
	return parts.every((part) => typeof part === 'function');
}

/**
 * Reads a body to its end, as long as it is not too large. n8n has unpacked it, so that what counts is
 * what fills the memory.
 *
 * @param signal ends the connection
 * @throws ServiceError for one that is too large, whose connection is ended then; else what the stream throws
 */
export async function readBody(
	body: unknown,
	maxBytes: number,
	signal: AbortSignal,
): Promise<Buffer> {
	const chunks: Buffer[] = [];
	let size = 0;
	if (!isByteStream(body)) return Buffer.alloc(0);
	const end = (): void => void body.destroy();
	signal.addEventListener('abort', end);
	try {
		for await (const chunk of body) {
			if (!Buffer.isBuffer(chunk)) continue;
			size += chunk.length;
			if (size > maxBytes) {
				// The same request would bring the same, and a start may have been carried out.
				throw new ServiceError(
					`The service’s answer is larger than ${maxBytes / 1024 ** 2} MB, and was not read to its end`,
					"Raise 'Max Response Size (MB)' in the credential if it may be that large, and if this n8n has the memory for it.",
					{ isLasting: true },
				);
			}
			chunks.push(chunk);
		}
	} finally {
		// Node keeps a combined signal that is listened to, and all that the listener holds, until it is raised.
		signal.removeEventListener('abort', end);
	}
	return Buffer.concat(chunks);
}
