import { setTimeout } from 'node:timers/promises';

import { startSandbox } from '../../dev/sandbox/server';
import type { TriggerCall, WebhookTrigger } from '../core/harness';
import { chosen, forAllTests } from '../fixture';
import { ProcessedData } from '../fixture/processedData';
import { until } from '../timeLapse';
import { letPausesPass, stopPauses, underOwnClock, usualClock } from './ownClock';
import { callBack, hold, OWN, REFUSAL, startedWith, TriggerFixture } from './triggerFixture';
import { warnings } from './triggerFixture';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ withOwnPauses(): object }>('./ownClock').withOwnPauses(),
);

// How the trigger checks by itself is tested elsewhere (openRuns.test.ts).
jest.mock('../../nodes/BrowserAutomation/transport/ownAddress', () => ({
	callOwnAddress: async () => ({ status: 200, body: {} }),
}));

const fixture = forAllTests(new TriggerFixture());

/** Callbacks that a test may leave under way when it fails. */
const underWay: Array<Promise<unknown>> = [];

afterEach(async () => {
	jest.restoreAllMocks();
	letPausesPass();
	await fixture.sandbox.clearFaults();
	await Promise.allSettled(underWay.splice(0));
	await until(async () => (await fixture.sandbox.load()).requests === 0, 'the last answer');
	usualClock();
	await fixture.sandbox.clearRequests();
});

/** How long the trigger takes for an answer, and of that for files, at the most. */
const ANSWER_WITHIN_MS = 25_000;
const FILES_WITHIN_MS = 15_000;

const BOTH = { events: ['runFinished', 'runStatusChanged'] };

/** The answer to one request does not come before the faults are cleared. */
const HELD = { kind: 'latency', ms: 600_000, times: 1 } as const;

async function requested(path: string): Promise<void> {
	await until(async () => (await fixture.sandbox.requests({ path }))[0], `a request at ${path}`);
}

/** The trigger's next time limit of so many milliseconds passes when the test says so. */
function heldLimit(milliseconds: number): AbortController {
	const limit = new AbortController();
	const { timeout } = AbortSignal;
	let isHeld = false;
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
		if (isHeld || ms !== milliseconds) return timeout(ms);
		isHeld = true;
		return limit.signal;
	});
	return limit;
}

