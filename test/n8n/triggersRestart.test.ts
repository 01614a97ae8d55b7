import { N8nClient } from '../../dev/n8n/client';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { newestN8n } from '../../dev/n8n/versions';
import { packedPackage } from './sharedServer';
import { describeLosses, describeRestart } from './triggerScenarios';
import { openWorkbench, type Workbench } from './workbench';

let server: N8nServer;
let bench: Workbench;

beforeAll(async () => {
	server = await startN8n({ version: newestN8n(), packages: [packedPackage()] });
	bench = await openWorkbench(await N8nClient.signIn(server.url));
}, 300_000);

afterAll(async () => {
	await bench?.close();
	await server?.remove();
});

// In this n8n of its own a flood keeps no other test waiting.
describeLosses(() => bench, 150);

describeRestart(
	() => bench,
	() => server,
);
