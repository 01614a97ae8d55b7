import { createServer } from 'node:http';
import { isObject } from '../../sandbox/json';
import { startSandbox } from '../../sandbox/server';
import type { Sandbox } from '../../sandbox/server';
import { clientOf, startRun, untilStatus } from './client';
import type { Send } from './client';
import { startReceiver } from './receiver';
import type { Receiver } from './receiver';

let sandbox: Sandbox;
let send: Send;
let receiver: Receiver;

beforeAll(async () => {
	sandbox = await startSandbox({ callbackRetryMs: 5 });
	send = clientOf(sandbox);
});

beforeEach(async () => {
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: 0, pausing: 0, resuming: 0 });
	receiver = await startReceiver();
});

afterEach(async () => await receiver.close());
afterAll(async () => await sandbox.close());

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

function arrived(path: string): unknown[] {
	return receiver.arrivals.filter((one) => one.path === path).map(({ run }) => run['status']);
}

test('both callbacks carry the run, without the envelope', async () => {
	const taskId = await runToStatus('1008', 'finished');
	expect(arrived('/changed')).toEqual(['running', 'finished']);
	expect(arrived('/completed')).toEqual(['finished']);
	expect(receiver.arrivals[0]).toMatchObject({ method: 'POST', run: { task_id: taskId } });
	const detail = await send('GET', `/v3/bots/runs/${taskId}`);
	const completed = receiver.arrivals.find(({ path }) => path === '/completed');
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
	await sandbox.callbacksSettled();
	expect(arrived('/completed')).toEqual(['canceled']);
	await runToStatus('1004', 'failed');
	expect(arrived('/completed')).toEqual(['canceled', 'failed']);
});

test('V2 runs send them too', async () => {
	const { fields } = await send('POST', '/v2/workflow/run-task', {
		body: {
			workflow_id: '1001',
			input_parameters: [{ name: 'keyword', value: 'lamp' }],
			callback_url: `${receiver.url}/completed`,
		},
	});
	await untilStatus(send, String(fields['id']), 'finished');
	await sandbox.callbacksSettled();
	expect(arrived('/completed')).toEqual(['finished']);
});

test.each([
	[
		'5xx is repeated until it is accepted',
		[503, 500],
		['finished', 'finished', 'finished'],
		'accepted',
	],
	[
		'5xx is repeated three times at most',
		[500, 502, 503, 504, 500],
		Array(4).fill('finished'),
		'refused',
	],
	['4xx is not repeated', [404], ['finished'], 'refused'],
	['a redirect is neither followed nor repeated', [302], ['finished'], 'refused'],
])('%s', async (_rule, statuses, expected, outcome) => {
	const taskId = await startRun(send, '1008', { callback_url: `${receiver.url}/completed` });
	receiver.statuses.push(...statuses);
	await untilStatus(send, taskId, 'finished');
	await sandbox.callbacksSettled();
	expect(arrived('/completed')).toEqual(expected);
	expect(arrived('/redirected')).toEqual([]);
	expect(await sandbox.callbacks()).toMatchObject([{ outcome }]);
});

test('a receiver that cannot be reached is recorded, and not tried again', async () => {
	const taskId = await startRun(send, '1008', { callback_url: 'http://127.0.0.1:1/none' });
	await untilStatus(send, taskId, 'finished');
	await sandbox.callbacksSettled();
	const [callback] = await sandbox.callbacks();
	expect(callback).toMatchObject({ outcome: 'refused', attempts: [{ error: expect.any(String) }] });
});

test('a receiver that takes too long is given up, and not tried again', async () => {
	const impatient = await startSandbox({
		callbackTimeoutMs: 50,
		durations: { created: 0, running: 0 },
	});
	const silent = createServer(() => undefined);
	await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
	const address = silent.address();
	const port = isObject(address) ? String(address['port']) : '';
	const request = clientOf(impatient);
	const taskId = await startRun(request, '1008', { callback_url: `http://127.0.0.1:${port}/` });
	await untilStatus(request, taskId, 'finished');
	await impatient.callbacksSettled();
	expect(await impatient.callbacks()).toMatchObject([
		{ outcome: 'refused', attempts: [{ error: expect.stringContaining('timeout') }] },
	]);
	silent.closeAllConnections();
	silent.close();
	await impatient.close();
});

