import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fetchAlone } from '../fetchAlone';
import { BoundedLog } from './boundedLog';
import { n8nEnvironment, WRITABLE_FOLDER } from './environment';
import { installServer, type InstalledServer } from './installation';
import { startLeashed, type LeashedProcess } from './leashedProcess';
import { placePackage, type PackedPackage } from './packedPackage';
import { freePort, isPortFree } from './ports';
import { usageOf, type Usage } from './processTree';
import type { ReportProgress } from './progress';
import type { N8nVersion } from './versions';
import { waitUntil } from './waitUntil';

export interface ServerOptions {
	version: N8nVersion;
	/** Community packages that the server loads. */
	packages?: PackedPackage[];
	/** The editor's port; a free one by default. */
	port?: number;
	/** Where n8n keeps its data. By default a temporary folder, which `remove()` deletes. */
	userFolder?: string;
	/** Further environment variables; they win over the ones set here. */
	environment?: Record<string, string>;
	/**
	 * Whether the editor is served, too; by default only what is called. Without the editor n8n starts so fast that it may mark as
	 * crashed a sleeping execution whose timer is due just then: it recovers and resumes it at once (2.41: performStartupRecovery in
	 * message-event-bus.js, and wait-tracker.js).
	 */
	editor?: boolean;
	/** Which process of n8n: everything in one by default, else a part of queue mode. */
	role?: N8nRole;
	/** Further command-line arguments of that process. */
	arguments?: string[];
	encryptionKey?: string;
	report?: ReportProgress;
}

export type N8nRole = 'start' | 'worker' | 'webhook';

const startLimit = 5 * 60_000;

/**
 * A real n8n on this machine. It and all it starts end together with this process, however that happens.
 * Times are in milliseconds, sizes in bytes.
 */
export class N8nServer {
	readonly url: string;

	private running: LeashedProcess | undefined;

	/** What the server has said since it was started, until it had begun to work. */
	private said = '';

	private constructor(
		readonly version: N8nVersion,
		readonly userFolder: string,
		readonly log: BoundedLog,
		private readonly plan: {
			installed: InstalledServer;
			role: N8nRole;
			commandLine: string[];
			port: number;
			environment: NodeJS.ProcessEnv;
			ownsUserFolder: boolean;
		},
	) {
		this.url = `http://127.0.0.1:${plan.port}`;
	}

	/** Installs what is missing, and prepares the server without starting it. Throws when the port is in use. */
	static async prepare(options: ServerOptions): Promise<N8nServer> {
		const { version, role = 'start' } = options;
		if (options.port !== undefined && !(await isPortFree(options.port))) {
			throw new Error(
				`Port ${options.port} is in use. Stop what listens there, or choose another port.`,
			);
		}
		const installed = await installServer(version, options.report ?? (() => {}));
		const userFolder = realpathSync(options.userFolder ?? mkdtempSync(path.join(tmpdir(), 'n8n-')));
		mkdirSync(path.join(userFolder, WRITABLE_FOLDER), { recursive: true });
		for (const packed of options.packages ?? []) await placePackage(packed, userFolder);
		const port = options.port ?? (await freePort());
		const environment = n8nEnvironment({
			node: installed.node,
			nodeMajor: installed.nodeMajor,
			userFolder,
			port,
			brokerPort: await freePort(),
			editor: options.editor ?? false,
			encryptionKey: options.encryptionKey ?? randomBytes(24).toString('hex'),
			additional: options.environment ?? {},
		});
		const log = new BoundedLog(path.join(userFolder, `${role}.log`));
		const ownsUserFolder = options.userFolder === undefined;
		const plan = { installed, role, port, environment, ownsUserFolder };
		const commandLine = [installed.script, role, ...(options.arguments ?? [])];
		return new N8nServer(version, userFolder, log, { ...plan, commandLine });
	}

	/** Starts the server, also after `stop()` or `kill()`, and waits until it is at work. */
	async start(): Promise<void> {
		if (this.running !== undefined) throw new Error('This n8n is already running');
		const { installed, role, commandLine, environment } = this.plan;
		this.said = '';
		const running = await startLeashed({
			name: `n8n ${role}`,
			executable: installed.node,
			arguments: commandLine,
			environment,
			folder: this.userFolder,
			onOutput: (chunk) => {
				this.log.write(chunk);
				if (!this.hasBegun) this.said += chunk.toString();
			},
		});
		this.running = running;
		let status: number | undefined;
		void running.ended.then((code) => {
			status = code;
			if (this.running === running) this.running = undefined;
		});
		try {
			await waitUntil(
				async () => {
					if (status !== undefined) throw new Error(this.describeFailure(`ended (${status})`));
					return (await this.isReady()) || undefined;
				},
				{
					timeout: startLimit,
					interval: 250,
					describe: () => this.describeFailure('was not ready after 5 minutes'),
				},
			);
		} catch (error) {
			await running.kill();
			throw error;
		}
	}

	/** Ends the server and everything it started. */
	async stop(): Promise<void> {
		await this.running?.stop();
	}

	/** Ends the server without any chance to tidy up, as a power failure would. */
	async kill(): Promise<void> {
		await this.running?.kill();
	}

	/** Stops and starts again, on the same port and data. */
	async restart(): Promise<void> {
		await this.stop();
		await this.start();
	}

	/** Stops the server and deletes its data, unless the caller chose the folder. */
	async remove(): Promise<void> {
		await this.stop();
		if (this.plan.ownsUserFolder) rmSync(this.userFolder, { recursive: true, force: true });
	}

	/** Which process of n8n this is. */
	get role(): N8nRole {
		return this.plan.role;
	}

	/** Process ID; undefined while stopped. */
	get pid(): number | undefined {
		return this.running?.pid;
	}

	/** Memory and CPU time of the server with all its processes. */
	usage(): Usage {
		return this.running === undefined ? { memory: 0, cpu: 0 } : usageOf(this.running.pid);
	}

	/**
	 * Whether a main process has recovered what an earlier one left. It answers before that, and meanwhile shows executions that
	 * sleep as crashed for a moment (2.41 execution-recovery.service.js: `recoverFromLogs`).
	 */
	private get hasBegun(): boolean {
		return this.plan.role !== 'start' || this.said.includes('Editor is now accessible');
	}

	/** Whether it has begun, and answers in JSON. */
	private async isReady(): Promise<boolean> {
		if (!this.hasBegun) return false;
		try {
			const response = await fetchAlone(`${this.url}/healthz/readiness`, {
				signal: AbortSignal.timeout(5_000),
			});
			const isJson = response.headers.get('content-type')?.includes('json') ?? false;
			await response.arrayBuffer();
			return response.status !== 503 && isJson;
		} catch {
			return false;
		}
	}

	private describeFailure(what: string): string {
		return `n8n ${this.version} (${this.plan.role}) ${what}. Its last words, from ${this.log.path}:\n${this.log.tail()}`;
	}
}

/** Installs what is missing, starts an n8n, and waits until it answers. */
export async function startN8n(options: ServerOptions): Promise<N8nServer> {
	const server = await N8nServer.prepare(options);
	await server.start();
	return server;
}
