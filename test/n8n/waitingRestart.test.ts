import { N8nClient } from '../../dev/n8n/client';
import { Relay } from '../../dev/n8n/relay';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { packedPackage } from './sharedServer';
import { describeCrash, describeRestarts, type RestartSetup } from './waitingRestarts';

const version = newestN8n();

describe(`waiting while n8n ${version} is restarted`, () => {
	let proxy: Relay;
	let server: N8nServer;
	let client: N8nClient;

	beforeAll(async () => {
		proxy = await Relay.start();
		const environment = { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost' };
		server = await startN8n({ version, packages: [packedPackage()], environment });
		client = await N8nClient.signIn(server.url);
	}, 300_000);

	afterAll(async () => {
		await server?.remove();
		await proxy?.close();
	});

	const setup = (): RestartSetup => ({
		version,
		client,
		webhookUrl: server.url,
		proxy,
		server,
	});
	describeCrash(setup);
	describeRestarts(setup);
});
