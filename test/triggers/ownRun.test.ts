import type { SandboxRun } from '../../sandbox/control';
import { chosen, forAllTests } from '../fixture';
import { callBack, ORIGIN, startedWith, TriggerFixture } from './triggerFixture';
import { lapseTime } from '../timeLapse';

jest.mock('n8n-workflow', () => jest.requireActual<{ lapsed(): object }>('../timeLapse').lapsed());

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	await fixture.sandbox.reset();
});

const OWN = {
	source: 'own',
	start: 'bot',
	botId: chosen('1001'),
	inputMode: 'json',
	input: '{ "keyword": "lamp" }',
};

const START = { method: 'POST', path: '/runs$', times: 1 } as const;

async function runs(): Promise<SandboxRun[]> {
	return await fixture.sandbox.runs();
}

describe('the trigger that starts a run', () => {
	it('starts one run with both addresses, and hears of its end', async () => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		const [run, ...others] = await runs();

		expect(others).toEqual([]);
		expect(run).toMatchObject({
			botId: '1001',
			input: { keyword: 'lamp' },
			callbackUrl: trigger.url('default'),
			statusCallbackUrl: trigger.url('setup'),
		});

		const taskId = run?.taskId ?? '';
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });
		expect(startedWith(call)).toEqual([expect.objectContaining({ task_id: taskId })]);
	});

	it('starts a template in the region that was chosen', async () => {
		const [template] = (await fixture.sandbox.info()).templates;
		await fixture
			.trigger({
				...OWN,
				start: 'template',
				templateId: chosen(template?.id ?? ''),
				options: { proxyRegion: 'US' },
			})
			.activate();

		expect(await runs()).toEqual([
			expect.objectContaining({ botId: template?.id, proxyRegion: 'US' }),
		]);
	});

	lapseTime();

	it.each([
		['again', async () => {}],
		[
			'again while the service has a fault',
			async () => {
				const fault = { kind: 'answer', status: 500, path: '/status$' } as const;
				await fixture.sandbox.addFault(fault);
			},
		],
	])('starts no second run when n8n activates it %s', async (_, happen) => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		await happen();
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it('starts no second run when the service refuses to tell of the first', async () => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		const refusal = { kind: 'envelopeError', code: 401, msg: 'no' } as const;
		await fixture.sandbox.addFault({ ...refusal, path: '/status$' });

		await expect(trigger.activate()).rejects.toThrow('does not accept the API key');
		await fixture.sandbox.clearFaults();
		await trigger.activate();
		expect(await runs()).toHaveLength(1);
		await trigger.deactivate();
		expect(await trigger.checkExists()).toBe(false);
	});

	it('starts another run when the service does not know the first any more', async () => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		await fixture.sandbox.reset();
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it('starts one run when n8n registers both of its webhooks at the same time', async () => {
		const trigger = fixture.trigger(OWN);
		await Promise.all([trigger.create(), trigger.create()]);

		expect(await runs()).toHaveLength(1);
	});

	it('says why the service did not start a run, and starts one at the next attempt', async () => {
		const trigger = fixture.trigger(OWN);
		await fixture.sandbox.addFault({ ...START, kind: 'envelopeError', code: 10118, msg: 'full' });

		await expect(trigger.activate()).rejects.toMatchObject({
			message: expect.stringContaining('limit of running tasks'),
			description: expect.stringContaining('Wait until another run has ended'),
		});
		expect(await runs()).toEqual([]);
		await trigger.activate();
		expect(await runs()).toHaveLength(1);
	});

	it('takes its input from the same form as Bot > Run', async () => {
		const form = { ...OWN, inputMode: 'fields' };
		expect(await fixture.formOf(form)).toEqual(expect.arrayContaining(['keyword', 'max_results']));
		const value = { keyword: 'desk', max_results: '3', url: '' };
		const inputFields = { mappingMode: 'defineBelow', value };
		await fixture.trigger({ ...form, inputFields }).activate();

		const [run] = await runs();
		expect(run?.input).toMatchObject({ keyword: 'desk', max_results: 3 });
	});

	it('shows the form of the template that was chosen', async () => {
		const [template] = (await fixture.sandbox.info()).templates;
		const start = { start: 'template', templateId: chosen(template?.id ?? '') };

		await fixture.formOf({ ...OWN, ...start });

		const asked = await fixture.sandbox.requests({ method: 'GET' });
		expect(asked.map(({ path }) => path)).toEqual([`/v3/bots/templates/${template?.id}`]);
	});

	it('starts nothing with an input that does not fit', async () => {
		const inputFields = { mappingMode: 'defineBelow', value: { keyword: '' } };
		const trigger = fixture.trigger({ ...OWN, inputMode: 'fields', inputFields });

		await expect(trigger.activate()).rejects.toThrow(/keyword/i);
		expect(await runs()).toEqual([]);
	});

	it('says which input is missing before it asks the service', async () => {
		await fixture.sandbox.clearRequests();
		await expect(fixture.trigger({ ...OWN, botId: chosen('') }).activate()).rejects.toThrow(
			'Bot is missing',
		);
		expect(await fixture.sandbox.requests()).toEqual([]);
	});
});

