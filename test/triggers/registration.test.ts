import { HookContext } from 'n8n-core';

import { signOf } from '../../nodes/BrowserAutomation/fields/notify';
import { ExecutionStore } from '../core/harness/store';
import { apiCredential, forAllTests } from '../fixture';
import { OWN, TriggerFixture } from './triggerFixture';

const fixture = forAllTests(new TriggerFixture());

/** A service on the internet, which nobody asks. */
const PUBLIC = apiCredential({ url: 'https://api.example.com', key: 'key' });

describe('activation', () => {
	afterEach(() => jest.restoreAllMocks());

	it('stores nothing anew at n8n’s start: callbacks may have stored something meanwhile', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger({}, { workflowId });
		const stores = jest.spyOn(ExecutionStore.prototype, 'saveStaticData');
		await trigger.activate();
		expect(stores).toHaveBeenCalledTimes(1);
		await trigger.activate();
		expect(stores).toHaveBeenCalledTimes(1);
	});

	it.each([
		['in production', false],
		['in the editor', true],
	])('is refused where the service does not accept the key, %s', async (_, isTest) => {
		const credentials = apiCredential({ url: fixture.sandbox.url, key: 'another' });
		const trigger = fixture.trigger({}, { isTest, credentials });

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/^The service does not accept the API key of 'browserAuto/),
		});
	});

	it('is not held up by a service that fails, nor at n8n’s start by a refused key', async () => {
		await fixture.sandbox.addFault({ kind: 'answer', status: 500 });
		await fixture.trigger().activate();
		await fixture.sandbox.clearFaults();
		await fixture.sandbox.addFault({ kind: 'envelopeError', code: 401, msg: 'no' });
		await fixture.trigger().activate('init');
		await fixture.sandbox.clearFaults();
	});

	it('is done anew when the address of n8n has changed', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger({}, { workflowId, id: 'listening' });
		await trigger.activate();
		fixture.harness.moveTo('http://127.0.0.1:2');
		await trigger.activate();

		const { global } = fixture.harness.staticData(workflowId);
		expect(global).toEqual({ [signOf(trigger.node)]: trigger.url('default') });
		expect(trigger.url('default')).toContain('127.0.0.1:2');
	});

	it.each([
		['runs started elsewhere', {}],
		['a run of its own', OWN],
	])('says what to do when the service cannot reach n8n (%s)', async (_, parameters) => {
		const trigger = fixture.trigger(parameters, { credentials: PUBLIC });

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringMatching(/127\.0\.0\.1.* leads to the local or private address/),
			description: expect.stringContaining('N8N_WEBHOOK_URL'),
		});
	});

	it.each(['default', 'setup'])('is refused when n8n gives no address (%s)', async (missing) => {
		const { getNodeWebhookUrl } = HookContext.prototype;
		jest.spyOn(HookContext.prototype, 'getNodeWebhookUrl').mockImplementation(function (
			this: HookContext,
			name,
		) {
			return name === missing ? undefined : getNodeWebhookUrl.call(this, name);
		});

		await expect(fixture.trigger().activate()).rejects.toMatchObject({
			message: 'n8n gave this trigger no webhook address',
			description: expect.stringContaining('Save the workflow'),
		});
	});
});

it('activation is refused where the events could not be reported', async () => {
	const activated = fixture.trigger({ output: 'selected', fieldNames: [] }).activate();

	await expect(activated).rejects.toThrow("Nothing is chosen under 'Field Names or IDs'");
});

it.each([
	['where it started a run', OWN, {}],
	['where it started a run and its credential is gone', OWN, { credentials: {} }],
	['in the editor', {}, { isTest: true }],
])('deactivation leaves nothing for the other nodes, %s', async (_, parameters, further) => {
	const setup = { workflowId: fixture.newWorkflowId(), id: 'listening' };
	const isTest = 'isTest' in further;
	await fixture.trigger(parameters, { ...setup, isTest }).activate();
	await fixture.trigger(parameters, { ...setup, ...further }).deactivate();

	const { global = {}, ...own } = fixture.harness.staticData(setup.workflowId);
	expect(global).toEqual({});
	if (isTest) expect(own).toEqual({});
});
