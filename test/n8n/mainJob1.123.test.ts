import { N8nClient } from '../../n8n/client';
import { withProgress } from '../../n8n/progress';
import { startN8n, type N8nServer } from '../../n8n/server';
import { describeMainJob } from './mainJob';
import { packedPackage } from './sharedServer';

const installationLimit = 20 * 60_000;

describe('the main job in n8n 1.123', () => {
	let server: N8nServer | undefined;
	let client: N8nClient | undefined;

	beforeAll(async () => {
		server = await withProgress(
			async (report) => await startN8n({ version: '1.123', packages: [packedPackage()], report }),
		);
		client = await N8nClient.signIn(server.url);
	}, installationLimit);

	afterAll(async () => {
		await server?.remove();
	});

	describeMainJob(() => {
		if (client === undefined) throw new Error('n8n 1.123 did not start');
		return client;
	}, 'main-job');
});
