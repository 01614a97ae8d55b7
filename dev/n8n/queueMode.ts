import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PackedPackage } from './packedPackage';
import { freePort } from './ports';
import type { ReportProgress } from './progress';
import { Relay } from './relay';
import { N8nServer } from './server';
import { startPostgres, startRedis, type DataService, type Postgres } from './services';
import type { N8nVersion } from './versions';

/** Connections of each process to the database, as docs/run/self-hosting.md recommends. */
const CONNECTIONS = '10';

export interface QueueModeOptions {
	version: N8nVersion;
	packages?: PackedPackage[];
	/** How many workers; 1 by default. */
	workers?: number;
	/** How many processes take webhooks, one after the other; 1 by default. */
	webhookProcesses?: number;
	/** Executions that a worker runs at once; 5 by default. */
	concurrency?: number;
	environment?: Record<string, string>;
	/** Whether the data of PostgreSQL and Redis outlive a restart, as in production; false by default. */
	durable?: boolean;
	report?: ReportProgress;
}

/**
 * n8n in queue mode: the main process for the editor, workers, processes that take all webhooks behind a load balancer, with a
 * Redis and a PostgreSQL of its own. Each process can be killed and started again alone.
 */
export class QueueMode {
	private constructor(
		readonly main: N8nServer,
		readonly workers: readonly N8nServer[],
		readonly webhookProcesses: readonly N8nServer[],
		/** Where webhooks are called. */
		readonly webhookUrl: string,
		readonly redis: DataService,
		readonly postgres: Postgres,
		/** Stops everything and deletes its data. */
		readonly remove: () => Promise<void>,
	) {}

	/** Address of the editor and of the REST interface. */
	get url(): string {
		return this.main.url;
	}

	/** Installs what is missing, starts everything, and waits until it answers. */
	static async start(options: QueueModeOptions): Promise<QueueMode> {
		const { version, durable = false, report = () => {} } = options;
		const userFolder = mkdtempSync(path.join(tmpdir(), 'n8n-queue-'));
		const balancer = await Relay.start();
		const services: DataService[] = [];
		const servers: N8nServer[] = [];
		const remove = async (): Promise<void> => {
			await Promise.all(servers.map(async (server) => server.stop()));
			await Promise.all([balancer.close(), ...services.map(async (service) => service.remove())]);
			rmSync(userFolder, { recursive: true, force: true });
		};
		try {
			const redis = await startRedis(durable);
			services.push(redis);
			const postgres = await startPostgres(durable);
			services.push(postgres);
			const shared = {
				version,
				report,
				userFolder,
				encryptionKey: randomBytes(24).toString('hex'),
			};
			const environment = {
				EXECUTIONS_MODE: 'queue',
				WEBHOOK_URL: `${balancer.url}/`,
				N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
				DB_POSTGRESDB_POOL_SIZE: CONNECTIONS,
				...Object.assign({}, ...services.map((service) => service.environment)),
				...options.environment,
			};
			const main = await N8nServer.prepare({
				...shared,
				environment,
				packages: options.packages ?? [],
			});
			servers.push(main);
			await main.start();
			const prepareWorker = async (): Promise<N8nServer> => {
				const port = await freePort();
				return await N8nServer.prepare({
					...shared,
					role: 'worker',
					arguments: [`--concurrency=${options.concurrency ?? 5}`],
					port,
					environment: {
						...environment,
						QUEUE_HEALTH_CHECK_ACTIVE: 'true',
						QUEUE_HEALTH_CHECK_PORT: String(port),
					},
				});
			};
			const workers = await prepareEach(options.workers, prepareWorker);
			const webhookProcesses = await prepareEach(
				options.webhookProcesses,
				async () => await N8nServer.prepare({ ...shared, role: 'webhook', environment }),
			);
			servers.push(...workers, ...webhookProcesses);
			await Promise.all([...workers, ...webhookProcesses].map(async (server) => server.start()));
			for (const { url } of webhookProcesses) balancer.add(url);
			const { url } = balancer;
			return new QueueMode(main, workers, webhookProcesses, url, redis, postgres, remove);
		} catch (error) {
			await remove();
			throw error;
		}
	}
}

/** Prepares processes one after the other, since each takes a free port. */
async function prepareEach(count = 1, prepare: () => Promise<N8nServer>): Promise<N8nServer[]> {
	const servers: N8nServer[] = [];
	while (servers.length < count) servers.push(await prepare());
	return servers;
}