describe('a callback', () => {
	it('starts the workflow with the run as the service tells it', async () => {
		const told = { task_id: await fixture.seedRun('failed'), status: 'failed' };
		const call = await callBack(fixture.trigger(), { ...told, output: 'forged' });

		const body = { message: 'The workflow was started.' };
		expect(call.response).toMatchObject({ status: 200, body });
		expect(startedWith(call)).toMatchObject([{ event: 'runFailed', ...told }]);
		expect(startedWith(call)?.[0]).not.toHaveProperty('output', 'forged');
		expect(startedWith(call)?.[0]).not.toHaveProperty('input');
	});

	it('about a task of V2 is read as one, and brings the fields selected under their names of V3 to who listens to its bot', async () => {
		const selected = { output: 'selected', fieldNames: ['event', 'output_files'] };
		const trigger = fixture.trigger({ ...selected, filters: { bot: chosen('1001') } });
		const task_id = await fixture.seedRun();
		const call = await callBack(trigger, { id: task_id, status: 'finished' });

		const file = { file_name: expect.any(String), download_url: expect.any(String) };
		const output_files = expect.objectContaining({ json: file });
		expect(startedWith(call)?.[0]).toMatchObject({ event: 'runFinished', task_id, output_files });
		expect(await fixture.sandbox.requests({ path: '^/v2/workflow/get-task' })).toHaveLength(1);
	});

	it.each([
		['goes on', 'running', {}],
		['is one of another bot', 'finished', { filters: { bot: chosen('1002') } }],
	] as const)('that says a run has ended which %s starts nothing', async (_, status, set) => {
		const body = { task_id: await fixture.seedRun(status), status: 'finished' };
		const call = await callBack(fixture.trigger(set), body);

		expect(call).toMatchObject({ response: { status: 200 }, run: undefined });
	});

	it('about a run whose status alone cannot be asked brings what its details say', async () => {
		const trigger = fixture.trigger(BOTH);
		const taskId = await fixture.seedRun('running');
		await fixture.sandbox.addFault({ ...REFUSAL, path: `/${taskId}/status$` });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });

		expect(startedWith(call)).toEqual([
			expect.objectContaining({ event: 'runStatusChanged', status: 'running', late: true }),
		]);
	});

	it.each([
		['a run', (id: string) => ({ task_id: id, status: 'finished' })],
		['a run, whose callback tells no status', (id: string) => ({ task_id: id })],
		['a task', (id: string) => ({ id, status: 'finished' })],
	])('about %s whose details do not show its end yet waits for them', async (_, body) => {
		underOwnClock({ [ANSWER_WITHIN_MS]: ANSWER_WITHIN_MS });
		const taskId = await fixture.seedRun();
		const path = `/${taskId}$|get-task$`;
		await fixture.sandbox.addFault({ kind: 'lagging', path, times: 1 });
		const call = await callBack(fixture.trigger(), body(taskId));

		expect(startedWith(call)).toMatchObject([
			{ event: 'runFinished', task_id: taskId, status: 'finished', output: [{}, {}, {}, {}, {}] },
		]);
	});

	it.each([
		['at the address of completions', 'default', { status: 'finished' }, {}],
		['at the address of statuses', 'setup', { status: 'finished' }, {}],
		['without a status', 'setup', {}, {}],
		['late, and says so', 'setup', { status: 'running' }, { late: true }],
	] as const)('tells all that has happened when it comes %s', async (_, name, announced, mark) => {
		const body = { task_id: await fixture.seedRun(), ...announced };
		const events = startedWith(await callBack(fixture.trigger(BOTH), body, name)) ?? [];

		expect(events.map(({ event, status, late }) => ({ event, status, late }))).toEqual([
			{ event: 'runStatusChanged', status: 'finished', ...mark },
			{ event: 'runFinished', status: 'finished', ...mark },
		]);
	});

	it.each([
		['text/plain', 'text/plain'],
		['a type of its own', 'application/vnd.service.run+json'],
		['no type', ''],
	])('is read as JSON also when it comes as %s, with each digit of its ID', async (_, type) => {
		const taskId = await fixture.seedRun();
		expect(taskId).toMatch(/^\d{17,}$/);
		const body = `{"task_id":${taskId},"status":"finished"}`;
		const call = await fixture.trigger().callWebhook({ body, headers: { 'content-type': type } });

		expect(startedWith(call)).toEqual([expect.objectContaining({ task_id: taskId })]);
	});

	it.each([
		['names no run', {}],
		['is no JSON object', '[1]'],
		['has an ID that is none', { task_id: '..' }],
		['has an ID without end', { task_id: '1'.repeat(201) }],
		['has half a character as its ID', '{"task_id":"\\ud800"}'],
	])('that %s: 404, and it costs the service nothing', async (_, body) => {
		const call = await callBack(fixture.trigger(), body);

		expect(call).toMatchObject({ response: { status: 404 }, run: undefined });
		expect(await fixture.reads()).toBe(0);
	});
});

it('what the user does not want to hear of costs the service nothing when it comes again, also after a restart', async () => {
	const workflowId = fixture.newWorkflowId();
	const unwanted = { task_id: await fixture.seedRun('failed'), status: 'failed' };
	const parameters = { events: ['runFinished'] };
	const trigger = fixture.trigger(parameters, { workflowId });
	await callBack(trigger, unwanted);
	await callBack(trigger, { task_id: await fixture.seedRun() });
	const restarted = fixture.restartedTrigger(parameters, { workflowId });
	await fixture.sandbox.clearRequests();

	expect(await callBack(restarted, unwanted)).toMatchObject({ response: { status: 200 } });
	expect(await fixture.reads()).toBe(0);
});

