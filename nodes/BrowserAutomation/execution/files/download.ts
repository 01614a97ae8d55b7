import { CanceledError, errorFacts, HelpfulError, messageOf } from '../../service/errors';
import { isExpired, nameIn, type RunFile } from '../../service/files/files';
import { mimeTypeOf, sanitizeFileName } from '../../service/files/fileName';
import { nameInDisposition, parseContentRange, retryAfterOf } from '../../service/http/httpHeaders';
import { pauseBeforeRetry } from '../../service/http/retry';
import {
	brokenConnection,
	DownloadFailure,
	missingFile,
	refusedDownload,
	staleLink,
	type Remedy,
} from '../../transport/downloadFailure';
import { readBody, type ByteStream } from '../../transport/answer';
import { requestFile, type FileAnswer, type FileRequester } from '../../transport/fileRequest';
import { anySignal, pause, withSignal } from '../../transport/cancellation';

/** How often a file is requested in a row without a further byte. Each request asks for those that are still missing. */
const ATTEMPTS = 5;

/** How long a connection may be silent before it counts as broken, in milliseconds. */
const MAX_IDLE_MS = 60_000;

/** How much is read of an answer that has no file, in bytes. */
const MAX_REMARK_LENGTH = 16_384;

/** The reason where the file is not the one whose download began. */
const CHANGED = 'it changed during the download';

/** A file to download, and the limits. */
export interface DownloadRequest extends FileRequester {
	taskId: string;
	file: RunFile;
	/** Reads the run again, for another link than this. Undefined when the run no longer has the file. */
	renew(url: string | undefined): Promise<RunFile | undefined>;
	/** Aborts the download. */
	signal: AbortSignal | undefined;
	maxBytes: number;
	/** What to do about a larger one. */
	sizeAdvice: string;
}

/** A file whose download has begun. */
export interface OpenFile {
	fileName: string;
	/** Without parameters. Undefined where the file name says more than the server. */
	mimeType: string | undefined;
	/** The stream of the answer. Its class makes further streams. */
	sample: ByteStream;
	/** All its bytes, once. */
	bytes: AsyncIterable<Uint8Array>;
	/** How many its server says there are, within the limit; 0 where it does not. Packed, there are more, which may never end. */
	announced: number;
	/** How many bytes have come. */
	size(): number;
}

/**
 * Downloads a file. `take` reads its bytes as they come. The connection is closed in any case.
 *
 * @param silenceMs how long the connection may be silent, in milliseconds
 * @returns what `take` returns
 * @throws HelpfulError, with `task_id` and file name, where the download or `take` fails; CanceledError
 */
export async function takeFile<T>(
	wanted: DownloadRequest,
	take: (file: OpenFile) => Promise<T>,
	silenceMs = MAX_IDLE_MS,
): Promise<T> {
	const { file, taskId } = wanted;
	const fallback = `${taskId}_${file.key}`;
	const over = new AbortController();
	const download = new Download(wanted, anySignal(over.signal, wanted.signal), silenceMs);
	try {
		const answer = await download.ask();
		const { headers, url, body } = answer;
		const disposition = headers['content-disposition'];
		const names = [file.name, nameInDisposition(disposition), nameIn(url), fallback];
		const [fileName = 'file'] = names.flatMap((name) => sanitizeFileName(name ?? '') ?? []);
		return await take({
			fileName,
			mimeType: mimeTypeOf(headers['content-type'], fileName),
			sample: body,
			bytes: download.bytes(answer),
			announced: Number(headers['content-length'] ?? 0),
			size: () => download.position,
		});
	} catch (error) {
		// `take` may have wrapped the failure of the download.
		const cause = download.failure ?? error;
		const about = { task_id: taskId, file: file.name ?? fallback };
		const full = 'Check that n8n’s store for binary data has room, then try again.';
		throw cause instanceof CanceledError
			? cause
			: new HelpfulError(
					`The file "${about.file}" of run ${taskId} could not be downloaded: ${messageOf(cause)}`,
					cause instanceof HelpfulError ? cause.advice : full,
					undefined,
					{ ...about, ...errorFacts(cause) },
				);
	} finally {
		over.abort();
	}
}

/**
 * The download of one file. After a broken connection it continues with a Range request. If the server does
 * not support these, it skips the bytes that it has.
 */
class Download {
	/** How many bytes `take` was given. */
	position = 0;
	/** Why the download failed, if it did. */
	failure: unknown;
	private file: RunFile;
	/** Whether reading the run again gave another link that has not expired. Undefined before that. */
	private isLinkNew: boolean | undefined;
	private attempts = 0;
	/** How many bytes had come at the last failure: after further ones, all means are new. */
	private failedAt = 0;
	/** The size of the whole file in bytes, by its server. */
	private total: number | undefined;
	/** The file's version, by its server: a strong ETag. */
	private version: string | undefined;
	private connection = new AbortController();
	/** The signal that ends the present silence, and when it was made, in milliseconds since 1970. */
	private silence: { begun: number; signal: AbortSignal } | undefined;

	/** @param stopped aborts the download */
	constructor(
		private readonly wanted: DownloadRequest,
		private readonly stopped: AbortSignal,
		private readonly silenceMs: number,
	) {
		this.file = wanted.file;
	}

	/** Requests the missing bytes, again where that may help. @throws as `recover` */
	async ask(): Promise<FileAnswer> {
		for (;;) {
			try {
				return await this.askOnce();
			} catch (error) {
				await this.recover(error);
			}
		}
	}

	/** All bytes of the file, beginning with those of this answer. @throws as `recover` */
	async *bytes(answer: FileAnswer): AsyncGenerator<Uint8Array, void> {
		try {
			for (let part = answer; ; part = await this.ask()) {
				try {
					return yield* this.missingIn(part);
				} catch (error) {
					await this.recover(error);
				}
			}
		} catch (error) {
			throw (this.failure = error);
		}
	}

