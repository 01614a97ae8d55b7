import {
	createServer,
	type IncomingHttpHeaders,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that came in. */
export interface Received {
	url: string;
	headers: IncomingHttpHeaders;
}

/** An HTTP server on this machine that notes what comes and does what a test says. */
export class Origin {
	received: Received[] = [];
	/** How many answers were broken off. */
	broken = 0;
	private handle: Handler = notFound;
	private readonly server: Server = createServer((request, response) => {
		this.received.push({ url: request.url ?? '', headers: request.headers });
		response.on('close', () => {
			if (!response.writableFinished) this.broken++;
		});
		this.handle(request, response);
	});

	async listen(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
	}

	get url(): string {
		const address = this.server.address();
		return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
	}

	/** Forgets what came, and answers from now on like this. */
	answerWith(handle: Handler): void {
		this.received = [];
		this.broken = 0;
		this.handle = handle;
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

export const notFound: Handler = (_, response) => void response.writeHead(404).end();

/** The service, which only knows one run. It is made anew at each reading. */
export function serving(makeRun: () => JsonObject): Handler {
	return (_, response) => {
		response.writeHead(200, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify(makeRun()));
	};
}

/** A file that is sent whole, or from the byte that a Range request names. */
export function sending(bytes: Buffer, headers: Record<string, string> = {}): Handler {
	return (request, response) => {
		const from = rangeStart(request);
		const range =
			from === undefined
				? {}
				: { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
		response.writeHead(from === undefined ? 200 : 206, {
			'content-length': bytes.length - (from ?? 0),
			...headers,
			...range,
		});
		response.end(bytes.subarray(from ?? 0));
	};
}

/** The first byte that a request asks for; undefined when it asks for all. */
export function rangeStart({ headers }: IncomingMessage): number | undefined {
	const start = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
	return start === undefined ? undefined : Number(start);
}

/** Does one thing after the other, the last again and again. */
export function inTurn(...handlers: Handler[]): Handler {
	let turn = 0;
	return (request, response) => {
		const handle = handlers[Math.min(turn++, handlers.length - 1)];
		handle?.(request, response);
	};
}

/** Sends the head of a whole file and so many of its bytes, then cuts the connection. */
export function cutting(
	bytes: Buffer,
	after: number,
	headers: Record<string, string> = {},
): Handler {
	return (request, response) => {
		const from = rangeStart(request) ?? 0;
		response.writeHead(from === 0 ? 200 : 206, {
			'content-length': bytes.length - from,
			...headers,
			...(from > 0 && { 'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` }),
		});
		response.write(bytes.subarray(from, from + after), () => response.destroy());
	};
}
