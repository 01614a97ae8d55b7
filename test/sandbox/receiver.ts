import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { isObject } from '../../dev/sandbox/json';
import type { JsonObject } from '../../dev/sandbox/json';

/** A callback as it arrived. */
interface Arrival {
	readonly path: string;
	readonly method: string;
	readonly run: JsonObject;
}

/** An HTTP server for callbacks. It answers with the statuses given, and then with 200. */
export interface Receiver {
	readonly url: string;
	readonly arrivals: Arrival[];
	/** Statuses of the next answers. */
	readonly statuses: number[];
	close(): Promise<void>;
}

export async function startReceiver(): Promise<Receiver> {
	const arrivals: Arrival[] = [];
	const statuses: number[] = [];
	const server = createServer((request, response) => {
		void readText(request).then((text) => {
			const run: unknown = JSON.parse(text);
			const { url: path = '', method = '' } = request;
			arrivals.push({ path, method, run: isObject(run) ? run : {} });
			response.writeHead(statuses.shift() ?? 200, { location: '/redirected' }).end();
		});
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = isObject(address) ? String(address['port']) : '';
	return {
		url: `http://127.0.0.1:${port}`,
		arrivals,
		statuses,
		close: async () => {
			server.closeAllConnections();
			await new Promise((resolve) => server.close(resolve));
		},
	};
}

async function readText(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(Buffer.from(chunk));
	return Buffer.concat(chunks).toString('utf8');
}
