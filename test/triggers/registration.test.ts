import { TRIGGERS_KEY } from '../../nodes/BrowserAutomation/service/triggerAddresses';
import { byId, TriggerBench } from './bench';

let bench: TriggerBench;

beforeAll(async () => {
	bench = await TriggerBench.open();
});

afterAll(async () => {
	await bench.close();
});

/** A service on the internet, which nobody asks. */
const PUBLIC = { browserAutomationApi: { baseUrl: 'https://api.example.com', apiKey: 'key' } };

describe('activation', () => {
	it('leaves the trigger’s addresses for the other nodes, until the deactivation', async () => {
		const workflowId = bench.newWorkflowId();
		const trigger = bench.trigger({}, { workflowId, id: 'listening' });
		expect(await trigger.checkExists()).toBe(false);
		await trigger.activate();

		expect(await trigger.checkExists()).toBe(true);
		expect(bench.harness.staticData(workflowId).global).toEqual({
			[TRIGGERS_KEY]: {
				listening: {
					name: 'Trigger',
					completedUrl: trigger.url('default'),
					statusUrl: trigger.url('setup'),
				},
			},
		});

		await trigger.deactivate();
		expect(bench.harness.staticData(workflowId).global).toEqual({ [TRIGGERS_KEY]: {} });
		expect(await trigger.checkExists()).toBe(false);
	});

	it('asks nothing of the service', async () => {
		await bench.sandbox.clearRequests();
		await bench.trigger().activate();

		expect(await bench.sandbox.requests()).toEqual([]);
	});

	it('is done anew when the address of n8n has changed', async () => {
		const trigger = bench.trigger();
		await trigger.activate();
		bench.harness.moveTo('http://127.0.0.1:2');

		expect(await trigger.checkExists()).toBe(false);
		await trigger.activate();
		expect(await trigger.checkExists()).toBe(true);
	});

	it.each([
		['runs started elsewhere', {}],
		['a run of its own', { source: 'own', start: 'bot', botId: byId('1001'), input: '{}' }],
	])('says what to do when the service cannot reach n8n (%s)', async (_, parameters) => {
		const trigger = bench.trigger(parameters, { credentials: PUBLIC });

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/127\.0\.0\.1.* is a local or private address/),
			description: expect.stringContaining('WEBHOOK_URL'),
		});
	});

	it('in the editor leaves nothing behind for production', async () => {
		const workflowId = bench.newWorkflowId();
		const trigger = bench.trigger({}, { workflowId, isTest: true });
		await trigger.activate();
		await trigger.deactivate();

		expect(bench.harness.staticData(workflowId)).toEqual({});
	});
});
