import { CanceledError, HelpfulError } from '../../service/errors';
import { isExpired, nameIn, type RunFile } from '../../service/files/files';
import { mimeTypeOf, sanitizeFileName } from '../../service/files/fileName';
import {
	nameInDisposition,
	parseContentRange,
	parseRetryAfter,
} from '../../service/http/httpHeaders';
import { pauseBeforeRetry } from '../../service/http/retry';
import {
	brokenConnection,
	DownloadFailure,
	missingFile,
	refusedDownload,
	staleLink,
	type Remedy,
} from '../../transport/downloadFailure';
import { readRemark, type ByteStream } from '../../transport/answer';
import { requestFile, type FileAnswer, type FileRequester } from '../../transport/fileRequest';
import { cancelSignalOf, pause, withSignal } from '../../transport/cancellation';

/** How often a file is asked for in all, each time for what is still missing. */
const ATTEMPTS = 5;

/** A connection on which nothing comes for this long counts as broken, in milliseconds. */
const LONGEST_SILENCE_MS = 60_000;

/** By how much of that less it may be. */
const SILENCE_SLACK = 1 / 60;

/** Of a file that is another one than when its download began. */
const CHANGED = 'it changed during the download';

/** What is to be downloaded, and within which limits. */
export interface FileOrder extends FileRequester {
	file: RunFile;
	/** Reads the run again, for a link that works. Undefined when the run has the file no more. */
	renew(): Promise<RunFile | undefined>;
	/** Raised when it must end; without one the execution's own. */
	signal?: AbortSignal | undefined;
	/** The largest file that is taken, in bytes, and what to do about a larger one. */
	maxBytes: number;
	sizeAdvice: string;
	/** The file's name where neither the run, the link nor the server has one. */
	fallbackName: string;
}

/** What is known of a file once its first bytes are on their way. */
interface FileHead {
	fileName: string;
	/** Without parameters. */
	mimeType: string;
	/** The stream that the answer came with, from which its class can be taken. */
	sample: ByteStream;
}

/** An answer that is being read. */
interface Part {
	answer: FileAnswer;
	chunks: AsyncIterator<unknown>;
	/** How many of its bytes are still to come that are here already. */
	known: number;
}

function toPart(answer: FileAnswer, known: number): Part {
	return { answer, chunks: answer.body[Symbol.asyncIterator](), known };
}

/**
 * One file on its way here. A connection that breaks is taken up again where it broke off: with a
 * Range request, or where the server knows none, by skipping the bytes that are here already.
 */
export class FileDownload {
	private readonly stopped: AbortSignal | undefined;
	private file: RunFile;
	/** Whether reading the run again gave another link, not expired either; undefined before that. */
	private isLinkNew: boolean | undefined;
	private attempts = 0;
	/** How many bytes were passed on. */
	private position = 0;
	/** The size of the whole file in bytes, as its server says. */
	private total: number | undefined;
	/** The file's version, by its server: a strong ETag. */
	private version: string | undefined;
	private part: Part | undefined;
	private connection = new AbortController();
	/** What ends the present silence, and since when it counts, in milliseconds since 1970. */
	private silence: { begun: number; signal: AbortSignal } | undefined;

	/** @param silenceMs how long nothing may come, in milliseconds */
	constructor(
		private readonly order: FileOrder,
		private readonly silenceMs = LONGEST_SILENCE_MS,
	) {
		this.stopped = order.signal ?? cancelSignalOf(order.context);
		this.file = order.file;
	}

	/** How many bytes came. */
	get size(): number {
		return this.position;
	}

	/**
	 * Asks for the file. Always call `close` in the end.
	 *
	 * @throws DownloadFailure, CanceledError, or what reading the run again threw
	 */
	async open(): Promise<FileHead> {
		const { file, order } = this;
		this.checkSize(file.size);
		const { answer } = await this.persist(async () => (this.part = await this.ask()));
		const { headers, url, body } = answer;
		const candidates = [file.name, nameInDisposition(headers['content-disposition']), nameIn(url)];
		const names = candidates.flatMap((name) => sanitizeFileName(name ?? '') ?? []);
		const fileName = names[0] ?? sanitizeFileName(order.fallbackName) ?? 'file';
		return { fileName, mimeType: mimeTypeOf(headers['content-type'], fileName), sample: body };
	}

	/**
	 * The next bytes of the file, after `open`; undefined at its end.
	 *
	 * @throws DownloadFailure, CanceledError, or what reading the run again threw
	 */
	async read(): Promise<Uint8Array | undefined> {
		return await this.persist(async () => await this.next((this.part ??= await this.ask())));
	}

	/** All that `read` gives. */
	async *rest(): AsyncGenerator<Uint8Array> {
		for (let bytes; (bytes = await this.read()) !== undefined;) yield bytes;
	}

	/** Ends the download, finished or not, and its connection. Nothing is asked for again. */
	close(): void {
		this.attempts = ATTEMPTS;
		this.connection.abort();
	}

	/** Does some work until it succeeds, or fails of what cannot be helped. */
	private async persist<T>(work: () => Promise<T>): Promise<T> {
		for (;;) {
			try {
				return await work();
			} catch (error) {
				await this.recover(error);
			}
		}
	}

