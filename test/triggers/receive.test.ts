import { setTimeout } from 'node:timers/promises';

import type { IDataObject } from 'n8n-workflow';

import { waitUntil } from '../../n8n/waitUntil';
import { eventItems } from '../../nodes/BrowserAutomation/triggers/eventItems';
import type { TriggerCall, WebhookTrigger } from '../core/harness';
import { chosen, forAllTests } from '../fixture';
import { callBack, hold, startedWith, TriggerFixture, warnings } from './triggerFixture';

jest.mock('../../nodes/BrowserAutomation/triggers/eventItems', () => {
	const actual: { eventItems: typeof eventItems } = jest.requireActual(
		'../../nodes/BrowserAutomation/triggers/eventItems',
	);
	return { eventItems: jest.fn(actual.eventItems) };
});

const fixture = forAllTests(new TriggerFixture());

afterEach(async () => {
	jest.restoreAllMocks();
	await fixture.sandbox.clearFaults();
	await fixture.sandbox.clearRequests();
});

const BOTH = { events: ['runFinished', 'runStatusChanged'] };

/** A refusal that is not worth trying again. */
const REFUSAL = { kind: 'envelopeError', code: 99001, msg: 'no' } as const;

describe('a callback', () => {
	it('starts the workflow with the run as the service tells it', async () => {
		const taskId = await fixture.seedRun('failed');
		const call = await callBack(fixture.trigger(), {
			task_id: taskId,
			status: 'failed',
			output: 'forged',
		});

		expect(call.response).toMatchObject({
			status: 200,
			body: { message: 'The workflow was started.' },
		});
		expect(startedWith(call)).toEqual([
			expect.objectContaining({ event: 'runFailed', task_id: taskId, status: 'failed' }),
		]);
		expect(startedWith(call)?.[0]).not.toHaveProperty('output', 'forged');
		expect(startedWith(call)?.[0]).not.toHaveProperty('input');
	});

	it('brings the whole run where that is wanted', async () => {
		const taskId = await fixture.seedRun();
		const call = await callBack(fixture.trigger({ output: 'raw' }), { task_id: taskId });

		expect(startedWith(call)?.[0]).toHaveProperty('input');
	});

	it('about a task of V2 is read as one', async () => {
		const taskId = await fixture.seedRun();
		const call = await callBack(fixture.trigger(), { id: taskId, status: 'finished' });

		expect(startedWith(call)).toEqual([expect.objectContaining({ task_id: taskId })]);
		expect(await fixture.sandbox.requests({ path: '^/v2/workflow/get-task' })).toHaveLength(1);
	});

	it('that says a run has ended which goes on starts nothing', async () => {
		const taskId = await fixture.seedRun('running');
		const call = await callBack(fixture.trigger(), { task_id: taskId, status: 'finished' });

		expect(call).toMatchObject({ response: { status: 200 }, run: undefined });
	});

	it.each([
		['a run', (id: string) => ({ task_id: id, status: 'finished' })],
		['a run, whose callback tells no status', (id: string) => ({ task_id: id })],
		['a task', (id: string) => ({ id, status: 'finished' })],
	])('about %s whose details do not show its end yet waits for them', async (_, body) => {
		const taskId = await fixture.seedRun();
		const path = `/${taskId}$|get-task$`;
		await fixture.sandbox.addFault({ kind: 'lagging', path, times: 1 });
		const call = await callBack(fixture.trigger(), body(taskId));

		expect(startedWith(call)).toMatchObject([
			{ event: 'runFinished', task_id: taskId, status: 'finished', output: [{}, {}, {}, {}, {}] },
		]);
	});

	it('that comes late brings the present status, and says so', async () => {
		const taskId = await fixture.seedRun();
		const body = { task_id: taskId, status: 'running' };
		const call = await callBack(fixture.trigger(BOTH), body, 'setup');

		expect(startedWith(call)).toEqual([
			expect.objectContaining({ event: 'runStatusChanged', status: 'finished', late: true }),
			expect.objectContaining({ event: 'runFinished', status: 'finished', late: true }),
		]);
	});

	it.each([
		['that announces the status of the run', { status: 'finished' }],
		['that announces no status', {}],
	])('%s does not count as late', async (_, announced) => {
		const body = { task_id: await fixture.seedRun(), ...announced };
		const [event] = startedWith(await callBack(fixture.trigger(), body)) ?? [];

		expect(event).toMatchObject({ status: 'finished' });
		expect(event).not.toHaveProperty('late');
	});

	it.each(['default', 'setup'] as const)(
		'tells all that happened, whichever address it comes to: %s',
		async (name) => {
			const taskId = await fixture.seedRun();
			const body = { task_id: taskId, status: 'finished' };
			const call = await callBack(fixture.trigger(BOTH), body, name);

			expect(startedWith(call)?.map(({ event }) => event)).toEqual([
				'runStatusChanged',
				'runFinished',
			]);
		},
	);

	it.each([
		['text/plain', 'text/plain'],
		['a type of its own', 'application/vnd.service.run+json'],
		['no type', ''],
	])('is read as JSON also when it comes as %s', async (_, type) => {
		const body = JSON.stringify({ task_id: await fixture.seedRun(), status: 'finished' });
		const headers = { 'content-type': type };
		const call = await fixture.trigger().callWebhook({ body, headers });

		expect(startedWith(call)).toHaveLength(1);
	});

	it('keeps each digit of an ID that comes as a number', async () => {
		const taskId = await fixture.seedRun();
		expect(taskId).toMatch(/^\d{17,}$/);
		const call = await callBack(fixture.trigger(), `{"task_id":${taskId},"status":"finished"}`);

		expect(startedWith(call)).toEqual([expect.objectContaining({ task_id: taskId })]);
	});

	it.each([
		['names no run', {}],
		['is no JSON object', '[1]'],
		['has an ID that is none', { task_id: '..' }],
		['has an ID without end', { task_id: '1'.repeat(201) }],
		['has half a character as its ID', '{"task_id":"\\ud800"}'],
		['has half a character as its ID (V2)', '{"id":"\\ud800"}'],
	])('that %s: 404', async (_, body) => {
		const call = await callBack(fixture.trigger(), body);

		expect(call).toMatchObject({ response: { status: 404 }, run: undefined });
	});

	it('that has an ID without end costs the service nothing', async () => {
		await callBack(fixture.trigger(), { task_id: '1'.repeat(201) });

		expect(await fixture.reads()).toBe(0);
	});
});