	private async askOnce(): Promise<FileAnswer> {
		this.stopped.throwIfAborted();
		if (this.isLinkNew === undefined && isExpired(this.file, Date.now())) await this.renew();
		const { position, version } = this;
		const { url, obstacle, size } = this.file;
		this.checkSize(size);
		if (url === undefined) throw missingFile(obstacle);
		this.connection = new AbortController();
		const signal = anySignal(this.connection.signal, this.stopped);
		const range = {
			...(position > 0 && { Range: `bytes=${position}-` }),
			...(position > 0 && version !== undefined && { 'If-Range': version }),
		};
		const answer = await this.wait(requestFile(this.wanted, url, range, signal));
		const { status, headers, body } = answer;
		if (status === 200 || (position > 0 && status === 206)) this.check(answer);
		else if (position === 0 || status !== 416) {
			const words = await this.wait(
				readBody(body, MAX_REMARK_LENGTH, signal).then(String, () => ''),
			);
			throw refusedDownload(status, words, retryAfterOf(headers));
		} else if (parseContentRange(headers['content-range']).total !== position) {
			// The server says that the file has no more bytes.
			throw this.total === undefined ? this.endedEarly('none') : new DownloadFailure(CHANGED);
		}
		return answer;
	}

	/** Records the size and version in an answer, and checks that the file is still the same. */
	private check({ status, headers }: FileAnswer): void {
		const range = parseContentRange(headers['content-range']);
		const length = headers['content-length'];
		const total = status === 206 ? range.total : length === undefined ? undefined : Number(length);
		const version = headers.etag?.startsWith('"') ? headers.etag : undefined;
		if (
			(status === 206 && range.start !== this.position) ||
			differs(total, this.total) ||
			differs(version, this.version)
		) {
			throw new DownloadFailure(CHANGED);
		}
		this.total ??= total;
		this.version ??= version;
		this.checkSize(this.total);
	}

	private checkSize(size: number | undefined): void {
		const { maxBytes, sizeAdvice } = this.wanted;
		if (size === undefined || size <= maxBytes) return;
		throw new DownloadFailure(`it is larger than ${maxBytes / 1024 ** 2} MB`, 'none', sizeAdvice);
	}

	private endedEarly(remedy: Remedy): DownloadFailure {
		const size = this.total ?? this.file.size;
		return new DownloadFailure(`it ended after ${this.position} of ${size} bytes`, remedy);
	}

	/** The bytes of an answer, without those that came before. */
	private async *missingIn(answer: FileAnswer): AsyncGenerator<Uint8Array, void> {
		const { status, headers, body } = answer;
		if (status === 416) return;
		let known = status === 206 ? 0 : this.position;
		const chunks = body[Symbol.asyncIterator]();
		for (;;) {
			const chunk: unknown = (await this.wait(chunks.next())).value;
			if (!(chunk instanceof Uint8Array)) break;
			const fresh = chunk.subarray(known);
			known -= chunk.length - fresh.length;
			if (fresh.length === 0) continue;
			this.position += fresh.length;
			this.checkSize(this.position);
			yield fresh;
		}
		// A whole answer of known length cannot end early: Node.js reports a broken connection.
		const isWhole = status === 200 && headers['content-length'] !== undefined;
		const size = this.total ?? this.file.size ?? 0;
		if (!isWhole && this.position < size) throw this.endedEarly('repeat');
	}

	/**
	 * Prepares the next request after a failure: waits, or reads the run again for a new link.
	 *
	 * @throws DownloadFailure where another request would not help; CanceledError; as reading the run
	 */
	private async recover(error: unknown): Promise<void> {
		this.connection.abort();
		if (this.stopped.aborted) throw new CanceledError();
		const failure = error instanceof HelpfulError ? error : brokenConnection(error);
		if (!(failure instanceof DownloadFailure)) throw failure;
		if (this.position > this.failedAt) [this.attempts, this.isLinkNew] = [0, undefined];
		this.failedAt = this.position;
		if (failure.remedy === 'renew') {
			if (this.isLinkNew === undefined) return await this.renew();
			throw this.isLinkNew ? failure : staleLink(failure, this.file);
		}
		if (failure.remedy !== 'repeat' || ++this.attempts >= ATTEMPTS) throw failure;
		await pause(pauseBeforeRetry(this.attempts, failure.retryAfterMs), this.stopped);
	}

	private async renew(): Promise<void> {
		const { url } = this.file;
		this.file = (await this.wanted.renew(url)) ?? this.file;
		this.isLinkNew = this.file.url !== url && !isExpired(this.file, Date.now());
	}

	/**
	 * Waits for the connection, for `silenceMs` at most: n8n's HTTP client would wait for ever. A signal for each
	 * piece would cost more than the piece, so pieces share one, and the wait may be a sixtieth shorter.
	 */
	private async wait<T>(work: Promise<T>): Promise<T> {
		const now = Date.now();
		if (this.silence === undefined || now - this.silence.begun > this.silenceMs / 60) {
			this.silence = { begun: now, signal: AbortSignal.timeout(this.silenceMs) };
		}
		const { signal } = this.silence;
		try {
			return await withSignal(signal, withSignal(this.stopped, work));
		} catch (error) {
			const reason = `no data came for ${this.silenceMs / 1000} seconds`;
			throw signal.aborted ? new DownloadFailure(reason, 'repeat') : error;
		}
	}
}

function differs<T>(now: T | undefined, before: T | undefined): boolean {
	return now !== undefined && before !== undefined && now !== before;
}
