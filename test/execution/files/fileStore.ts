import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { answerJson, type Handler } from '../../fixture';

/** The service, which only knows one run. It is made anew at each reading. */
export function serving(makeRun: () => JsonObject): Handler {
	return (_, response) => answerJson(response, 200, makeRun());
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