it('a run that the service does not know is refused, and asked for again when it is named again: it may have been too early', async () => {
	const trigger = fixture.trigger();
	for (let reads = 1; reads <= 2; reads++) {
		const call = await callBack(trigger, { task_id: '404404' });
		expect(call).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(await fixture.reads()).toBe(reads);
	}
});

describe('a flood of runs that the service does not know', () => {
	/** Callbacks about so many runs, each another one, all at once. */
	async function flood(trigger: WebhookTrigger, count: number): Promise<TriggerCall[]> {
		const ids = Array.from({ length: count }, (_, index) => `forged-${index}`);
		const calls = ids.map(async (id) => await callBack(trigger, { task_id: id }));
		underWay.push(...calls);
		return await Promise.all(calls);
	}

	/** A flood that has used up what the trigger may ask in a row: the rest of it waits as long as the test likes. */
	async function waitingFlood(trigger: WebhookTrigger): Promise<{ isOver: () => boolean }> {
		underOwnClock({ [ANSWER_WITHIN_MS]: ANSWER_WITHIN_MS });
		const pauses = stopPauses();
		let isOver = false;
		void flood(trigger, 120).then(() => (isOver = true));
		await until(() => pauses() > 0, 'the flood to wait');
		return { isOver: () => isOver };
	}

	it('costs the service some reads only; the rest is to come again, and the log says so once', async () => {
		const lines = warnings();
		underOwnClock({ [ANSWER_WITHIN_MS]: 1_000 });
		const calls = await flood(fixture.trigger(), 500);

		expect(new Set(calls.map(({ response }) => response.status))).toEqual(new Set([503]));
		expect(await fixture.reads()).toBeLessThanOrEqual(60 + 20 + 20);
		expect(calls.flatMap((call) => startedWith(call) ?? [])).toEqual([]);
		expect(lines).toEqual([expect.stringMatching(/^Callbacks cannot be checked/)]);
	});

	const hearOfOne = async (trigger: WebhookTrigger): Promise<void> => {
		const body = { task_id: await fixture.seedRun('running'), status: 'running' };
		await callBack(trigger, body, 'setup');
	};

	it.each([
		['has heard of before', {}, hearOfOne],
		['has started itself', OWN, async (trigger: WebhookTrigger) => await trigger.activate()],
	])('does not hold up a run that the trigger %s', async (_, parameters, begin) => {
		warnings();
		const trigger = fixture.trigger(parameters);
		await begin(trigger);
		const taskId = await fixture.latestRun();
		const forged = await waitingFlood(trigger);
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });

		expect(startedWith(call)).toHaveLength(1);
		expect(forged.isOver()).toBe(false);
	});
});

it.each([
	['though each announces another status', (index: number) => `forged-${index}`],
	['though each announces its end', () => 'finished'],
])('many callbacks about one run are some reads a second, %s', async (_, announced) => {
	warnings();
	underOwnClock({ [ANSWER_WITHIN_MS]: 1_000 });
	const trigger = fixture.trigger();
	const taskId = await fixture.seedRun('running');
	const forged = Array.from({ length: 300 }, async (_, index) => {
		return await callBack(trigger, { task_id: taskId, status: announced(index) });
	});
	underWay.push(...forged);
	await Promise.all(forged);

	expect(await fixture.reads()).toBeLessThanOrEqual(1 + 2 * 2);
});

