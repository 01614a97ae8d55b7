import { N8nClient } from '../../dev/n8n/client';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { packedPackage } from './sharedServer';
import { describeRestart, describeTriggers } from './triggerScenarios';
import { openWorkbench, type Workbench } from './workbench';

let server: N8nServer;
let bench: Workbench;

beforeAll(async () => {
	server = await startN8n({ version: '1.123', packages: [packedPackage()] });
	bench = await openWorkbench(await N8nClient.signIn(server.url));
}, 600_000);

afterAll(async () => {
	await bench?.close();
	await server?.remove();
});

describe('the trigger in n8n 1.123', () => {
	describeTriggers(() => bench);
	describeRestart(
		() => bench,
		() => server,
	);
});
