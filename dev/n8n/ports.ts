import { connect, createServer } from 'node:net';

/** Below the ports that a system gives to connections (Linux from 32768 on): one of these might be taken before it is used. */
const [FIRST, END] = [10_000, 32_000];
/** Each process has so many of its own, one after the other: a port that was given away is not listened on at once. */
const OWN = 50;
let given = 0;

/** A port of 127.0.0.1 that nothing listens on. */
export async function freePort(): Promise<number> {
	for (let tries = 0; tries < OWN; tries++) {
		const port = FIRST + ((process.pid * OWN + (given++ % OWN)) % (END - FIRST));
		if (await isPortFree(port)) return port;
	}
	throw new Error('This machine has no free port');
}

/** Whether something can listen on this port of 127.0.0.1. Throws when the port may not be used at all. */
export async function isPortFree(port: number): Promise<boolean> {
	return await new Promise((resolve, reject) => {
		const server = createServer();
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE') resolve(false);
			else reject(error);
		});
		server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
	});
}

/**
 * Whether something listens on this port of 127.0.0.1. It connects: `isPortFree` listens there for a moment, and so may
 * take the port from a process that is just starting.
 */
export async function isListening(port: number): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => resolve(false));
	});
}
