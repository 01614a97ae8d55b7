import path from 'node:path';

/** Where workflows may write files, in n8n's working folder, as it is in n8n's container. */
export const WRITABLE_FOLDER = '.n8n-files';

/** What decides how an n8n process runs. */
export interface ProcessSettings {
	node: string;
	nodeMajor: number;
	userFolder: string;
	port: number;
	brokerPort: number;
	/** Whether the editor is served. To prepare its files takes a fifth of the work of a start. */
	editor: boolean;
	encryptionKey: string;
	additional: Record<string, string>;
}

const settingsOfN8n =
	/^(N8N_|DB_|EXECUTIONS_|QUEUE_|OFFLOAD_|WEBHOOK_|GENERIC_|NODES_|NODE_|TEST_WEBHOOK|npm_|JEST_)|^(https?|all)_proxy$/i;

/**
 * The environment of an n8n process: the caller's without any setting of n8n, Node, npm or proxies, and with all that would call
 * the outside world switched off.
 */
export function n8nEnvironment(settings: ProcessSettings): NodeJS.ProcessEnv {
	const inherited = Object.entries(process.env).filter(([name]) => !settingsOfN8n.test(name));
	return {
		...Object.fromEntries(inherited),
		PATH: `${path.dirname(settings.node)}${path.delimiter}${process.env.PATH ?? ''}`,
		// Otherwise n8n adds stack traces to its HTTP errors.
		NODE_ENV: 'production',
		N8N_USER_FOLDER: settings.userFolder,
		N8N_RESTRICT_FILE_ACCESS_TO: path.join(settings.userFolder, WRITABLE_FOLDER),
		N8N_PORT: String(settings.port),
		N8N_LISTEN_ADDRESS: '127.0.0.1',
		N8N_HOST: '127.0.0.1',
		N8N_RUNNERS_BROKER_PORT: String(settings.brokerPort),
		N8N_DISABLE_UI: String(!settings.editor),
		N8N_ENCRYPTION_KEY: settings.encryptionKey,
		N8N_SECURE_COOKIE: 'false',
		N8N_DIAGNOSTICS_ENABLED: 'false',
		N8N_VERSION_NOTIFICATIONS_ENABLED: 'false',
		N8N_TEMPLATES_ENABLED: 'false',
		N8N_PERSONALIZATION_ENABLED: 'false',
		N8N_HIRING_BANNER_ENABLED: 'false',
		N8N_VERIFIED_PACKAGES_ENABLED: 'false',
		N8N_RUNNERS_ENABLED: 'true',
		// On a busy machine the process that runs Code nodes is slow to start and to answer: n8n would end it, and the execution.
		N8N_RUNNERS_HEARTBEAT_INTERVAL: '300',
		N8N_RUNNERS_TASK_REQUEST_TIMEOUT: '300',
		// After three checks of 5 s that a busy machine does not answer, n8n 2 closes its connections to the database and
		// ends executions that wait for one.
		DB_PING_TIMEOUT_MS: '60000',
		// The newer expression engine, isolated-vm, comes without a build for Node 20.
		...(settings.nodeMajor < 22 ? { N8N_EXPRESSION_ENGINE: 'legacy' } : {}),
		...settings.additional,
	};
}
