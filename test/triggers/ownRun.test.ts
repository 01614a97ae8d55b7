import type { INodeParameters } from 'n8n-workflow';

import type { SandboxRun, SeedRuns } from '../../dev/sandbox/control';
import type { Fault } from '../../dev/sandbox/faults';
import type { WebhookTrigger } from '../core/harness';
import { ExecutionStore } from '../core/harness/store';
import { chosen, forAllTests } from '../fixture';
import { callBack, ORIGIN, OWN, startedWith, TriggerFixture, warnings } from './triggerFixture';
import { lapseTime, until } from '../timeLapse';

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	jest.restoreAllMocks();
	await fixture.sandbox.reset();
});

const CANCELING = { ...OWN, options: { cancelOnDeactivation: true } };

const START = { method: 'POST', path: '/runs$', times: 1 } as const;

/** The service refuses to tell of a run. */
const REFUSAL = { kind: 'envelopeError', code: 401, msg: 'no', path: '/status$' } as const;

async function template(): Promise<{ id: string; start: INodeParameters }> {
	const id = (await fixture.sandbox.info()).templates[0]?.id ?? '';
	return { id, start: { ...OWN, start: 'template', templateId: chosen(id) } };
}

async function runs(): Promise<SandboxRun[]> {
	return await fixture.sandbox.runs();
}

async function activated(parameters: INodeParameters = OWN): Promise<WebhookTrigger> {
	const trigger = fixture.trigger(parameters);
	await trigger.activate();
	return trigger;
}

describe('the trigger that starts a run', () => {
	it('starts one run with both addresses, and hears of its end', async () => {
		const trigger = await activated();
		const urls = { callbackUrl: trigger.url('default'), statusCallbackUrl: trigger.url('setup') };
		const started = { botId: '1001', input: { keyword: 'lamp' }, ...urls };
		expect(await runs()).toMatchObject([started]);

		const taskId = await fixture.latestRun();
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });
		expect(startedWith(call)).toEqual([expect.objectContaining({ task_id: taskId })]);
	});

	it('shows the form of the template that was chosen, and starts it in the chosen region', async () => {
		const { id, start } = await template();
		await fixture.formOf(start);
		const asked = await fixture.sandbox.requests({ method: 'GET' });
		await activated({ ...start, options: { proxyRegion: 'US' } });

		expect(asked.map(({ path }) => path)).toEqual([`/v3/bots/templates/${id}`]);
		expect(await runs()).toEqual([expect.objectContaining({ botId: id, proxyRegion: 'US' })]);
	});

	lapseTime();

	it('starts one run when n8n registers it twice at once and again, and activates it also while the service has a fault', async () => {
		const trigger = fixture.trigger(OWN);
		await Promise.all([trigger.create(), trigger.create()]);
		await trigger.create();
		await trigger.activate();
		await fixture.sandbox.addFault({ kind: 'answer', status: 500, path: '/status$' });
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it('starts no second run when the service refuses to tell of the first', async () => {
		const trigger = await activated();
		await fixture.sandbox.addFault(REFUSAL);

		await expect(trigger.activate()).rejects.toThrow('does not accept the API key');
		await fixture.sandbox.clearFaults();
		await trigger.activate();
		expect(await runs()).toHaveLength(1);
	});

	it.each([
		['refuses to tell of the first', async () => await fixture.sandbox.addFault(REFUSAL), 1],
		['has deleted the first', async () => await fixture.sandbox.reset(), 0],
	])('starts no run, and goes on, as n8n starts and the service %s', async (_, befall, count) => {
		const trigger = await activated();
		await befall();
		for (const mode of ['init', 'leadershipChange'] as const) await trigger.activate(mode);

		expect(await runs()).toHaveLength(count);
	});

	it('starts another run when the service does not know the first any more', async () => {
		const trigger = await activated();
		await fixture.sandbox.reset();
		await trigger.activate();

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
		await activated({ ...form, inputFields });

		expect(await runs()).toMatchObject([{ input: { keyword: 'desk', max_results: 3 } }]);
	});
});

