import { sleep } from 'n8n-workflow';

import { CanceledError } from '../../service/errors';
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
	fileChanged,
	incomplete,
	missingFile,
	refusedDownload,
	staleLink,
	stalled,
	tooLarge,
	type Remedy,
} from '../../transport/downloadFailure';
import {
	readRemark,
	requestFile,
	type ByteStream,
	type FileAnswer,
	type FileRequester,
} from '../../transport/fileRequest';
import { cancelSignalOf, pause, withSignal } from '../../transport/cancellation';

/** How often a file is asked for in all, each time for what is still missing. */
const ATTEMPTS = 5;

/** A connection on which nothing comes for this long counts as broken, in milliseconds. */
const STALL_MS = 60_000;

/** How often connections are checked for silence, in milliseconds. */
const WATCH_MS = 1_000;

/** What is to be downloaded, and within which limits. */
export interface FileOrder extends FileRequester {
	file: RunFile;
	/** Reads the run again, for a link that works. Undefined when the run has the file no more. */
	renew(): Promise<RunFile | undefined>;
	/** Raised when it must end; without one the execution's own. */
	signal?: AbortSignal | undefined;
	/** The largest file that is taken, in bytes, and what to do about a larger one. */
	maxBytes: number;
	sizeAdvice?: string;
	/** The file's name where neither the run, the link nor the server has one. */
	fallbackName: string;
}

/** What is known of a file once its first bytes are on their way. */
export interface FileHead {
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

function toPart(answer: FileAnswer, position: number): Part {
	const chunks = answer.body[Symbol.asyncIterator]();
	const { status } = answer;
	return { answer, chunks, known: status === 206 ? 0 : status === 416 ? Infinity : position };
}

/**
 * One file on its way here. A connection that breaks is taken up again where it broke off: with a
 * Range request, or where the server knows none, by skipping the bytes that are here already.
 */
export class FileDownload {
	private readonly signal: AbortSignal | undefined;
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
	private waitingSince: number | undefined;
	private isOver = false;

	/** @param stallMs how long nothing may come, in milliseconds */
	constructor(
		private readonly order: FileOrder,
		private readonly stallMs = STALL_MS,
	) {
		this.signal = order.signal ?? cancelSignalOf(order.context);
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
		if (file.size !== undefined && file.size > order.maxBytes) throw this.tooLarge();
		this.signal?.addEventListener('abort', this.stop);
		void this.abortWhenStalled();
		const answer = await this.ask();
		this.part = toPart(answer, 0);
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
		for (;;) {
			const part = (this.part ??= toPart(await this.ask(), this.position));
			let chunk: unknown;
			try {
				chunk = (await this.wait(part.chunks.next())).value;
			} catch (error) {
				await this.recover(error);
				continue;
			}
			if (!(chunk instanceof Uint8Array)) {
				if (!this.isShort(part.answer)) return undefined;
				await this.recover(this.endedEarly('repeat'));
				continue;
			}
			const known = Math.min(part.known, chunk.length);
			part.known -= known;
			if (known === chunk.length) continue;
			this.position += chunk.length - known;
			if (this.position > this.order.maxBytes) throw this.tooLarge();
			return chunk.subarray(known);
		}
	}

	/** Ends the download, finished or not, and its connection. */
	close(): void {
		this.isOver = true;
		this.signal?.removeEventListener('abort', this.stop);
		this.connection.abort();
	}

	private readonly stop = (): void => this.connection.abort(new CanceledError());

	/** Asks for what is still missing, until there is an answer to read from. */
	private async ask(): Promise<FileAnswer> {
		for (;;) {
			if (this.signal?.aborted) throw new CanceledError();
			if (this.isLinkNew === undefined && isExpired(this.file, Date.now())) await this.renew();
			try {
				return await this.askOnce();
			} catch (error) {
				await this.recover(error);
			}
		}
	}

	private async askOnce(): Promise<FileAnswer> {
		this.connection = new AbortController();
		const { url, obstacle } = this.file;
		if (url === undefined) throw missingFile(obstacle);
		const { signal } = this.connection;
		const answer = await this.wait(requestFile(this.order, url, this.rangeHeaders(), signal));
		if (this.isEnd(answer)) return answer;
		if (answer.status !== 200 && !(answer.status === 206 && this.position > 0)) {
			const retryAfter = parseRetryAfter(answer.headers['retry-after'], Date.now());
			const remark = await this.wait(readRemark(answer.body));
			throw this.position > 0 && answer.status === 416
				? this.total === undefined
					? this.endedEarly('none')
					: fileChanged()
				: refusedDownload(answer.status, remark, retryAfter);
		}
		this.check(answer);
		return answer;
	}

	/** Whether the server says that the file has ended where the run says that there is more of it. */
	private isEnd({ status, headers }: FileAnswer): boolean {
		const total = parseContentRange(headers['content-range'])?.total;
		return status === 416 && this.position > 0 && total === this.position;
	}

	private endedEarly(remedy: Remedy): DownloadFailure {
		return incomplete(this.position, this.total ?? this.file.size, remedy);
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
			throw fileChanged();
		}
		this.total ??= total;
		this.version ??= version;
		if (this.total !== undefined && this.total > this.order.maxBytes) {
			throw this.tooLarge();
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
		const { aborted } = this.connection.signal;
		this.connection.abort();
		this.part = undefined;
		if (this.signal?.aborted) throw new CanceledError();
		const cause: unknown = aborted ? this.connection.signal.reason : error;
		const failure = cause instanceof DownloadFailure ? cause : brokenConnection(cause);
		if (failure.remedy === 'renew') {
			if (this.isLinkNew === undefined) return await this.renew();
			throw this.isLinkNew ? failure : staleLink(failure, this.expiredAt());
		}
		if (failure.remedy !== 'repeat' || ++this.attempts >= ATTEMPTS) throw failure;
		const asked = failure.retryAfterMs;
		await pause(pauseBeforeRetry(this.attempts, asked, Math.random()), this.signal);
	}

	private async renew(): Promise<void> {
		const { url } = this.file;
		this.file = (await this.order.renew()) ?? this.file;
		this.isLinkNew = this.file.url !== url && this.expiredAt() === undefined;
	}

	private expiredAt(): number | undefined {
		return isExpired(this.file, Date.now()) ? this.file.expiresAt : undefined;
	}

	private tooLarge(): DownloadFailure {
		return tooLarge(this.order.maxBytes, this.order.sizeAdvice);
	}

	/** Waits for work of the connection, no longer than until the connection is given up. */
	private async wait<T>(work: Promise<T>): Promise<T> {
		this.waitingSince = Date.now();
		try {
			return await withSignal(this.connection.signal, work);
		} finally {
			this.waitingSince = undefined;
		}
	}

	/** Gives up connections on which nothing comes; n8n's HTTP client would wait for ever. */
	private async abortWhenStalled(): Promise<void> {
		while (!this.isOver) {
			await sleep(Math.min(WATCH_MS, this.stallMs));
			const { waitingSince } = this;
			if (waitingSince !== undefined && Date.now() - waitingSince >= this.stallMs) {
				this.connection.abort(stalled(this.stallMs));
			}
		}
	}
}

function differs<T>(now: T | undefined, before: T | undefined): boolean {
	return now !== undefined && before !== undefined && now !== before;
}