describe('an event', () => {
	it('starts the workflow once, however often its callback comes', async () => {
		const taskId = await fixture.seedRun();
		const trigger = fixture.trigger();
		const body = { task_id: taskId, status: 'finished' };
		const together = await Promise.all([callBack(trigger, body), callBack(trigger, body)]);
		const later = await callBack(trigger, body);

		expect([...together, later].filter(({ run }) => run !== undefined)).toHaveLength(1);
		const message = 'This event was received before.';
		expect(later.response).toMatchObject({ status: 200, body: { message } });
		expect(await fixture.reads()).toBe(1);
	});

	it('starts the workflow each time that a status comes back, though another process has reported the one between', async () => {
		const workflowId = fixture.newWorkflowId();
		const events = { events: ['runStatusChanged'] };
		const one = fixture.trigger(events, { workflowId });
		const other = fixture.restartedTrigger(events, { workflowId });
		const taskId = await fixture.seedRun('running');
		const report = async (trigger: WebhookTrigger, status: 'running' | 'paused') => {
			await fixture.sandbox.moveRun({ taskId, status });
			return startedWith(await callBack(trigger, { task_id: taskId, status }));
		};
		await report(one, 'running');
		await report(other, 'paused');

		expect(await report(one, 'paused')).toBeUndefined();
		const back = { status: 'running', previous_status: 'paused' };
		expect(await report(one, 'running')).toMatchObject([back]);
		expect(await report(other, 'running')).toBeUndefined();
	});

	it('is read with the published workflow’s credential, though the editor and an earlier version used another', async () => {
		const account = await startSandbox();
		const { url: baseUrl, key: apiKey } = account;
		const credentials = { browserAutomationApi: { baseUrl, apiKey } };
		const setup = { workflowId: fixture.newWorkflowId(), id: 'both' };
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		for (const isTest of [true, false]) {
			const trigger = fixture.trigger({}, { ...setup, credentials, isTest });
			const { response } = await callBack(trigger, body);
			expect(response.status).toBe(503);
		}
		const published = await callBack(fixture.trigger({}, setup), body);
		await account.close();

		expect(startedWith(published)).toHaveLength(1);
	});

	it('is reported once to an editor, both of whose addresses are called, and again when it listens anew', async () => {
		const edited = fixture.trigger(BOTH, { isTest: true });
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		for (let times = 0; times < 2; times++) {
			await edited.activate();
			const both = [callBack(edited, body), callBack(edited, body, 'setup')];
			const events = (await Promise.all(both)).flatMap((call) => startedWith(call) ?? []);
			expect(events.map(({ event }) => event)).toEqual(['runStatusChanged', 'runFinished']);
		}
	});

	describe('that two processes hear of at once', () => {
		/** The executions that each of the two has begun. */
		async function heardTwice(parameters = {}, isBroken = false) {
			ProcessedData.install().isBroken = isBroken;
			const workflowId = fixture.newWorkflowId();
			const one = fixture.trigger(parameters, { workflowId });
			const other = fixture.restartedTrigger(parameters, { workflowId });
			const task_id = await fixture.seedRun('failed');
			const held = [hold(one), hold(other)];
			const calls = [one, other].map(async (each) => await callBack(each, { task_id }));
			for (const each of held) await each.isReached;
			for (const each of held) each.letGo();
			return (await Promise.all(calls)).map(({ run }) => run);
		}

		it('fails one of their executions where it is a failure, and again when that is tried again', async () => {
			const files = { downloadFiles: ['csv'], ifNoFile: 'fail' };
			const runs = await heardTwice({ files });
			const failed = runs.find((run) => run?.status === 'error');
			const retried = failed && (await fixture.harness.retry(failed));

			expect(runs.map((run) => run?.status).sort()).toEqual(['error', 'success']);
			const { message, description } = Object(failed?.error);
			const context = { data: { task_id: await fixture.latestRun() } };
			expect(retried).toMatchObject({ status: 'error', error: { message, description, context } });
		});

		it('comes out of both where n8n’s records cannot be had: twice is better than never', async () => {
			const runs = await heardTwice({}, true);

			expect(runs.map((run) => run?.outputs[0]?.length)).toEqual([1, 1]);
		});
	});

	it.each([
		['is taken again when its answer came too late, because of its files', false],
		['is not lost to a repeat that came before its answer was too late', true],
	])('%s', async (_, comesBefore) => {
		warnings();
		const limit = heldLimit(ANSWER_WITHIN_MS);
		const trigger = fixture.trigger({ files: { downloadFiles: ['csv'] } });
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		await fixture.sandbox.addFault({ ...HELD, path: '^/files/' });
		const first = callBack(trigger, body);
		await requested('^/files/');
		const repeatBefore = comesBefore ? callBack(trigger, body) : undefined;
		await setTimeout(20);
		limit.abort();
		const repeat = repeatBefore ?? callBack(trigger, body);

		expect(await first).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(startedWith(await repeat)).toHaveLength(1);
	});

	it('was not reported to this trigger by the one whose workflow was imported', async () => {
		const workflowId = fixture.newWorkflowId();
		const taskId = await fixture.seedRun();
		const first = fixture.trigger({}, { workflowId, id: 'first' });
		await callBack(first, { task_id: taskId });
		const copyId = fixture.newWorkflowId();
		fixture.harness.importStaticData(fixture.harness.staticData(workflowId), copyId);
		const copy = fixture.restartedTrigger({}, { workflowId: copyId, id: 'copy' });

		expect((await callBack(copy, { task_id: taskId })).run).toBeDefined();
	});
});

