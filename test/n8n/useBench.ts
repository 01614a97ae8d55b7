import { N8nClient } from '../../dev/n8n/client';
import { QueueMode, type QueueModeOptions } from '../../dev/n8n/queueMode';
import { startN8n, type N8nServer, type ServerOptions } from '../../dev/n8n/server';
import { newestN8n, type N8nVersion } from '../../dev/n8n/versions';
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

/** Parts of n8n that have nothing to do with nodes. */
const FURTHER_PARTS =
	'breaking-changes,chat-hub,data-table,external-secrets,insights,mcp,provisioning';
const FURTHER_PARTS_OF_N8N_2 = `${FURTHER_PARTS},agents,dynamic-credentials,encryption-key-manager,favorites,instance-ai,instance-registry,instance-version-history,ldap,log-streaming,mcp-registry,n8n-packages,oauth-jwe,oauth-server,otel,policy-infrastructure,quick-connect,redaction,runtime-credentials,source-control,sso-oidc,sso-saml,token-exchange,workflow-builder,workflow-reviews`;

/** Has n8n start with half the work: without parts that a test does not need, and a process for Code nodes. The shared servers have all. */
export function light(version: N8nVersion = newestN8n()) {
	return {
		N8N_DISABLED_MODULES: version === '1.123' ? FURTHER_PARTS : FURTHER_PARTS_OF_N8N_2,
		// Its preparation is put off (docs/run/self-hosting.md).
		N8N_EXPRESSION_ENGINE_LAZY_ACQUIRE: 'true',
		N8N_RUNNERS_MODE: 'external',
		N8N_RUNNERS_AUTH_TOKEN: 'unused',
	};
}

/** An n8n of a file's own, by default of the newest version, and a workbench in it. @param further more of its environment */
export function useOwnN8n(
	options: Partial<Pick<ServerOptions, 'version' | 'environment' | 'editor'>> = {},
	further: () => Promise<Record<string, string>> = async () => ({}),
) {
	let server: N8nServer;
	let client: N8nClient;
	beforeAll(async () => {
		const given = { version: newestN8n(), packages: [packedPackage()], ...options };
		const environment = { ...light(given.version), ...given.environment, ...(await further()) };
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
		const given = { version: newestN8n(), packages: [packedPackage()], ...shape };
		queue = await QueueMode.start({ ...given, environment: { ...light(), ...environment } });
		client = await N8nClient.signIn(queue.url);
	}, 600_000);
	afterAll(async () => await queue?.remove());
	return () => ({ queue, client });
}