describe('what the user does not want to hear of', () => {
	it.each([
		['another event', { events: ['runFailed', 'runCanceled', 'runPaused'] }],
		['the run of another bot', { filters: { bot: chosen('1002') } }],
	])('starts nothing: %s', async (_, parameters) => {
		const taskId = await fixture.seedRun();
		const call = await callBack(fixture.trigger(parameters), { task_id: taskId });

		expect(call).toMatchObject({ response: { status: 200 }, run: undefined });
	});

	it('costs the service nothing when it comes again, also after a restart', async () => {
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
});

describe('a run that the service does not know', () => {
	it('is refused, and asked for once, however often it is named', async () => {
		const trigger = fixture.trigger();
		const calls = [];
		for (let count = 0; count < 20; count++) {
			calls.push(await callBack(trigger, { task_id: '404404' }));
		}

		expect(new Set(calls.map(({ response }) => response.status))).toEqual(new Set([503]));
		expect(calls.every(({ run }) => run === undefined)).toBe(true);
		expect(await fixture.reads()).toBe(1);
	});

	it('is asked for again after some seconds: it may have been too early', async () => {
		const trigger = fixture.trigger();
		await callBack(trigger, { task_id: '404405' });
		const now = Date.now();
		jest.spyOn(Date, 'now').mockImplementation(() => now + 6_000);
		await callBack(trigger, { task_id: '404405' });

		expect(await fixture.reads()).toBe(2);
	});
});

describe('a flood of runs that the service does not know', () => {
	/** Callbacks about so many runs, each another one, all at once. */
	async function flood(trigger: WebhookTrigger, count: number): Promise<TriggerCall[]> {
		const ids = Array.from({ length: count }, (_, index) => `forged-${index}`);
		return await Promise.all(ids.map(async (id) => await callBack(trigger, { task_id: id })));
	}

	it('costs the service some reads only; the rest is to come again, and the log says so once', async () => {
		const lines = warnings();
		shortenTimeouts(25);
		const calls = await flood(fixture.trigger(), 500);

		expect(new Set(calls.map(({ response }) => response.status))).toEqual(new Set([503]));
		expect(await fixture.reads()).toBeLessThan(130);
		expect(calls.every(({ run }) => run === undefined)).toBe(true);
		expect(lines).toEqual([expect.stringMatching(/^A callback could not be checked/)]);
	});

	it('keeps no real one from being told, nor any at another trigger', async () => {
		warnings();
		const trigger = fixture.trigger();
		const forged = flood(trigger, 120);
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 30, statuses: ['finished'] });
		const real = taskIds.map(async (id) => await callBack(trigger, { task_id: id }));
		const elsewhere = await callBack(fixture.trigger(), { task_id: taskIds[0] });

		expect(startedWith(elsewhere)).toHaveLength(1);
		const told = await Promise.all(real);
		expect(told.map((call) => startedWith(call)?.length)).toEqual(taskIds.map(() => 1));
		await forged;
	});

	it('does not hold up a run that the trigger has heard of before', async () => {
		warnings();
		const trigger = fixture.trigger(BOTH);
		const taskId = await fixture.seedRun('running');
		await callBack(trigger, { task_id: taskId, status: 'running' }, 'setup');
		let isOver = false;
		const forged = flood(trigger, 120).then(() => (isOver = true));
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });

		expect(startedWith(call)).toHaveLength(2);
		expect(isOver).toBe(false);
		await forged;
	});

	it('does not hold up a run that the trigger has started itself', async () => {
		warnings();
		const own = { source: 'own', start: 'bot', botId: chosen('1001'), inputMode: 'json' };
		const trigger = fixture.trigger({ ...own, input: '{ "keyword": "lamp" }' });
		await trigger.activate();
		const taskId = (await fixture.sandbox.runs()).at(-1)?.taskId ?? '';
		let isOver = false;
		const forged = flood(trigger, 120).then(() => (isOver = true));
		await fixture.sandbox.moveRun({ taskId, status: 'finished' });
		const call = await callBack(trigger, { task_id: taskId, status: 'finished' });

		expect(startedWith(call)).toHaveLength(1);
		expect(isOver).toBe(false);
		await forged;
	});
});