it('where the service does not accept the key any more, one execution fails and names the run, and again when that happens again', async () => {
	warnings();
	const trigger = fixture.trigger();
	const { taskIds } = await fixture.sandbox.seedRuns({ count: 3, statuses: ['finished'] });
	const callAbout = async (some: string[]): Promise<TriggerCall[]> => {
		const bodies = some.map((task_id) => ({ task_id, status: 'finished' }));
		return await Promise.all(bodies.map(async (body) => await callBack(trigger, body)));
	};
	for (const [index, statuses] of [
		[200, 503, 503],
		[200, 503],
	].entries()) {
		const refusal = { kind: 'envelopeError', code: 401, msg: 'no', path: '/runs' } as const;
		await fixture.sandbox.addFault(refusal);
		const refused = await callAbout(taskIds.slice(index));
		expect(refused.map(({ response }) => response.status)).toEqual(statuses);
		expect(refused.flatMap(({ run }) => run?.error ?? [])).toMatchObject([
			{
				message: expect.stringMatching(/^The service does not accept the API key of 'browserAuto/),
				description: expect.stringMatching(new RegExp(`within five minutes: .*${taskIds[index]}`)),
			},
		]);
		await fixture.sandbox.clearFaults();
		const [taken] = await callAbout(taskIds.slice(index, index + 1));
		expect(taken && startedWith(taken)).toMatchObject([{ task_id: taskIds[index] }]);
	}
});

it('a callback that cannot be checked is answered 503 with a line in the log, and taken when it comes again', async () => {
	const lines = warnings();
	const trigger = fixture.trigger();
	const body = { task_id: await fixture.seedRun(), status: 'finished' };
	await fixture.sandbox.addFault({ ...REFUSAL, path: '^/v3/bots/runs/', times: 1 });
	const refused = await callBack(trigger, body);

	expect(refused).toMatchObject({ response: { status: 503 }, run: undefined });
	expect(lines).toEqual([expect.stringMatching(/^Callbacks cannot be checked; .*99001/)]);
	expect(startedWith(await callBack(trigger, body))).toHaveLength(1);
});

it('the credential is not read for each callback', async () => {
	const trigger = fixture.trigger();
	const before = fixture.harness.credentials.decryptions;
	for (let count = 0; count < 5; count++) {
		await callBack(trigger, { task_id: await fixture.seedRun() });
	}

	expect(fixture.harness.credentials.decryptions - before).toBe(1);
});

it.each([
	['a file', { files: { downloadFiles: ['csv'] } }, { files: [{ error: expect.any(String) }] }],
	['an output', { output: 'rows' }, { hint: expect.stringMatching(/no time left/) }],
])('%s that comes too late holds no event back, which says so', async (what, parameters, said) => {
	const limit = heldLimit(FILES_WITHIN_MS);
	const output = Array.from({ length: 6_000 }, () => ({ text: 'x'.repeat(1_000) }));
	const inFile = { bot: '1001', output, outputSchema: null };
	if (what === 'an output') await fixture.sandbox.setOutput(inFile);
	await fixture.sandbox.addFault({ ...HELD, path: '^/files/' });
	const call = callBack(fixture.trigger(parameters), { task_id: await fixture.seedRun() });
	await requested('^/files/');
	limit.abort();

	expect(startedWith(await call)).toMatchObject([{ event: 'runFinished', ...said }]);
});
