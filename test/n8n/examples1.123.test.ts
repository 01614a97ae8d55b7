import { N8nClient } from '../../n8n/client';
import { ProgressDisplay } from '../../n8n/progress';
import { startN8n, type N8nServer } from '../../n8n/server';
import { describeExamples } from './exampleCases';
import { packedPackage } from './sharedServer';

const installationLimit = 20 * 60_000;

describe('the examples in n8n 1.123', () => {
	let server: N8nServer | undefined;
	let client: N8nClient | undefined;

	beforeAll(async () => {
		const display = new ProgressDisplay();
		server = await startN8n({
			version: '1.123',
			packages: [packedPackage()],
			report: display.report,
		}).finally(() => display.end());
		client = await N8nClient.signIn(server.url);
	}, installationLimit);

	afterAll(async () => {
		await server?.remove();
	});

	describeExamples('1.123', () => {
		if (server === undefined || client === undefined) throw new Error('n8n 1.123 did not start');
		return { client, url: server.url, folder: server.userFolder };
	});
});
