import { N8nClient } from '../../n8n/client';
import { installServer } from '../../n8n/installation';
import { packPackage } from '../../n8n/packedPackage';
import { withProgress } from '../../n8n/progress';
import { startN8n } from '../../n8n/server';
import { n8nVersions, newestN8n } from '../../n8n/versions';
import { announceSharedServer } from './sharedServer';
import { resources } from './sharedResources';

/**
 * Starts the n8n that all test files share, with the packed package in it. In the gate the other servers are installed as well:
 * from an empty cache a download may take longer than the test that needs it.
 */
export default async function globalSetup(): Promise<void> {
	for (const version of process.env.CI === undefined ? [] : n8nVersions) {
		await withProgress(async (report) => await installServer(version, report));
	}
	const packed = await packPackage();
	resources.push(async () => packed.remove());
	const server = await withProgress(
		async (report) => await startN8n({ version: newestN8n(), packages: [packed], report }),
	);
	resources.push(async () => server.remove());
	const { session } = await N8nClient.signIn(server.url);
	announceSharedServer(
		{ url: server.url, cookie: session.cookie, folder: server.userFolder },
		packed,
	);
}
