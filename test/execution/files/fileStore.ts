import type { IncomingMessage } from 'node:http';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { answerJson, type Handler } from '../../fixture';

/** The service, which only knows one run. It is made anew at each reading. */
export function serving(makeRun: () => JsonObject): Handler {
	return (_, response) => answerJson(response, 200, makeRun());
}

/**
 * A file that is sent whole, or from the byte that a Range request names.
 *
 * @param max after so many bytes the connection is cut
 */
export function sending(
	bytes: Buffer,
	headers: Record<string, string> = {},
	max = Infinity,
): Handler {
	return (request, response) => {
		const from = rangeStart(request);
		const rest = bytes.subarray(from ?? 0);
		const range = `bytes ${from}-${bytes.length - 1}/${bytes.length}`;
		response.writeHead(from === undefined ? 200 : 206, {
			'content-length': rest.length,
			...headers,
			...(from !== undefined && { 'content-range': range }),
		});
		if (max >= rest.length) response.end(rest);
		else response.write(rest.subarray(0, max), () => response.destroy());
	};
}

/** The first byte that a request asks for; undefined when it asks for all. */
export function rangeStart({ headers }: IncomingMessage): number | undefined {
	const start = /^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1];
	return start === undefined ? undefined : Number(start);
}

export function inTurn(...handlers: Handler[]): Handler {
	let turn = 0;
	return (request, response) => {
		const handle = handlers[Math.min(turn++, handlers.length - 1)];
		handle?.(request, response);
	};
}
