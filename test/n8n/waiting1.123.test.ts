import { N8nClient } from '../../n8n/client';
import { startN8n, type N8nServer } from '../../n8n/server';
import { packedPackage } from './sharedServer';
import { describeWaiting } from './waitingCases';

const installationLimit = 20 * 60_000;

describe('waiting in n8n 1.123', () => {
	let server: N8nServer | undefined;
	let client: N8nClient | undefined;

	beforeAll(async () => {
		server = await startN8n({ version: '1.123', packages: [packedPackage()] });
		client = await N8nClient.signIn(server.url);
	}, installationLimit);

	afterAll(async () => {
		await server?.remove();
	});

	describeWaiting(() => {
		if (client === undefined) throw new Error('n8n 1.123 did not start');
		return { client, webhookUrl: client.session.url, failsAtLimit: false };
	});
});
