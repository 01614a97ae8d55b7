import type { IBinaryData } from 'n8n-workflow';

import { FileDownload, type FileOrder } from './download';
import { isByteStream, type ByteStream } from '../../transport/answer';
import type { FileKeeper } from '../../transport/fileRequest';

/** How much of a file may be here before n8n's store has taken it. */
const READ_AHEAD_BYTES = 1024 ** 2;

/** A file in n8n's binary store. */
interface StoredFile {
	binary: IBinaryData;
	fileName: string;
	mimeType: string;
	/** In bytes. */
	size: number;
}

/**
 * Downloads a file into n8n's binary store, passing its bytes on as they come. An incomplete
 * file is not kept.
 *
 * @throws DownloadFailure, CanceledError, or what reading the run again threw
 */
export async function storeFile({ helpers }: FileKeeper, order: FileOrder): Promise<StoredFile> {
	const download = new FileDownload(order);
	let failure: unknown;
	const bytes = async function* (): AsyncGenerator<Uint8Array> {
		try {
			yield* download.rest();
		} catch (error) {
			throw (failure = error);
		}
	};
	try {
		const { fileName, mimeType, sample } = await download.open();
		const stream = toByteStream(bytes(), sample);
		const binary = await helpers.prepareBinaryData(stream, fileName, mimeType);
		return { binary, fileName, mimeType, size: download.size };
	} catch (error) {
		throw failure ?? error;
	} finally {
		download.close();
	}
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
