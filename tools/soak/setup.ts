import path from 'node:path';

import { N8nClient, type Credential } from '../../dev/n8n/client';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { startWithPackage } from '../../dev/n8n/startWithPackage';
import { newestN8n } from '../../dev/n8n/versions';
import { startSandbox, type Sandbox } from '../../dev/sandbox/server';

/** The accounts of the service: for most runs, with a limit of running tasks, and read by the polling trigger. */
export const ACCOUNTS = ['main', 'limited', 'polled'] as const;

export type Account = (typeof ACCOUNTS)[number];

/** How many runs the limited account may have going on at the same time. */
const SLOTS = 60;

/** How many requests and callbacks the service remembers: all callbacks of a soak. */
const REMEMBERED = 60_000;

/** A real n8n with this package in it, and the service. */
export interface Setup {
	server: N8nServer;
	client: N8nClient;
	sandbox: Sandbox;
	credentials: Record<Account, Credential>;
	close(): Promise<void>;
}

/** The API key of an account. */
export function keyOf(account: Account): string {
	return `key-of-${account}`;
}

/** Starts both. n8n keeps every execution, tells its own memory, and collects its garbage. */
export async function openSetup(): Promise<Setup> {
	const environment = {
		EXECUTIONS_DATA_PRUNE: 'false',
		N8N_METRICS: 'true',
		NODE_OPTIONS: `--require "${path.join(__dirname, 'collectGarbage.js')}"`,
	};
	const server = await startWithPackage(
		async (given) => await startN8n({ version: newestN8n(), environment, ...given }),
	);
	const client = await N8nClient.signIn(server.url);
	const sandbox = await startSandbox({ recordLimit: REMEMBERED });
	for (const account of ACCOUNTS) {
		const concurrency = account === 'limited' ? { concurrency: SLOTS } : {};
		await sandbox.setKey({ key: keyOf(account), company: account, ...concurrency });
	}
	const credentialFor = async (account: Account): Promise<Credential> =>
		await client.createCredential(account, 'browserAutomationApi', {
			baseUrl: sandbox.url,
			apiKey: keyOf(account),
		});
	return {
		server,
		client,
		sandbox,
		credentials: {
			main: await credentialFor('main'),
			limited: await credentialFor('limited'),
			polled: await credentialFor('polled'),
		},
		close: async () => {
			await sandbox.close();
			await server.remove();
		},
	};
}