	/** Asks for what is still missing. */
	private async ask(): Promise<Part> {
		if (this.stopped?.aborted) throw new CanceledError();
		if (this.isLinkNew === undefined && isExpired(this.file, Date.now())) await this.renew();
		const { url, obstacle } = this.file;
		if (url === undefined) throw missingFile(obstacle);
		this.connection = new AbortController();
		const { signal } = this.connection;
		const answer = await this.wait(requestFile(this.order, url, this.rangeHeaders(), signal));
		const { status, headers, body } = answer;
		if (this.position > 0 && status === 416) {
			this.checkEnd(headers);
			return toPart(answer, Infinity);
		}
		if (status !== 200 && !(status === 206 && this.position > 0)) {
			const retryAfter = parseRetryAfter(headers['retry-after'], Date.now());
			throw refusedDownload(status, await this.wait(readRemark(body)), retryAfter);
		}
		this.check(answer);
		return toPart(answer, status === 206 ? 0 : this.position);
	}

	private rangeHeaders(): Record<string, string> {
		if (this.position === 0) return {};
		const range = { Range: `bytes=${this.position}-` };
		return this.version === undefined ? range : { ...range, 'If-Range': this.version };
	}

	/** Notes what an answer tells of the file, and that it is still the same file. */
	private check({ status, headers }: FileAnswer): void {
		const range = parseContentRange(headers['content-range']);
		const length = headers['content-length'];
		const total = status === 206 ? range?.total : length === undefined ? undefined : Number(length);
		const version = headers.etag?.startsWith('"') ? headers.etag : undefined;
		if (
			(status === 206 && range?.start !== this.position) ||
			differs(total, this.total) ||
			differs(version, this.version)
		) {
			throw new DownloadFailure(CHANGED);
		}
		this.total ??= total;
		this.version ??= version;
		this.checkSize(this.total);
	}

	/** Checks that the file has ended where its server says that there is no more, whatever the run says. */
	private checkEnd(headers: FileAnswer['headers']): void {
		if (parseContentRange(headers['content-range'])?.total === this.position) return;
		throw this.total === undefined ? this.endedEarly('none') : new DownloadFailure(CHANGED);
	}

	private checkSize(size: number | undefined): void {
		const { maxBytes, sizeAdvice } = this.order;
		if (size === undefined || size <= maxBytes) return;
		throw new DownloadFailure(`it is larger than ${maxBytes / 1024 ** 2} MB`, 'none', sizeAdvice);
	}

	private endedEarly(remedy: Remedy): DownloadFailure {
		const size = this.total ?? this.file.size;
		return new DownloadFailure(`it ended after ${this.position} of ${size} bytes`, remedy);
	}

	/** The next bytes that are not here yet; undefined at the end of the file. */
	private async next(part: Part): Promise<Uint8Array | undefined> {
		for (;;) {
			const chunk: unknown = (await this.wait(part.chunks.next())).value;
			if (!(chunk instanceof Uint8Array)) {
				if (this.isShort(part.answer)) throw this.endedEarly('repeat');
				return undefined;
			}
			const known = Math.min(part.known, chunk.length);
			part.known -= known;
			if (known === chunk.length) continue;
			this.position += chunk.length - known;
			this.checkSize(this.position);
			return chunk.subarray(known);
		}
	}

	/**
	 * Whether a body ended before the file did. A whole file of known length cannot: the connection
	 * would count as broken.
	 */
	private isShort({ status, headers }: FileAnswer): boolean {
		if (status === 416) return false;
		if (status === 200 && headers['content-length'] !== undefined) return false;
		const size = this.total ?? this.file.size;
		return size !== undefined && this.position < size;
	}

	/** Does what may help after a failure; throws it when nothing does. */
	private async recover(error: unknown): Promise<void> {
		this.connection.abort();
		this.part = undefined;
		if (this.stopped?.aborted) throw new CanceledError();
		const failure = error instanceof HelpfulError ? error : brokenConnection(error);
		if (!(failure instanceof DownloadFailure)) throw failure;
		if (failure.remedy === 'renew') {
			if (this.isLinkNew === undefined) return await this.renew();
			throw this.isLinkNew ? failure : staleLink(failure, this.expiredAt());
		}
		if (failure.remedy !== 'repeat' || ++this.attempts >= ATTEMPTS) throw failure;
		const asked = failure.retryAfterMs;
		await pause(pauseBeforeRetry(this.attempts, asked, Math.random()), this.stopped);
	}

	private async renew(): Promise<void> {
		const { url } = this.file;
		this.file = (await this.order.renew()) ?? this.file;
		this.isLinkNew = this.file.url !== url && this.expiredAt() === undefined;
	}

	private expiredAt(): number | undefined {
		return isExpired(this.file, Date.now()) ? this.file.expiresAt : undefined;
	}

	/** Raised when nothing has come for too long. One for each piece would take more time than the piece. */
	private latestSilence(): AbortSignal {
		const now = Date.now();
		if (this.silence === undefined || now - this.silence.begun > this.silenceMs * SILENCE_SLACK) {
			this.silence = { begun: now, signal: AbortSignal.timeout(this.silenceMs) };
		}
		return this.silence.signal;
	}

	/** Waits for work of the connection, no longer than there may be silence: n8n's HTTP client would wait for ever. */
	private async wait<T>(work: Promise<T>): Promise<T> {
		const silence = this.latestSilence();
		const unlessStopped = this.stopped === undefined ? work : withSignal(this.stopped, work);
		try {
			return await withSignal(silence, unlessStopped);
		} catch (error) {
			const reason = `no data came for ${this.silenceMs / 1000} seconds`;
			throw silence.aborted ? new DownloadFailure(reason, 'repeat') : error;
		}
	}
}

function differs<T>(now: T | undefined, before: T | undefined): boolean {
	return now !== undefined && before !== undefined && now !== before;
}
