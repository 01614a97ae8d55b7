import type { IBinaryData } from 'n8n-workflow';

import { isByteStream, type ByteStream } from '../../transport/answer';
import { takeFile, type FileOrder } from './download';

/** How much of a file may be here before n8n's store has taken it. */
const READ_AHEAD_BYTES = 1024 ** 2;

/** A file in n8n's binary store, and what is told of it: its name, size in bytes, and type. */
interface StoredFile {
	binary: IBinaryData;
	name: string;
	size: number;
	mime_type: string;
}

/**
 * Downloads a file into n8n's binary store, passing its bytes on as they come. An incomplete
 * file is not kept.
 *
 * @throws FileError or CanceledError
 */
export async function storeFile(order: FileOrder): Promise<StoredFile> {
	const { helpers } = order.context;
	return await takeFile(order, async ({ fileName, mimeType, sample, bytes, size }) => {
		const stream = toByteStream(bytes, sample);
		const binary = await helpers.prepareBinaryData(stream, fileName, mimeType);
		return { binary, name: fileName, size: size(), mime_type: binary.mimeType };
	});
}

/**
 * A stream of bytes that n8n's store takes. Node's stream module may not be imported in nodes of
 * the community, so the class is taken from a stream that n8n made.
 */
function toByteStream(bytes: AsyncIterable<Uint8Array>, sample: ByteStream): ByteStream {
	const { constructor } = sample;
	if (isStreamMaker(constructor)) {
		const stream: unknown = constructor.from(bytes, {
			objectMode: false,
			highWaterMark: READ_AHEAD_BYTES,
		});
		if (isByteStream(stream)) return stream;
	}
	throw new Error('This n8n gives streams of an unknown kind');
}

/** The part of Node's class of streams that makes one. */
interface StreamMaker {
	from(
		bytes: AsyncIterable<Uint8Array>,
		options: { objectMode: boolean; highWaterMark: number },
	): unknown;
}

function isStreamMaker(value: object): value is StreamMaker {
	return 'from' in value && typeof value.from === 'function';
}
