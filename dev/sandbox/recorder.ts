import type { IncomingHttpHeaders } from 'node:http';

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

/** How many connections and requests are, and at most were, open at the same time. */
export interface Load {
	readonly connections: number;
	readonly peakConnections: number;
	readonly requests: number;
	readonly peakRequests: number;
	/** All requests since the last reset. */
	readonly total: number;
	/** Requests by operationId since the last reset. */
	readonly byOperation: Readonly<Record<string, number>>;
}

/** Keeps what the service received, the latest `limit` requests, and counts all of them. */
export class Recorder {
	private kept: RecordedRequest[] = [];
	private counts = new Map<string, number>();
	private connections = 0;
	private peakConnections = 0;
	private active = 0;
	private peakActive = 0;
	private total = 0;

	constructor(private readonly limit: number) {}

	/** Forgets the requests and counts; the peaks start again from what is open now. */
	reset(): void {
		this.kept = [];
		this.counts = new Map();
		this.total = 0;
		this.peakConnections = this.connections;
		this.peakActive = this.active;
	}

	openConnection(): void {
		this.connections += 1;
		this.peakConnections = Math.max(this.peakConnections, this.connections);
	}

	closeConnection(): void {
		this.connections -= 1;
	}

	openRequest(): void {
		this.active += 1;
		this.total += 1;
		this.peakActive = Math.max(this.peakActive, this.active);
	}

	closeRequest(): void {
		this.active -= 1;
	}

	count(operation: string): void {
		this.counts.set(operation, (this.counts.get(operation) ?? 0) + 1);
	}

	keep(request: RecordedRequest): void {
		if (this.limit === 0) return;
		this.kept.push(request);
		if (this.kept.length >= this.limit * 2) this.kept = this.kept.slice(-this.limit);
	}

	/** The latest requests, oldest first. */
	requests(): readonly RecordedRequest[] {
		return this.kept.slice(-this.limit);
	}

	load(): Load {
		return {
			connections: this.connections,
			peakConnections: this.peakConnections,
			requests: this.active,
			peakRequests: this.peakActive,
			total: this.total,
			byOperation: Object.fromEntries(this.counts),
		};
	}
}
