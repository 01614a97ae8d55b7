import { N8nClient, type Credential } from '../../dev/n8n/client';
import { QueueMode } from '../../dev/n8n/queueMode';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { startWithPackage } from '../../dev/n8n/startWithPackage';
import { newestN8n } from '../../dev/n8n/versions';
import { waitUntil } from '../../dev/n8n/waitUntil';
import { startSandbox, type Sandbox, type SandboxOptions } from '../../dev/sandbox/server';

/** A service, and the credential for it in an n8n. */
export interface Service {
	sandbox: Sandbox;
	credential: Credential;
}

/** A real n8n with this package in it, and a service. */
export interface Stage extends Service {
	client: N8nClient;
	/** Where n8n's webhooks are called. */
	url: string;
	/** The processes of n8n, the main one first. */
	servers: readonly N8nServer[];
	/** Where n8n is in queue mode, with what belongs to that. */
	queue?: QueueMode;
	/** Ends both. */
	close(): Promise<void>;
}

/** How a stage differs from one process of n8n as it comes and a service that remembers nothing. */
export interface StageOptions {
	/** Queue mode with so many workers, and two processes for webhooks; its data outlive a restart. */
	workers?: number;
	/** Further environment variables of all processes of n8n. */
	environment?: Record<string, string>;
	service?: SandboxOptions;
}

export async function openStage({
	workers = 0,
	environment: further = {},
	service,
}: StageOptions = {}): Promise<Stage> {
	const version = newestN8n();
	// With its editor, as it is restarted and measured here.
	const environment = { N8N_DISABLE_UI: 'false', ...further };
	if (workers === 0) {
		const server = await startWithPackage(
			async (given) => await startN8n({ version, environment, ...given }),
		);
		return await stageOf(server.url, [server], async () => await server.remove(), service);
	}
	const shape = { workers, webhookProcesses: 2, concurrency: 10, durable: true };
	const queue = await startWithPackage(
		async (given) => await QueueMode.start({ version, ...shape, environment, ...given }),
	);
	const servers = [queue.main, ...queue.webhookProcesses, ...queue.workers];
	const remove = async (): Promise<void> => await queue.remove();
	return { ...(await stageOf(queue.webhookUrl, servers, remove, service)), queue };
}

async function stageOf(
	url: string,
	servers: N8nServer[],
	remove: () => Promise<void>,
	options?: SandboxOptions,
): Promise<Stage> {
	const client = await N8nClient.signIn(servers[0]?.url ?? '');
	const service = await openService(client, options);
	const close = async (): Promise<void> => {
		await service.sandbox.close();
		await remove();
	};
	return { client, ...service, url, servers, close };
}

/** A further service, for what is measured at the same time as something else. Close its sandbox. */
export async function openService(
	client: N8nClient,
	options: SandboxOptions = { recordLimit: 0 },
): Promise<Service> {
	const sandbox = await startSandbox(options);
	return { sandbox, credential: await credentialFor(client, sandbox, sandbox.key) };
}

/** A credential with a key of the service. */
export async function credentialFor(
	client: N8nClient,
	{ url: baseUrl }: Sandbox,
	apiKey: string,
): Promise<Credential> {
	const data = { baseUrl, apiKey, allowedHttpRequestDomains: 'all' };
	return await client.createCredential(apiKey, 'browserAutomationApi', data);
}

/** CPU time of n8n so far, in milliseconds. */
export function cpuOf({ servers }: Pick<Stage, 'servers'>): number {
	return servers.reduce((sum, server) => sum + server.usage().cpu, 0);
}

const MEGABYTE = 1024 ** 2;

/** Resident memory of n8n, in megabytes. */
export function memoryOf({ servers }: Pick<Stage, 'servers'>): number {
	return servers.reduce((sum, server) => sum + server.usage().memory / MEGABYTE, 0);
}

/** The CPU time in milliseconds that n8n at rest may take in the time between two checks of it, for each process. */
const AT_REST = { cpu: 20, interval: 300 };

/**
 * Waits until n8n has nothing left to do. It makes an isolate for the expressions of the next execution while one runs, which
 * takes 0.1 to 0.2 s of CPU time: what is measured right after that would be charged with it.
 */
export async function untilAtRest(stage: Stage): Promise<void> {
	let before = -Infinity;
	await waitUntil(
		() => {
			const now = cpuOf(stage);
			const isAtRest = now - before <= AT_REST.cpu * stage.servers.length;
			before = now;
			return isAtRest || undefined;
		},
		{ interval: AT_REST.interval, timeout: 60_000, describe: () => 'n8n does not come to rest' },
	);
}