describe('a start whose answer got lost', () => {
	it.each([
		['the connection broke', { kind: 'cutConnection', after: true }],
		['the service had a fault', { kind: 'serverError', after: true }],
		['the answer cannot be read', { kind: 'malformedJson' }],
	] as const)('is found at the next attempt: %s', async (_, fault) => {
		const trigger = fixture.trigger(OWN);
		await fixture.sandbox.addFault({ ...START, ...fault });
		await expect(trigger.create()).rejects.toThrow();
		await trigger.activate();
		const [run, ...others] = await runs();
		const taskId = run?.taskId ?? '';
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });

		expect(others).toEqual([]);
		expect(await trigger.checkExists()).toBe(true);
	});

	it('is not taken for a run with another input, or of another bot', async () => {
		const trigger = fixture.trigger(OWN);
		await fixture.sandbox.addFault({ ...START, kind: 'serverError' });
		await expect(trigger.create()).rejects.toThrow();
		const others = { count: 1, createdFrom: new Date().toISOString() };
		await fixture.sandbox.seedRuns({ ...others, bot: '1001', input: { keyword: 'desk' } });
		await fixture.sandbox.seedRuns({ ...others, bot: '1002', input: { keyword: 'lamp' } });
		await trigger.activate();

		expect(await runs()).toHaveLength(3);
	});
});

describe('deactivation', () => {
	it('lets the run go on', async () => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		await trigger.deactivate();

		const [run] = await runs();
		expect(run?.status).not.toBe('canceled');
		expect(await trigger.checkExists()).toBe(false);
	});

	it('cancels the run when that is wanted', async () => {
		const trigger = fixture.trigger({ ...OWN, options: { cancelOnDeactivation: true } });
		await trigger.activate();
		await trigger.deactivate();

		expect(await runs()).toEqual([expect.objectContaining({ status: 'canceled' })]);
	});

	it('is not held up by a run that has ended', async () => {
		const trigger = fixture.trigger({ ...OWN, options: { cancelOnDeactivation: true } });
		await trigger.activate();
		const [run] = await runs();
		await fixture.sandbox.moveRun({ taskId: run?.taskId ?? '', status: 'failed' });
		await trigger.deactivate();

		expect(await trigger.checkExists()).toBe(false);
	});
});

describe('a run that another trigger started', () => {
	it('is not believed to be the own one of an imported workflow, nor canceled by it', async () => {
		const workflowId = fixture.newWorkflowId();
		await fixture.trigger(OWN, { workflowId, id: 'first' }).activate();
		const copyId = fixture.newWorkflowId();
		fixture.harness.importStaticData(fixture.harness.staticData(workflowId), copyId);
		const own = { ...OWN, options: { cancelOnDeactivation: true } };
		const copy = fixture.trigger(own, { workflowId: copyId, id: 'copy' });

		await copy.deactivate();
		const [run] = await runs();
		expect(run?.status).not.toBe('canceled');
		await copy.activate();
		expect((await runs()).map(({ callbackUrl }) => callbackUrl)).toEqual([
			expect.stringContaining('/first/'),
			copy.url(),
		]);
	});

	it('calls the address of before when the one of n8n has changed: another run is started', async () => {
		const trigger = fixture.trigger(OWN);
		await trigger.activate();
		fixture.harness.moveTo('http://127.0.0.1:2');
		await trigger.activate();
		fixture.harness.moveTo(ORIGIN);

		expect((await runs()).map(({ callbackUrl }) => new URL(callbackUrl ?? '').origin)).toEqual([
			ORIGIN,
			'http://127.0.0.1:2',
		]);
	});

	it('is no reason to start none for the editor', async () => {
		const workflowId = fixture.newWorkflowId();
		await fixture.trigger(OWN, { workflowId }).activate();
		const test = fixture.trigger(OWN, { workflowId, isTest: true });
		await test.activate();

		expect((await runs()).map(({ callbackUrl }) => callbackUrl)).toEqual([
			expect.stringContaining('/webhook/'),
			test.url(),
		]);
		expect(test.url()).toContain('/webhook-test/');
	});
});
