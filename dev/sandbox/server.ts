import { once } from 'node:events';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { ServiceControls } from './controls';
import { loadDocument } from './document';
import { makeFileServer } from './fileServer';
import { makeHttpServer } from './http';
import { DEFAULT_KEY } from './keys';
import { addPageRoutes } from './pageRoutes';
import { Service } from './service';
import type { ServiceOptions } from './service';

export type SandboxOptions = ServiceOptions;

const HOST = '127.0.0.1';

/** A running sandbox and its controls. */
export class Sandbox extends ServiceControls {
	constructor(
		/** Base URL of the service, e.g. http://127.0.0.1:41234. */
		readonly url: string,
		/** Origin of the file downloads. */
		readonly filesUrl: string,
		/** The default API key. */
		readonly key: string,
		service: Service,
		private readonly network: Network,
	) {
		super(service, key);
	}

	/** Refuses connections from now on, and cuts those that are open. Runs and callbacks go on. */
	goDown(): void {
		this.network.goDown();
	}

	/** Is there again after `goDown()`, at the same addresses. */
	async comeBack(): Promise<void> {
		await this.network.comeBack();
	}

	/** Stops runs, callbacks and both servers. */
	async close(): Promise<void> {
		await this.network.stop();
	}
}

/** Where a sandbox listens. */
interface Network {
	goDown(): void;
	comeBack(): Promise<void>;
	stop(): Promise<void>;
}

/** Starts the service on this machine. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const service = new Service(options);
	const app = makeHttpServer(service, await loadDocument());
	const files = makeFileServer(service);
	addPageRoutes(app, service);

	const stop = async (): Promise<void> => {
		service.stop();
		await Promise.all([app.close(), files.close()]);
	};
	const servers = [app.server, files.server];
	try {
		const filesUrl = await listen(files);
		const url = await listen(app);
		service.announce(url, filesUrl);
		return new Sandbox(url, filesUrl, DEFAULT_KEY, service, {
			stop,
			goDown: () => servers.forEach(refuseConnections),
			comeBack: async () => {
				const ports = [url, filesUrl].map((address) => Number(new URL(address).port));
				await Promise.all(servers.map((server, index) => listenAgain(server, ports[index])));
			},
		});
	} catch (error) {
		await stop();
		throw error;
	}
}

function refuseConnections(server: Server): void {
	server.close();
	server.closeAllConnections();
}

async function listenAgain(server: Server, port: number | undefined): Promise<void> {
	if (server.listening) return;
	server.listen({ port, host: HOST });
	await once(server, 'listening');
}

/** @returns the address, e.g. http://127.0.0.1:41234 */
async function listen(app: FastifyInstance): Promise<string> {
	return await app.listen({ port: 0, host: HOST });
}
