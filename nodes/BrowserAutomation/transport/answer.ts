import { ServiceError } from '../service/errors';
import { isByteStream } from './fileRequest';

const MEGABYTE = 1024 ** 2;

/**
 * Reads a body to its end, as long as it is not too large. n8n has unpacked it, so that what counts is
 * what fills the memory.
 *
 * @param body what n8n's HTTP helpers give for `encoding: 'stream'`
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
	// A stream that fails while nobody reads it would end the whole process.
	body.on('error', () => undefined);
	signal.addEventListener('abort', () => body.destroy());
	for await (const chunk of body) {
		if (!Buffer.isBuffer(chunk)) continue;
		size += chunk.length;
		if (size > maxBytes) throw tooLarge(maxBytes);
		chunks.push(chunk);
	}
	return Buffer.concat(chunks);
}

/** The same request would bring the same, and a start may have been carried out. */
function tooLarge(maxBytes: number): ServiceError {
	return new ServiceError(
		`The service’s answer is larger than ${maxBytes / MEGABYTE} MB, and was not read to its end`,
		'Raise Max Answer Size (MB) under Options if it may be that large, and if this n8n has the memory for it.',
		{ isLasting: true },
	);
}
