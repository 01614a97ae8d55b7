import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';

import type { Fault } from './faults';

/** A request as the service received it. */
export interface RecordedRequest {
	readonly method: string;
	readonly path: string;
	/** The query string as sent, without its question mark. */
	readonly query: string;
	/** All headers but `authorization`. */
	readonly headers: IncomingHttpHeaders;
	/** Whether an `Authorization` header came, to the API or (wrongly) to the files. */
	readonly authorized: boolean;
	/** The API key, if it was a known one. For a file: the key that started the run. */
	readonly key: string | undefined;
	/** The operationId; `file` for a download; undefined for an unknown path. */
	readonly operation: string | undefined;
	/** Parsed JSON, or the text where it is not JSON; undefined when there was none. */
	readonly body: unknown;
	/** Epoch milliseconds. */
	readonly at: number;
	/** The HTTP status answered; undefined when the connection was cut. */
	status: number | undefined;
	/** What befell it, latency aside: an answer of 200 may have been broken off. */
	fault: Fault['kind'] | undefined;
}

/** How many requests are open, and counts since the last reset. */
export interface Load {
	readonly requests: number;
	readonly total: number;
	/** By operationId. */
	readonly byOperation: Readonly<Record<string, number>>;
}

/** What the server that a request came to knows of it beyond the request itself. */
type Known = Pick<RecordedRequest, 'key' | 'operation' | 'body'>;

/** Keeps what the service received, the latest `limit` requests, and counts all of them. */
export class Recorder {
	private kept: RecordedRequest[] = [];
	private counts = new Map<string, number>();
	private active = 0;
	private total = 0;

	constructor(private readonly limit: number) {}

	/** Forgets the requests and counts. */
	reset(): void {
		this.kept = [];
		this.counts = new Map();
		this.total = 0;
	}

	/** Keeps a request that has come, and counts it until it is answered or its connection is closed. */
	record({ method, url, headers }: FastifyRequest, { raw }: FastifyReply, known: Known) {
		const [path = '', ...query] = url.split('?');
		const { authorization, ...shown } = headers;
		const record: RecordedRequest = {
			...{ method, path, query: query.join('?'), headers: shown, ...known, at: Date.now() },
			authorized: authorization !== undefined,
			status: undefined,
			fault: undefined,
		};
		this.active += 1;
		this.total += 1;
		const operation = known.operation ?? 'unknown';
		this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
		this.keep(record);
		// Whoever has the whole answer may ask again before this side has closed it.
		let isOpen = true;
		const end = (): void => {
			if (isOpen) this.active -= 1;
			isOpen = false;
			if (raw.headersSent) record.status = raw.statusCode;
		};
		raw.once('finish', end).once('close', end);
		return record;
	}

	/** The latest requests, oldest first. */
	requests(): readonly RecordedRequest[] {
		return this.kept.slice(-this.limit);
	}

	load(): Load {
		const byOperation = Object.fromEntries(this.counts);
		return { requests: this.active, total: this.total, byOperation };
	}

	private keep(request: RecordedRequest): void {
		if (this.limit === 0) return;
		this.kept.push(request);
		if (this.kept.length >= this.limit * 2) this.kept = this.kept.slice(-this.limit);
	}
}
