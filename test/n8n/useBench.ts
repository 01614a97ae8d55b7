import { N8nClient } from '../../dev/n8n/client';
import { QueueMode, type QueueModeOptions } from '../../dev/n8n/queueMode';
import { startN8n, type N8nServer, type ServerOptions } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { packedPackage, sharedServer } from './sharedServer';
import { openWorkbench, type Workbench } from './workbench';

/** A workbench in the n8n that test files share, or in another, for all tests that follow. */
export function useBench(connect: () => N8nClient = () => sharedServer().client): () => Workbench {
	let bench: Workbench;
	beforeAll(async () => {
		bench = await openWorkbench(connect());
	});
	afterAll(async () => await bench?.close());
	return () => bench;
}

/** n8n prepares its expression engine where it needs that, as recommended (docs/run/self-hosting.md); the shared servers do so for each execution. */
const LAZY = { N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true' };

/** An n8n of a file's own, by default of the newest version, and a workbench in it. @param further more of its environment */
export function useOwnN8n(
	options: Partial<Pick<ServerOptions, 'version' | 'environment' | 'editor'>> = {},
	further: () => Promise<Record<string, string>> = async () => ({}),
) {
	let server: N8nServer;
	let client: N8nClient;
	beforeAll(async () => {
		const environment = { ...LAZY, ...options.environment, ...(await further()) };
		const given = { version: newestN8n(), packages: [packedPackage()], ...options };
		server = await startN8n({ ...given, environment });
		client = await N8nClient.signIn(server.url);
	}, 600_000);
	const bench = useBench(() => client);
	afterAll(async () => await server?.remove());
	return { server: (): N8nServer => server, bench };
}

/** The newest n8n in queue mode, for all tests that follow. @param options made when it starts */
export function useQueue(
	options: () => Omit<QueueModeOptions, 'version'>,
): () => { queue: QueueMode; client: N8nClient } {
	let queue: QueueMode;
	let client: N8nClient;
	beforeAll(async () => {
		const { environment, ...shape } = options();
		const given = {
			packages: [packedPackage()],
			...shape,
			environment: { ...LAZY, ...environment },
		};
		queue = await QueueMode.start({ version: newestN8n(), ...given });
		client = await N8nClient.signIn(queue.url);
	}, 300_000);
	afterAll(async () => await queue?.remove());
	return () => ({ queue, client });
}
