import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { RunOptions } from '../core/harness';
import { forAllTests } from '../fixture';
import { ORIGIN, TriggerFixture } from './triggerFixture';

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	fixture.harness.moveTo(ORIGIN);
	await fixture.sandbox.reset();
});

/** Two triggers of a workflow, and the workflow's ID. */
function pair() {
	const workflowId = fixture.newWorkflowId();
	const first = fixture.trigger({}, { workflowId, name: 'First', id: 'first' });
	const second = fixture.trigger({}, { workflowId, name: 'Second', id: 'second' });
	return { workflowId, first, second, beside: [first.node, second.node] };
}

/** A trigger of an active workflow, what starts a run that notifies it, and the workflow's ID. */
async function published(workflowId = fixture.newWorkflowId()) {
	const trigger = fixture.trigger({}, { workflowId });
	await trigger.activate();
	const notify = async (setup: Partial<RunOptions> = {}, parameters: INodeParameters = {}) =>
		await fixture.runAndNotify(parameters, { workflowId, beside: [trigger.node], ...setup });
	return { workflowId, trigger, notify };
}

/** The ID of a workflow to which everything was imported that one with an active trigger keeps. */
async function imported(): Promise<string> {
	const { workflowId } = await published();
	const copyId = fixture.newWorkflowId();
	fixture.harness.importStaticData(fixture.harness.staticData(workflowId), copyId);
	return copyId;
}

async function notified(): Promise<Array<string | null>> {
	const [run] = await fixture.sandbox.runs();
	return [run?.callbackUrl ?? null, run?.statusCallbackUrl ?? null];
}

/** As the editor runs a workflow: n8n does not tell whether it is active. */
const MANUAL: Partial<RunOptions> = { mode: 'manual', active: false };

function errorOf({ error }: { error?: unknown }): IDataObject {
	return Object(error);
}

describe('“Trigger in This Workflow”', () => {
	it.each([
		['in production', {}, ORIGIN],
		['from a manual run', MANUAL, ORIGIN],
		['also after those of n8n have changed', {}, 'http://127.0.0.1:2'],
	])('gives the run both addresses of the trigger, %s', async (_, setup, origin) => {
		const { trigger, notify } = await published();
		fixture.harness.moveTo(origin);
		await notify(setup);

		expect(await notified()).toEqual([trigger.url('default'), trigger.url('setup')]);
		expect(trigger.url()).toContain(origin);
	});

	it('gives the status address alone where the node keeps the completion for itself', async () => {
		const { trigger, notify } = await published();
		await notify({}, { waitForCompletion: 'automatic' });
		const asleep = expect.stringContaining('/webhook-waiting/');
		expect(await notified()).toEqual([asleep, trigger.url('setup')]);
	});

	it('does not count what came with an imported workflow', async () => {
		const { trigger, notify } = await published(await imported());
		await notify();

		expect(await notified()).toEqual([trigger.url('default'), trigger.url('setup')]);
	});

	it('is not fooled by it in the editor either', async () => {
		const copyId = await imported();
		const copy = fixture.trigger({}, { workflowId: copyId, id: 'copy' });
		const setup = { ...MANUAL, workflowId: copyId, beside: [copy.node] };

		expect(errorOf(await fixture.runAndNotify({}, setup))).toMatchObject({
			message: 'No Browser Automation Trigger of this workflow is active',
			description: expect.stringContaining('publish (activate) the workflow'),
		});
		expect(await fixture.sandbox.runs()).toEqual([]);
	});

	it.each([
		['nothing names one of two', {}, 'one active Browser Automation Trigger: "First", "Second"'],
		['none has the name', { triggerName: 'Third' }, 'is named "Third"'],
	])('says what there is where %s', async (_, parameters, words) => {
		const { workflowId, beside } = pair();
		const run = await fixture.runAndNotify(parameters, { workflowId, beside });

		expect(errorOf(run).message).toContain(words);
	});

	it('is the one that is named, though an editor listens to another', async () => {
		const { workflowId, first, beside } = pair();
		const test = fixture.trigger({}, { workflowId, name: 'Second', id: 'second', isTest: true });
		await test.activate();
		for (const parameters of [{}, { triggerName: 'First' }]) {
			await first.activate();
			await fixture.runAndNotify(parameters, { ...MANUAL, workflowId, beside });
		}

		const urls = (await fixture.sandbox.runs()).map(({ callbackUrl }) => callbackUrl);
		expect(urls).toEqual([test.url(), first.url()]);
	});

	it('does not mean triggers that are disabled or start runs of their own', async () => {
		const { workflowId, first, second } = pair();
		const own = fixture.trigger({ source: 'own' }, { workflowId, name: 'Own', id: 'own' });
		const beside = [{ ...first.node, disabled: true }, second.node, own.node];
		await fixture.runAndNotify({}, { workflowId, beside });

		expect((await notified())[0]).toBe(second.url());
	});

	it('reaches the trigger from Retry, which n8n tells that no workflow is active', async () => {
		const { trigger, notify } = await published();
		const notReady = { kind: 'envelopeError', code: 10021, msg: 'not ready' } as const;
		await fixture.sandbox.addFault({ ...notReady, path: '/runs$', times: 1 });
		const failed = await notify();
		const retried = await fixture.harness.retry(failed);

		expect(failed.error).toBeDefined();
		expect(retried.error).toBeUndefined();
		expect((await notified())[0]).toBe(trigger.url());
	});
});

describe('while the editor listens for a test event', () => {
	it('a manual run notifies the trigger at its test address, and only then', async () => {
		const { workflowId, trigger, notify } = await published();
		const test = fixture.trigger({}, { workflowId, isTest: true });
		await test.activate();
		// Published again while the editor listens.
		await trigger.deactivate();
		await trigger.activate();
		await notify(MANUAL);
		await notify();
		await test.deactivate();
		await notify(MANUAL);

		expect((await fixture.sandbox.runs()).map(({ callbackUrl }) => callbackUrl)).toEqual([
			test.url(),
			trigger.url(),
			trigger.url(),
		]);
	});

	it('its test address counts for two minutes, as long as n8n listens', async () => {
		const { workflowId, trigger, notify } = await published();
		await fixture.trigger({}, { workflowId, isTest: true }).activate();
		const begun = Date.now();
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => begun + 120_000);
		await notify(MANUAL);
		clock.mockRestore();

		expect((await notified())[0]).toBe(trigger.url());
	});

	it('a copy of the workflow, whose trigger has the same ID, does not notify it', async () => {
		const test = fixture.trigger({}, { id: 'same', isTest: true });
		await test.activate();
		const workflowId = fixture.newWorkflowId();
		const copy = fixture.trigger({}, { workflowId, id: 'same' });
		await fixture.runAndNotify({}, { mode: 'manual', workflowId, beside: [copy.node] });

		expect((await notified())[0]).toBe(copy.url());
	});
});
