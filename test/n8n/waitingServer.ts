import { N8nClient } from '../../n8n/client';
import { Relay } from '../../n8n/relay';
import { startN8n, type N8nServer } from '../../n8n/server';
import type { N8nVersion } from '../../n8n/versions';
import type { FaultTable } from './faultTable';
import { packedPackage } from './sharedServer';
import type { WaitingStage } from './waitingScene';

const installationLimit = 20 * 60_000;

/** An n8n of the describe block's own, which may be restarted, with a proxy to public addresses. */
export function openWaitingServer(
	version: N8nVersion,
	table: FaultTable,
): () => Required<WaitingStage> & { server: N8nServer } {
	let opened: { server: N8nServer; client: N8nClient; proxy: Relay } | undefined;

	beforeAll(async () => {
		const proxy = await Relay.start();
		const server = await startN8n({
			version,
			packages: [packedPackage()],
			environment: {
				HTTP_PROXY: proxy.url,
				NO_PROXY: '127.0.0.1,localhost',
				// Without connections of their own, the requests of n8n 1 share one transaction.
				DB_SQLITE_POOL_SIZE: '3',
			},
		});
		opened = { server, client: await N8nClient.signIn(server.url), proxy };
	}, installationLimit);

	afterAll(async () => {
		table.print();
		await opened?.server.remove();
		await opened?.proxy.close();
	});

	return () => {
		if (opened === undefined) throw new Error(`n8n ${version} did not start`);
		return { version, webhookUrl: opened.server.url, table, ...opened };
	};
}
