import { join } from 'node:path';

import { N8nClient } from '../../dev/n8n/client';
import { installServer } from '../../dev/n8n/installation';
import { packPackage } from '../../dev/n8n/packedPackage';
import { withProgress } from '../../dev/n8n/progress';
import { startN8n } from '../../dev/n8n/server';
import { n8nVersions } from '../../dev/n8n/versions';
import { resources } from './sharedResources';
import { announceSharedServers, CONNECTIONS } from './sharedServer';

/** Starts an n8n of each version that all test files share, with the packed package in it. */
export default async function globalSetup(): Promise<void> {
	for (const version of n8nVersions) {
		await withProgress(async (report) => await installServer(version, report));
	}
	const packed = await packPackage();
	resources.push(async () => packed.remove());
	const servers = n8nVersions.map(async (version) => {
		const server = await startN8n({
			version,
			packages: [packed],
			environment: { ...CONNECTIONS, EXTERNAL_HOOK_FILES: join(__dirname, 'slowHooks.cjs') },
			// It serves descriptions and schemas of nodes, too.
			editor: true,
		});
		resources.push(async () => await server.remove());
		const { url, userFolder: folder } = server;
		return [version, { client: await N8nClient.signIn(url), url, folder }] as const;
	});
	announceSharedServers(await Promise.all(servers), packed);
}