describe('many callbacks about one run', () => {
	it('are one read when the service does not know it', async () => {
		const trigger = fixture.trigger();
		const calls = Array.from(
			{ length: 30 },
			async () => await callBack(trigger, { task_id: '405' }),
		);
		await Promise.all(calls);

		expect(await fixture.reads()).toBe(1);
	});

	it('are some reads a second when each announces another status', async () => {
		warnings();
		shortenTimeouts(25);
		const trigger = fixture.trigger();
		const taskId = await fixture.seedRun('running');
		const forged = Array.from(
			{ length: 300 },
			async (_, index) => await callBack(trigger, { task_id: taskId, status: `forged-${index}` }),
		);
		await Promise.all(forged);

		expect(await fixture.reads()).toBeLessThanOrEqual(1 + 10 + 2);
	});
});

it('many runs that end at the same moment are all told, read a few at a time', async () => {
	const { taskIds } = await fixture.sandbox.seedRuns({ count: 100, statuses: ['finished'] });
	await fixture.sandbox.addFault({ kind: 'latency', ms: 50, path: '^/v3/bots/runs/' });
	const trigger = fixture.trigger();
	const calls = await Promise.all(
		taskIds.map(async (id) => await callBack(trigger, { task_id: id })),
	);

	expect(calls.map((call) => startedWith(call)?.length)).toEqual(taskIds.map(() => 1));
	expect((await fixture.sandbox.load()).peakRequests).toBeLessThanOrEqual(20);
});

