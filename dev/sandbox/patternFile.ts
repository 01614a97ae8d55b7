import { Readable } from 'node:stream';

const BLOCK = 4096;
const BLOCKS_PER_CHUNK = 16;
const OFFSET_DIGITS = 16;

const FILLER = `${' archived page content'.repeat(200).slice(0, BLOCK - OFFSET_DIGITS - 1)}\n`;

/**
 * Bytes of the large file, made while they are read: block n (4,096 bytes) starts with its own
 * offset in 16 decimal digits and goes on with the same text, so any part can be verified.
 * @param start first byte, @param end last byte (included)
 */
export function readPattern(start: number, end: number): Readable {
	return Readable.from(patternChunks(start, end), { objectMode: false });
}

function* patternChunks(start: number, end: number): Generator<Buffer> {
	const chunkSize = BLOCK * BLOCKS_PER_CHUNK;
	const template = Buffer.from(`${'0'.repeat(OFFSET_DIGITS)}${FILLER}`.repeat(BLOCKS_PER_CHUNK));
	for (let at = Math.floor(start / chunkSize) * chunkSize; at <= end; at += chunkSize) {
		const chunk = Buffer.from(template);
		for (let block = 0; block < BLOCKS_PER_CHUNK; block += 1) {
			const offset = String(at + block * BLOCK).padStart(OFFSET_DIGITS, '0');
			chunk.write(offset, block * BLOCK, 'latin1');
		}
		yield chunk.subarray(Math.max(0, start - at), Math.min(chunkSize, end - at + 1));
	}
}