test('callbacks can be lost, repeated and delayed', async () => {
	await sandbox.setCallbackFaults({ lose: 2 });
	await runToStatus('1008', 'finished');
	expect(receiver.arrivals.map(({ path }) => path)).toEqual(['/completed']);
	expect((await sandbox.callbacks()).map(({ outcome }) => outcome)).toEqual([
		'lost',
		'lost',
		'accepted',
	]);

	await sandbox.setCallbackFaults({ repeat: 10 });
	receiver.arrivals.length = 0;
	await runToStatus('1008', 'finished');
	expect(arrived('/completed')).toHaveLength(10);

	await sandbox.setCallbackFaults({ repeat: 3, repeatEveryMs: 100 });
	receiver.arrivals.length = 0;
	const first = Date.now();
	await runToStatus('1008', 'finished');
	expect(Date.now() - first).toBeGreaterThanOrEqual(199);
	expect(arrived('/completed')).toHaveLength(3);

	await sandbox.setCallbackFaults({ delayMs: 150 });
	receiver.arrivals.length = 0;
	const before = Date.now();
	await runToStatus('1008', 'finished');
	// A timer may fire a fraction of a millisecond early.
	expect(Date.now() - before).toBeGreaterThanOrEqual(149);
	expect(arrived('/completed')).toHaveLength(1);
});

test('callbacks can come in reverse order', async () => {
	await sandbox.setCallbackFaults({ reverseWithinMs: 200 });
	await runToStatus('1008', 'finished');
	expect(receiver.arrivals.map(({ path, run }) => [path, run['status']])).toEqual([
		['/completed', 'finished'],
		['/changed', 'finished'],
		['/changed', 'running'],
	]);
});

test('callbacks can come before the start is answered', async () => {
	await sandbox.setDurations({ created: 300, running: 300 });
	await sandbox.setCallbackFaults({ early: true });
	await startRun(send, '1008', { callback_url: `${receiver.url}/completed` });
	expect(arrived('/completed')).toEqual(['finished']);
});

test('faults of one key leave the callbacks of another alone', async () => {
	await sandbox.setKey({ key: 'lossy' });
	await sandbox.setCallbackFaults({ key: 'lossy', lose: 'all' });
	await runToStatus('1008', 'finished');
	await startRun(send, '1008', { callback_url: `${receiver.url}/lost` }, 'lossy');
	await sandbox.callbacksSettled();
	expect(arrived('/completed')).toHaveLength(1);
	expect(arrived('/lost')).toEqual([]);
});

test('private and local addresses are refused unless they are allowed', async () => {
	const strict = await startSandbox({ allowLocalCallbacks: false });
	const start = async (url: string): Promise<unknown> => {
		const answer = await clientOf(strict)('POST', '/v3/bots/1008/runs', {
			body: { input: {}, callback_url: url },
		});
		return answer.fields['code'] ?? 'started';
	};
	const refused = [
		'http://127.0.0.1:5678/hook',
		'http://localhost/hook',
		'http://n8n.local/hook',
		'http://10.1.2.3/hook',
		'http://172.20.0.1/hook',
		'http://192.168.1.9/hook',
		'http://169.254.169.254/latest',
		'http://[::1]/hook',
		'http://[fd00::1]/hook',
		'http://[::ffff:127.0.0.1]/hook',
	];
	expect(await Promise.all(refused.map(start))).toEqual(refused.map(() => 99001));
	expect(await start('http://203.0.113.9/hook')).toBe('started');
	await strict.close();
});

test('a callback URL has at most 2048 characters and is http or https', async () => {
	const start = async (url: string): Promise<number> => {
		const body = { input: {}, status_change_callback_url: url };
		return (await send('POST', '/v3/bots/1008/runs', { body })).status;
	};
	const longest = `${receiver.url}/`.padEnd(2048, 'x');
	expect(await start(longest)).toBe(200);
	expect(await start(`${longest}x`)).toBe(400);
	expect(await start('ftp://203.0.113.9/hook')).toBe(400);
	expect(await start('not a URL')).toBe(400);
});