describe('an event', () => {
	it('starts the workflow once, however often its callback comes', async () => {
		const taskId = await fixture.seedRun();
		const trigger = fixture.trigger();
		const body = { task_id: taskId, status: 'finished' };
		const together = await Promise.all([callBack(trigger, body), callBack(trigger, body)]);
		const later = await callBack(trigger, body);

		expect([...together, later].filter(({ run }) => run !== undefined)).toHaveLength(1);
		expect(later.response).toMatchObject({
			status: 200,
			body: { message: 'This event was received before.' },
		});
		expect(await fixture.reads()).toBe(1);
	});

	it('starts the workflow for each of two runs whose callbacks come in any order', async () => {
		const trigger = fixture.trigger(BOTH);
		const [first, second] = [await fixture.seedRun(), await fixture.seedRun()];
		const calls = [
			await callBack(trigger, { task_id: second, status: 'finished' }),
			await callBack(trigger, { task_id: first, status: 'finished' }, 'setup'),
			await callBack(trigger, { task_id: first, status: 'finished' }),
			await callBack(trigger, { task_id: first, status: 'running' }, 'setup'),
			await callBack(trigger, { task_id: second, status: 'finished' }, 'setup'),
		];

		expect(calls.map((call) => startedWith(call)?.map(({ event }) => event))).toEqual([
			['runStatusChanged', 'runFinished'],
			['runStatusChanged', 'runFinished'],
			undefined,
			undefined,
			undefined,
		]);
	});

	it('starts the workflow once, also across a restart of n8n', async () => {
		const workflowId = fixture.newWorkflowId();
		const taskId = await fixture.seedRun();
		const body = { task_id: taskId, status: 'finished' };
		const before = await callBack(fixture.trigger({}, { workflowId }), body);
		const restarted = fixture.restartedTrigger({}, { workflowId });
		const after = await callBack(restarted, body);
		const other = await callBack(restarted, { task_id: await fixture.seedRun() });

		expect(before.run).toBeDefined();
		expect(after).toMatchObject({ response: { status: 200 }, run: undefined });
		expect(other.run).toBeDefined();
	});

	it('starts the workflow once, also across a restart, whichever of two was answered first', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger({}, { workflowId });
		const first = { task_id: await fixture.seedRun() };
		const last = { task_id: await fixture.seedRun() };
		const held = hold(trigger);
		const answerOfFirst = callBack(trigger, first);
		await held.isReached;
		const answerOfLast = await callBack(trigger, last);
		held.letGo();
		const restarted = fixture.restartedTrigger({}, { workflowId });

		expect((await answerOfFirst).run).toBeDefined();
		expect(answerOfLast.run).toBeDefined();
		expect((await callBack(restarted, first)).run).toBeUndefined();
		expect((await callBack(restarted, last)).run).toBeUndefined();
	});

	it('starts the workflow once, also across a restart, though a call without news was answered last', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger({}, { workflowId });
		const body = { task_id: await fixture.seedRun() };
		await fixture.sandbox.addFault({ kind: 'latency', ms: 300, path: '/4711', times: 1 });
		const noNews = callBack(trigger, { task_id: '4711' });
		await waitUntil(async () => (await fixture.sandbox.requests({ path: '/4711' }))[0], {
			timeout: 5_000,
			interval: 5,
			describe: () => 'The run was not asked for',
		});
		const news = await callBack(trigger, body);
		const { response } = await noNews;
		const restarted = fixture.restartedTrigger({}, { workflowId });

		expect(news.run).toBeDefined();
		expect(response.status).toBe(503);
		expect((await callBack(restarted, body)).run).toBeUndefined();
	});

	it('starts the workflow when it comes again, if n8n was killed before it began', async () => {
		const workflowId = fixture.newWorkflowId();
		const trigger = fixture.trigger({}, { workflowId });
		const killed = { task_id: await fixture.seedRun() };
		const held = hold(trigger);
		const noAnswer = callBack(trigger, killed);
		await held.isReached;
		await callBack(trigger, { task_id: await fixture.seedRun() });
		const restarted = fixture.restartedTrigger({}, { workflowId });

		expect((await callBack(restarted, killed)).run).toBeDefined();
		held.letGo();
		await noAnswer;
	});

	it('starts the workflow again in the editor each time', async () => {
		const taskId = await fixture.seedRun();
		const trigger = fixture.trigger({}, { isTest: true });
		const body = { task_id: taskId, status: 'finished' };

		expect((await callBack(trigger, body)).run).toBeDefined();
		expect((await callBack(trigger, body)).run).toBeDefined();
	});

	/** n8n cannot begin an execution for the next callback, and sees so after a while. */
	function failToBegin(trigger: WebhookTrigger, afterMs = 0): void {
		trigger.beforeBegin = async () => {
			trigger.beforeBegin = async () => {};
			await setTimeout(afterMs);
			throw new Error('the database is down');
		};
	}

	/** Sends callbacks until one starts the workflow. */
	async function untilTaken(send: () => Promise<TriggerCall>): Promise<TriggerCall> {
		const find = async (): Promise<TriggerCall | undefined> => {
			const call = await send();
			return call.run === undefined ? undefined : call;
		};
		const describe = (): string => 'The event was not taken again';
		return await waitUntil(find, { timeout: 5_000, interval: 10, describe });
	}

	it.each([
		['at once', 0],
		['a while later', 30],
	])('is taken again when n8n could not begin the execution, seen %s', async (_, afterMs) => {
		const trigger = fixture.trigger();
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		failToBegin(trigger, afterMs);
		const failed = await callBack(trigger, body);
		const repeat = await untilTaken(async () => await callBack(trigger, body));

		expect(failed.response.status).toBe(500);
		expect(startedWith(repeat)).toHaveLength(1);
	});

	it('is not lost to a repeat that came before n8n saw that', async () => {
		const trigger = fixture.trigger();
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		const held = hold(trigger);
		const first = callBack(trigger, body);
		await held.isReached;
		const repeat = callBack(trigger, body);
		await setTimeout(20);
		held.letGo(new Error('the database is down'));

		expect((await first).response.status).toBe(500);
		expect(startedWith(await repeat)).toHaveLength(1);
	});

	it('is taken again when its items could not be made', async () => {
		warnings();
		const trigger = fixture.trigger();
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		jest.mocked(eventItems).mockRejectedValueOnce(new Error('no memory left'));
		const failed = await callBack(trigger, body);
		const repeat = await callBack(trigger, body);

		expect(failed).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(startedWith(repeat)).toHaveLength(1);
	});

	it('is taken again when its answer came too late, because of its files', async () => {
		warnings();
		const { timeout } = AbortSignal;
		jest.spyOn(AbortSignal, 'timeout').mockImplementationOnce(() => timeout(500));
		const trigger = fixture.trigger({ options: { downloadFiles: ['csv'] } });
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		await fixture.sandbox.addFault({ kind: 'latency', ms: 1_500, path: '^/files/', times: 1 });
		const late = await callBack(trigger, body);
		const repeat = await callBack(trigger, body);

		expect(late).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(startedWith(repeat)).toHaveLength(1);
	});

	it('is not lost to a repeat that came before its answer was too late', async () => {
		warnings();
		const limit = new AbortController();
		jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(limit.signal);
		const trigger = fixture.trigger({ options: { downloadFiles: ['csv'] } });
		const body = { task_id: await fixture.seedRun(), status: 'finished' };
		await fixture.sandbox.addFault({ kind: 'latency', ms: 1_500, path: '^/files/', times: 1 });
		const first = callBack(trigger, body);
		await waitUntil(async () => (await fixture.sandbox.requests({ path: '^/files/' }))[0], {
			timeout: 5_000,
			interval: 5,
			describe: () => 'No file was asked for',
		});
		const repeat = callBack(trigger, body);
		await setTimeout(20);
		limit.abort();

		expect(await first).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(startedWith(await repeat)).toHaveLength(1);
	});

	it('is told although something else was kept among those of before', async () => {
		const workflowId = fixture.newWorkflowId();
		const before = { task_id: await fixture.seedRun(), status: 'finished' };
		await callBack(fixture.trigger({}, { workflowId }), before);
		const text = JSON.stringify(fixture.harness.staticData(workflowId));
		const kept: IDataObject = JSON.parse(text.replace('"told":[', '"told":[7,'));
		fixture.harness.importStaticData(kept, workflowId);
		const trigger = fixture.restartedTrigger({}, { workflowId });

		expect((await callBack(trigger, before)).run).toBeUndefined();
		expect((await callBack(trigger, { task_id: await fixture.seedRun() })).run).toBeDefined();
	});

	it('was not told to this trigger by the one whose workflow was imported', async () => {
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

describe('when the service cannot be asked', () => {
	it('the callback is answered 503 with a line in the log, and taken when it comes again', async () => {
		const lines = warnings();
		const taskId = await fixture.seedRun();
		const trigger = fixture.trigger();
		const body = { task_id: taskId, status: 'finished' };
		await fixture.sandbox.addFault({ ...REFUSAL, path: '^/v3/bots/runs/', times: 1 });
		const refused = await callBack(trigger, body);
		const taken = await callBack(trigger, body);

		expect(refused).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(lines).toEqual([expect.stringMatching(/^A callback could not be checked, .*99001/)]);
		expect(startedWith(taken)).toHaveLength(1);
	});

	it('a repeat does not wait for a read whose caller has had an answer', async () => {
		warnings();
		shortenTimeouts(50);
		const taskId = await fixture.seedRun();
		const trigger = fixture.trigger();
		const body = { task_id: taskId, status: 'finished' };
		await fixture.sandbox.addFault({ kind: 'latency', ms: 1_500, path: taskId, times: 1 });
		const late = await callBack(trigger, body);
		const repeat = await callBack(trigger, body);

		expect(late).toMatchObject({ response: { status: 503 }, run: undefined });
		expect(startedWith(repeat)).toHaveLength(1);
	});

	it('the credential is not read for each callback', async () => {
		const trigger = fixture.trigger();
		const before = fixture.harness.credentials.decryptions;
		for (let count = 0; count < 5; count++) {
			await callBack(trigger, { task_id: await fixture.seedRun() });
		}

		expect(fixture.harness.credentials.decryptions - before).toBe(1);
	});
});

describe('the files of a run', () => {
	it('come with its event, and what cannot be downloaded is named', async () => {
		const trigger = fixture.trigger({ options: { downloadFiles: ['csv', 'json'] } });
		await fixture.sandbox.addFault({ ...REFUSAL, path: '^/files/.*json', times: 1 });
		const taskId = await fixture.seedRun();
		const { run } = await callBack(trigger, { task_id: taskId });
		const [item] = run?.outputs[0] ?? [];

		expect(item?.json.files).toEqual(
			expect.arrayContaining([expect.objectContaining({ property: 'csv', mime_type: 'text/csv' })]),
		);
		expect(Object.keys(item?.binary ?? {})).toContain('csv');
	});

	it('that come too late hold no event back', async () => {
		shortenTimeouts(20);
		const trigger = fixture.trigger({ options: { downloadFiles: ['csv'] } });
		await fixture.sandbox.addFault({ kind: 'latency', ms: 1_500, path: '^/files/' });
		const call = await callBack(trigger, { task_id: await fixture.seedRun() });

		expect(startedWith(call)?.[0]?.files).toEqual([
			expect.objectContaining({ error: expect.any(String) }),
		]);
	});
});

/** Time limits pass so many times faster. */
function shortenTimeouts(factor: number): void {
	const { timeout } = AbortSignal;
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / factor));
}
