import {
	createServer,
	type IncomingHttpHeaders,
	type Server,
	type ServerResponse,
} from 'node:http';
import { text } from 'node:stream/consumers';

/** A callback that came. */
export interface Callback {
	/** `completed`, `status`, or `redirected`, which nothing is to come to. */
	path: string;
	/** Epoch milliseconds. */
	at: number;
	headers: IncomingHttpHeaders;
	body: string;
	/** What it was answered with. */
	answered: number;
}

/** How often the end of a run is answered with 500 before it is taken. */
const REFUSED = 2;

/**
 * Takes the callbacks of one run. To see what the service does then, it answers the first change of status with a redirect
 * and the end with 500, twice.
 */
export class Receiver {
	readonly callbacks: Callback[] = [];

	private constructor(private readonly server: Server) {}

	/** @param port where the callback's address leads; 0 takes a free one */
	static async listen(port: number): Promise<Receiver> {
		const server = createServer();
		const receiver = new Receiver(server);
		server.on('request', (request, response: ServerResponse) => {
			const path = (request.url ?? '').split('?')[0]?.split('/').at(-1) ?? '';
			const at = Date.now();
			void text(request).then((body) => {
				const answered = receiver.statusFor(path);
				receiver.callbacks.push({ path, at, headers: request.headers, body, answered });
				const headers = answered === 302 ? { location: 'redirected' } : {};
				response.writeHead(answered, headers).end();
			});
		});
		await new Promise<void>((resolve, reject) => {
			server.once('error', reject);
			server.listen(port, resolve);
		});
		return receiver;
	}

	get port(): number {
		const address = this.server.address();
		return typeof address === 'object' && address !== null ? address.port : 0;
	}

	/** Those that came to one of the three. */
	at(path: string): Callback[] {
		return this.callbacks.filter((callback) => callback.path === path);
	}

	/** Whether the end of the run has been taken. */
	get isTaken(): boolean {
		return this.at('completed').some(({ answered }) => answered === 200);
	}

	close(): void {
		this.server.closeAllConnections();
		this.server.close();
	}

	private statusFor(path: string): number {
		if (path === 'completed') return this.at(path).length < REFUSED ? 500 : 200;
		return path === 'status' && this.at(path).length === 0 ? 302 : 200;
	}
}
