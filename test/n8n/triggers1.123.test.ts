import { N8nClient } from '../../n8n/client';
import { startN8n, type N8nServer } from '../../n8n/server';
import { chosen } from '../fixture/parameters';
import { packedPackage } from './sharedServer';
import { describeTriggerScenarios } from './triggerScenarios';
import {
	afterOutage,
	afterSpoiledCursor,
	callbackTrigger,
	triggered,
	triggerLine,
} from './triggerWorkflows';
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
	describeTriggerScenarios(() => bench, 1_000);

	it('tells once of runs that ended while n8n was down, though no callback comes', async () => {
		const { taskIds, told, executions } = await afterOutage(bench, server, 10);

		expect(told).toEqual(taskIds);
		expect(executions).toBe(10);
	});

	it('tells of runs by the polling trigger after its cursor was spoiled', async () => {
		const { taskIds, told, before } = await afterSpoiledCursor(bench, 3);

		expect(before).toContain('100000000000000000000');
		expect(told).toEqual(taskIds);
	});

	it('shows the event of its own run in the editor', async () => {
		const { client, credential, sandbox } = bench;
		const own = { source: 'own', start: 'bot', botId: chosen('1001'), inputMode: 'json' };
		const parameters = { ...own, input: '{ "keyword": "lamp" }' };
		const workflow = await client.createWorkflow(
			triggerLine(callbackTrigger(credential, parameters)),
		);
		expect(await client.runManually(workflow, { trigger: 'Trigger' })).toBeUndefined();
		const [output] = await triggered(client, workflow, 1);
		const [started] = (await sandbox.runs()).slice(-1);

		expect(output?.[0]).toMatchObject({ event: 'runFinished', task_id: started?.taskId });
	});
});
