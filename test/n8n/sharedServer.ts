import { N8nClient } from '../../dev/n8n/client';
import { isRecord, textOf } from '../../dev/n8n/json';
import type { PackedPackage } from '../../dev/n8n/packedPackage';
import { Session } from '../../dev/n8n/session';
import { newestN8n, type N8nVersion } from '../../dev/n8n/versions';

/** For the environment: without connections of their own, the requests of n8n 1 share one transaction. */
export const CONNECTIONS = { DB_SQLITE_POOL_SIZE: '3' };

export interface SharedServer {
	client: N8nClient;
	/** Where it is called, without a path. */
	url: string;
	folder: string;
}

const variable = 'N8N_SHARED_TEST_SERVERS';

/** Tells the test files about the servers that run for all of them, by version, and the package in them. */
export function announceSharedServers(
	servers: ReadonlyArray<readonly [N8nVersion, SharedServer]>,
	{ name, archive }: PackedPackage,
): void {
	const entries = servers.map(([version, { client, url, folder }]) => [
		version,
		{ url, folder, cookie: client.session.cookie },
	]);
	process.env[variable] = JSON.stringify({ ...Object.fromEntries(entries), name, archive });
}

function announced(): Record<string, unknown> {
	const text = process.env[variable];
	if (text === undefined) throw new Error('Run these tests with: npm run test:n8n');
	const announcement: unknown = JSON.parse(text);
	return isRecord(announcement) ? announcement : {};
}

/** The n8n of this version that all test files share; the newest by default. */
export function sharedServer(version: N8nVersion = newestN8n()): SharedServer {
	const server = announced()[version];
	const url = textOf(server, 'url');
	const client = new N8nClient(new Session(url, textOf(server, 'cookie')));
	return { client, url, folder: textOf(server, 'folder') };
}

export function packedPackage(): PackedPackage {
	const { name, archive } = announced();
	return { name: String(name), archive: String(archive), remove: () => {} };
}
