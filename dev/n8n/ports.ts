import { createServer } from 'node:net';

/** Whether something can listen on this port of 127.0.0.1. Throws when the port may not be used at all. */
export async function isPortFree(port: number): Promise<boolean> {
	return (await listenOnce(port)) !== undefined;
}

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
	const port = await listenOnce(0);
	if (port === undefined) throw new Error('This machine has no free port');
	return port;
}

async function listenOnce(port: number): Promise<number | undefined> {
	return new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE') resolve(undefined);
			else reject(error);
		});
		server.listen(port, '127.0.0.1', () => {
			const address = server.address();
			const used = address !== null && typeof address === 'object' ? address.port : undefined;
			server.close(() => resolve(used));
		});
	});
}
