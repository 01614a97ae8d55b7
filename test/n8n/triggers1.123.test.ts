import { N8nClient } from '../../dev/n8n/client';
import { startN8n, type N8nServer } from '../../dev/n8n/server';
import { packedPackage } from './sharedServer';
import { describeLosses, describeRestart, describeTriggers } from './triggerScenarios';
import { pollingTrigger, PublishedTrigger, seed, triggerLine } from './triggerWorkflows';
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
	describeLosses(() => bench, 600);

	// n8n 2 does not take such a cursor.
	it('tells of runs by the polling trigger after its cursor was spoiled', async () => {
		const trigger = await PublishedTrigger.publish(bench, {
			...triggerLine(pollingTrigger(bench.credential)),
			staticData: { 'node:Trigger': { cursor: { newest: 1e20 } } },
		});
		const taskIds = await seed(bench, 3, { createdFrom: new Date().toISOString() });
		await trigger.register();

		expect(await trigger.reported(1)).toEqual(taskIds);
		await trigger.unpublish();
	});

	describeRestart(
		() => bench,
		() => server,
	);
});
