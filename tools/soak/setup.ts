import path from 'node:path';

import type { Credential } from '../../dev/n8n/client';
import { openSetup as openBoth, type Setup as Both } from '../bench/setup';

/** The accounts of the service: for most runs, with a limit of running tasks, and read by the polling trigger. */
export const ACCOUNTS = ['main', 'limited', 'polled'] as const;

export type Account = (typeof ACCOUNTS)[number];

/** How many runs the limited account may have going on at the same time. */
const SLOTS = 60;

/** How many requests and callbacks the service remembers: all callbacks of a soak. */
const REMEMBERED = 60_000;

/** A real n8n with this package in it, and the service. */
export interface Setup extends Both {
	credentials: Record<Account, Credential>;
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
	const setup = await openBoth({ environment, service: { recordLimit: REMEMBERED } });
	const { client, sandbox } = setup;
	const credentialFor = async (account: Account): Promise<Credential> => {
		const concurrency = account === 'limited' ? { concurrency: SLOTS } : {};
		await sandbox.setKey({ key: keyOf(account), company: account, ...concurrency });
		return await client.createCredential(account, 'browserAutomationApi', {
			baseUrl: sandbox.url,
			apiKey: keyOf(account),
		});
	};
	return {
		...setup,
		credentials: {
			main: await credentialFor('main'),
			limited: await credentialFor('limited'),
			polled: await credentialFor('polled'),
		},
	};
}