describe('a start whose answer got lost', () => {
	async function afterFailure(
		fault: Fault = { ...START, kind: 'serverError' },
		parameters: INodeParameters = OWN,
	): Promise<WebhookTrigger> {
		const trigger = fixture.trigger(parameters);
		await fixture.sandbox.addFault(fault);
		await expect(trigger.create()).rejects.toThrow();
		return trigger;
	}

	/** Lets so much time pass at once. */
	function afterMinutes(minutes: number): void {
		const now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now + minutes * 60_000);
	}

	/** A run that somebody else starts, by default just like the trigger. */
	async function startElsewhere(difference: Partial<SeedRuns> = {}): Promise<void> {
		const createdFrom = new Date().toISOString();
		const like = { bot: '1001', input: { keyword: 'lamp' }, createdFrom };
		await fixture.sandbox.seedRuns({ count: 1, ...like, ...difference });
	}

	it.each<[string, INodeParameters, Partial<SeedRuns>]>([
		['with another input', {}, { input: { keyword: 'desk' } }],
		['with a part of its input', { input: '{ "keyword": "lamp", "max_results": 3 }' }, {}],
		['of another bot', {}, { bot: '1002' }],
		['of a bot, where it is one of a template', { start: 'template' }, {}],
		['from before', {}, { createdFrom: new Date(Date.now() - 3_600_000).toISOString() }],
	])('is not taken for a run %s', async (_, parameters, difference) => {
		const { templateId = '' } = (await template()).start;
		const trigger = await afterFailure(undefined, { ...OWN, templateId, ...parameters });
		await startElsewhere(difference);
		afterMinutes(3);
		await trigger.activate();

		expect(await runs()).toHaveLength(2);
	});

	it('is not repeated while its run may not be listed yet, as often as n8n tries', async () => {
		const trigger = await afterFailure({ ...START, kind: 'serverError', after: true });
		const body = JSON.stringify({ code: 0, msg: '', data: { items: [] } });
		const unlisted = { kind: 'answer', status: 200, path: '/runs$', method: 'GET', body } as const;
		await fixture.sandbox.addFault(unlisted);
		for (let count = 0; count < 4; count++)
			await expect(trigger.create()).rejects.toMatchObject({
				message: expect.stringContaining('is not known yet'),
				description: expect.stringContaining('again in two minutes'),
			});
		await fixture.sandbox.clearFaults();
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it('is found, and not repeated, where the service’s clock is behind n8n’s', async () => {
		const trigger = await afterFailure();
		await startElsewhere({ createdFrom: new Date(Date.now() - 90_000).toISOString() });
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it('is found where n8n’s clock, which was ahead, is set right', async () => {
		afterMinutes(30);
		const trigger = await afterFailure({ ...START, kind: 'serverError', after: true });
		jest.restoreAllMocks();
		await trigger.activate();

		expect(await runs()).toHaveLength(1);
	});

	it.each<[string, Fault, number]>([
		['after a quarter of an hour', { ...START, kind: 'serverError' }, 16],
		['when it was refused', { ...START, kind: 'envelopeError', code: 10118, msg: 'full' }, 0],
	])('is not looked for %s', async (_, fault, minutes) => {
		const trigger = await afterFailure(fault);
		afterMinutes(minutes);
		await startElsewhere();
		await trigger.activate();

		expect(await runs()).toHaveLength(2);
	});

	it('is found as n8n starts, which had ended before it stored the run', async () => {
		jest.spyOn(ExecutionStore.prototype, 'saveStaticData').mockImplementationOnce(() => undefined);
		const setup = { workflowId: fixture.newWorkflowId() };
		await fixture.trigger(OWN, setup).create();
		await fixture.restartedTrigger(OWN, setup).activate('init');

		expect(await runs()).toHaveLength(1);
		await fixture.restartedTrigger(OWN, { workflowId: fixture.newWorkflowId() }).activate();
		expect(await runs()).toHaveLength(2);
	});

	it('is found by the same process also where n8n has not stored that it was lost', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger(OWN, { workflowId });
		await fixture.sandbox.addFault({ ...START, kind: 'serverError', after: true });
		await expect(trigger.activate()).rejects.toThrow();
		fixture.harness.importStaticData({}, workflowId);
		await fixture.trigger(OWN, { workflowId }).activate();

		expect(await runs()).toHaveLength(1);
	});

	it.each([
		['the connection broke', { kind: 'cutConnection', after: true }],
		['the service had a fault', { kind: 'serverError', after: true }],
		['the answer cannot be read', { kind: 'malformedJson' }],
	] as const)('is found at the next attempt, then not looked for again: %s', async (_, fault) => {
		const trigger = await afterFailure({ ...START, ...fault });
		await trigger.activate();
		expect(await runs()).toHaveLength(1);

		await trigger.deactivate();
		await trigger.activate();
		expect(await runs()).toHaveLength(2);
	});

	it('is taken for the newest of several runs with its input, also where the list does not name their bot', async () => {
		const trigger = await afterFailure(undefined, CANCELING);
		const input = { keyword: 'lamp' };
		const like = { bot_id: '1001', input };
		const items = [
			{ ...like, task_id: 'undated' },
			{ ...like, task_id: 'first', created_at: '2026-11-22T10:00:00Z' },
			{ input, task_id: 'second', created_at: '2026-11-22T10:00:01Z' },
			{ bot_id: '1001', task_id: 'without input', created_at: '2026-11-22T10:00:02Z' },
		];
		const body = JSON.stringify({ code: 0, msg: '', data: { items } });
		await fixture.sandbox.addFault({ kind: 'answer', status: 200, path: '/runs$', body });
		await trigger.create();
		await trigger.delete();

		const canceled = await fixture.sandbox.requests({ path: '/cancel$' });
		expect(canceled.map(({ path }) => path)).toEqual(['/v3/bots/runs/second/cancel']);
	});
});

describe('deactivation', () => {
	it('lets the run go on', async () => {
		const trigger = await activated();
		await trigger.deactivate();

		expect((await runs())[0]?.status).not.toBe('canceled');
	});

	it('cancels the run also when n8n was stopped while the service refused to tell of it', async () => {
		const trigger = await activated(CANCELING);
		await fixture.sandbox.addFault(REFUSAL);
		// Stopped there, n8n cleans nothing up.
		await expect(trigger.create()).rejects.toThrow('does not accept the API key');
		await fixture.sandbox.clearFaults();
		await trigger.activate();
		await trigger.deactivate();

		expect(await runs()).toEqual([expect.objectContaining({ status: 'canceled' })]);
	});

	it('cancels the run at the next try where the service has a fault, and n8n’s log says if none succeeds', async () => {
		const log = warnings();
		const fault = { kind: 'answer', status: 503, path: '/cancel$' } as const;
		const [once, never] = [fixture.trigger(CANCELING), fixture.trigger(CANCELING)];
		for (const trigger of [once, never]) await trigger.activate();
		await fixture.sandbox.addFault({ ...fault, times: 1 });
		await once.deactivate();
		await fixture.sandbox.addFault(fault);
		await never.deactivate();

		const [canceled, going] = await runs();
		expect([canceled?.status, going?.status]).toEqual(['canceled', 'running']);
		expect(log).toEqual([expect.stringContaining(`Run ${going?.taskId}, which the trigger`)]);
	});
});

it.each([
	['registers the trigger', 0, { method: 'POST', path: '/runs$' }],
	['registers it again, as at its start', 1, { method: 'GET', path: '/status$' }],
] as const)('an end that comes while n8n %s outlasts a restart', async (_, earlier, request) => {
	const workflowId = fixture.newWorkflowId();
	const trigger = fixture.trigger(OWN, { workflowId });
	for (let count = 0; count < earlier; count++) await trigger.activate();
	await fixture.sandbox.addFault({ ...request, kind: 'latency', ms: 60_000 });
	const activation = trigger.activate();
	await until(async () => (await fixture.sandbox.requests(request))[0], 'a request');
	const taskId = await fixture.seedRun();
	const end = { task_id: taskId, status: 'finished' };
	const reported = await callBack(trigger, end);
	await fixture.sandbox.clearFaults();
	await activation;
	const again = await callBack(fixture.restartedTrigger(OWN, { workflowId }), end);

	expect(reported.run).toBeDefined();
	expect(again).toMatchObject({ response: { status: 200 }, run: undefined });
});

it('a callback that overtakes n8n’s storing of the own run stores nothing over it', async () => {
	const workflowId = fixture.newWorkflowId();
	const trigger = fixture.trigger(OWN, { workflowId });
	const taskId = await fixture.seedRun('paused');
	await callBack(trigger, { task_id: taskId, status: 'paused' }, 'setup');

	expect(fixture.harness.staticData(workflowId)).toEqual({});
});

describe('a run that another trigger started', () => {
	it('is not believed to be the own one of an imported workflow, nor canceled by it', async () => {
		const workflowId = fixture.newWorkflowId();
		await fixture.trigger(OWN, { workflowId, id: 'first' }).activate();
		const copyId = fixture.newWorkflowId();
		fixture.harness.importStaticData(fixture.harness.staticData(workflowId), copyId);
		const copy = fixture.trigger(CANCELING, { workflowId: copyId, id: 'copy' });

		await copy.deactivate();
		expect((await runs())[0]?.status).not.toBe('canceled');
		await copy.activate();
		expect((await runs()).map(({ callbackUrl }) => callbackUrl)).toEqual([
			expect.stringContaining('/first/'),
			copy.url(),
		]);
	});

	it('calls the address of before when the one of n8n has changed: another run is started', async () => {
		const trigger = await activated();
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
