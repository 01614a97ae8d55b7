import {
	createServer,
	request,
	type IncomingMessage,
	type Server,
	type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';

/**
 * An HTTP server on this machine that hands requests on: to the next of several servers each time (a load balancer), or, where
 * it is used as a proxy, to one in place of whatever host was asked for.
 */
export class Relay {
	private next = 0;

	private constructor(
		private readonly server: Server,
		private readonly targets: URL[],
	) {}

	/** @param targets base URLs of the servers; more can be added later */
	static async start(targets: string[] = []): Promise<Relay> {
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const relay = new Relay(
			server,
			targets.map((target) => new URL(target)),
		);
		server.on('request', (incoming, outgoing) => relay.handOn(incoming, outgoing));
		return relay;
	}

	get url(): string {
		const address = this.server.address();
		return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
	}

	/** Hands requests to this server, too. */
	add(target: string): void {
		this.targets.push(new URL(target));
	}

	async close(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** A server that cannot be reached makes the answer 502. */
	private handOn(incoming: IncomingMessage, outgoing: ServerResponse): void {
		const target = this.targets[this.next++ % this.targets.length];
		if (target === undefined) {
			outgoing.writeHead(502).end();
			return;
		}
		// A proxy is asked for a whole URL, a load balancer for a path.
		const { pathname, search } = new URL(incoming.url ?? '/', target);
		const onward = request(
			new URL(pathname + search, target),
			{ method: incoming.method, headers: { ...incoming.headers, connection: 'close' } },
			(answer) => {
				outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
				pipeline(answer, outgoing, () => undefined);
			},
		);
		onward.on('error', () => {
			if (outgoing.headersSent) outgoing.destroy();
			else outgoing.writeHead(502).end();
		});
		pipeline(incoming, onward, () => undefined);
	}
}
