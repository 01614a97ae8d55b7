import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PackedPackage } from './packedPackage';
import { freePort } from './ports';
import type { ReportProgress } from './progress';
import { N8nServer } from './server';
import { startPostgres, startRedis, type DataService } from './services';
import type { N8nVersion } from './versions';

export interface QueueModeOptions {
	version: N8nVersion;
	packages?: PackedPackage[];
	/** Executions that the worker runs at once; 5 by default. */
	concurrency?: number;
	environment?: Record<string, string>;
	report?: ReportProgress;
}

/**
 * n8n in queue mode: the main process for the editor, one worker, one process that takes all webhooks, with a Redis and a
 * PostgreSQL of its own. Each process can be killed and started again alone.
 */
export class QueueMode {
	private constructor(
		readonly main: N8nServer,
		readonly worker: N8nServer,
		readonly webhook: N8nServer,
		private readonly services: DataService[],
		private readonly userFolder: string,
	) {}

	/** Address of the editor and of the REST interface. */
	get url(): string {
		return this.main.url;
	}

	/** Address where webhooks are called. */
	get webhookUrl(): string {
		return this.webhook.url;
	}

	/** Installs what is missing, starts everything, and waits until it answers. */
	static async start(options: QueueModeOptions): Promise<QueueMode> {
		const { version, report = () => {} } = options;
		const userFolder = mkdtempSync(path.join(tmpdir(), 'n8n-queue-'));
		const services: DataService[] = [];
		const servers: N8nServer[] = [];
		try {
			services.push(await startRedis());
			services.push(await startPostgres());
			const webhookPort = await freePort();
			const workerPort = await freePort();
			const shared = {
				version,
				report,
				userFolder,
				encryptionKey: randomBytes(24).toString('hex'),
			};
			const environment = {
				EXECUTIONS_MODE: 'queue',
				WEBHOOK_URL: `http://127.0.0.1:${webhookPort}/`,
				N8N_DISABLE_PRODUCTION_MAIN_PROCESS: 'true',
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
			const worker = await N8nServer.prepare({
				...shared,
				role: 'worker',
				arguments: [`--concurrency=${options.concurrency ?? 5}`],
				port: workerPort,
				environment: {
					...environment,
					QUEUE_HEALTH_CHECK_ACTIVE: 'true',
					QUEUE_HEALTH_CHECK_PORT: String(workerPort),
				},
			});
			const webhook = await N8nServer.prepare({
				...shared,
				role: 'webhook',
				port: webhookPort,
				environment,
			});
			servers.push(worker, webhook);
			await Promise.all([worker.start(), webhook.start()]);
			return new QueueMode(main, worker, webhook, services, userFolder);
		} catch (error) {
			await removeAll(servers, services, userFolder);
			throw error;
		}
	}

	/** Stops everything and deletes its data. */
	async remove(): Promise<void> {
		await removeAll([this.webhook, this.worker, this.main], this.services, this.userFolder);
	}
}

async function removeAll(
	servers: N8nServer[],
	services: DataService[],
	userFolder: string,
): Promise<void> {
	await Promise.all(servers.map(async (server) => server.stop()));
	await Promise.all(services.map(async (service) => service.remove()));
	rmSync(userFolder, { recursive: true, force: true });
}
