import { json } from 'node:stream/consumers';
import type { Sandbox } from '../../dev/sandbox/server';
import { Origin } from '../fixture/origin';
import { AT_ONCE, onSandbox, startRun, untilStatus, type Send } from './client';

let sandbox: Sandbox;
let send: Send;
let receiver: Origin;
let arrivals: Array<{ path: string; run: Record<string, unknown> }>;
/** Statuses of the next answers to callbacks, before 200. */
let answers: number[];

onSandbox({ callbackRetryMs: 5, durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

beforeEach(async () => {
	receiver = new Origin();
	[arrivals, answers] = [[], []];
	receiver.answerWith((request, response) => {
		void json(request).then((run) => {
			arrivals.push({ path: request.url ?? '', run: Object(run) });
			response.writeHead(answers.shift() ?? 200, { location: '/redirected' }).end();
		});
	});
	await receiver.open();
});
afterEach(async () => await receiver.close());

/** Starts a run with both callbacks, and waits for its status and for its callbacks. */
async function runToStatus(botId: string, status: string): Promise<string> {
	const taskId = await startRun(send, botId, {
		callback_url: `${receiver.url}/completed`,
		status_change_callback_url: `${receiver.url}/changed`,
	});
	await untilStatus(send, taskId, status);
	await sandbox.callbacksSettled();
	return taskId;
}

/** Ends a run that calls a single URL. */
async function endRunFor(url: string): Promise<void> {
	await untilStatus(send, await startRun(send, '1008', { callback_url: url }), 'finished');
	await sandbox.callbacksSettled();
}

function arrived(path: string): unknown[] {
	return arrivals.filter((one) => one.path === path).map(({ run }) => run['status']);
}

test('both callbacks carry the run, without the envelope', async () => {
	const taskId = await runToStatus('1008', 'finished');
	expect(arrived('/changed')).toEqual(['running', 'finished']);
	expect(arrived('/completed')).toEqual(['finished']);
	expect(arrivals[0]).toMatchObject({ run: { task_id: taskId } });
	expect(receiver.received[0]?.method).toBe('POST');
	const detail = await send('GET', `/v3/bots/runs/${taskId}`);
	const completed = arrivals.find(({ path }) => path === '/completed');
	expect(completed?.run['output']).toEqual(detail.fields['output']);
	expect(await sandbox.callbacks({ taskId })).toMatchObject([
		{ event: 'runStatusChanged', status: 'running', outcome: 'accepted' },
		{ event: 'runStatusChanged', status: 'finished', outcome: 'accepted' },
		{ event: 'runCompleted', status: 'finished', attempts: [{ status: 200 }] },
	]);
});

test('a pause changes the status and completes nothing; an end of any kind completes', async () => {
	const paused = await runToStatus('1003', 'paused');
	expect(arrived('/changed')).toEqual(['running', 'pausing', 'paused']);
	expect(arrived('/completed')).toEqual([]);
	await send('POST', `/v3/bots/runs/${paused}/cancel`);
	await runToStatus('1004', 'failed');
	expect(arrived('/completed')).toEqual(['canceled', 'failed']);
});

test.each([
	['5xx is repeated until it is accepted', [503, 500], 3, 'accepted'],
	['5xx is repeated three times at most', [500, 502, 503, 504, 500], 4, 'refused'],
	['4xx is not repeated', [404], 1, 'refused'],
	['a redirect is neither followed nor repeated', [302], 1, 'refused'],
])('%s', async (_rule, statuses, times, outcome) => {
	answers.push(...statuses);
	await endRunFor(`${receiver.url}/completed`);
	expect(arrivals.map(({ path }) => path)).toEqual(Array(times).fill('/completed'));
	expect(await sandbox.callbacks()).toMatchObject([{ outcome }]);
});

test('a receiver that cannot be reached is recorded, and not tried again', async () => {
	await endRunFor('http://127.0.0.1:1/none');
	const [callback] = await sandbox.callbacks();
	expect(callback).toMatchObject({ outcome: 'refused', attempts: [{ error: expect.any(String) }] });
});

test.each([
	['be lost, so many of them', { lose: 2 }, [0, 1], 0],
	['come again, each after a while', { repeat: 3, repeatEveryMs: 100 }, [6, 3], 199],
	// A timer may fire a fraction of a millisecond early.
	['come late', { delayMs: 150 }, [2, 1], 149],
])('callbacks can %s', async (_, faults, times, least) => {
	await sandbox.setCallbackFaults(faults);
	const before = Date.now();
	await runToStatus('1008', 'finished');
	expect(Date.now() - before).toBeGreaterThanOrEqual(least);
	expect([arrived('/changed').length, arrived('/completed').length]).toEqual(times);
});

test('callbacks can come in reverse order', async () => {
	await sandbox.setCallbackFaults({ reverseWithinMs: 200 });
	await runToStatus('1008', 'finished');
	expect(arrivals.map(({ path, run }) => [path, run['status']])).toEqual([
		['/completed', 'finished'],
		['/changed', 'finished'],
		['/changed', 'running'],
	]);
});
