import { startSandbox } from '../../sandbox/server';
import type { Sandbox } from '../../sandbox/server';
import { clientOf } from './client';
import type { Send } from './client';

let sandbox: Sandbox;
let send: Send;

beforeAll(async () => {
	sandbox = await startSandbox({ durations: { created: null } });
	send = clientOf(sandbox);
});

beforeEach(async () => await sandbox.reset());
afterAll(async () => await sandbox.close());

const start = { body: { input: {} } };

test('429 with Retry-After for the next requests only', async () => {
	await sandbox.addFault({ kind: 'rateLimit', retryAfter: '2', times: 2 });
	for (const expected of [429, 429, 200]) {
		const { status, headers } = await send('GET', '/v3/bots');
		expect(status).toBe(expected);
		expect(headers.get('retry-after')).toBe(expected === 429 ? '2' : null);
	}
});

test('faults can be meant for a method, a path and a key', async () => {
	await sandbox.setKey({ key: 'unlucky' });
	await sandbox.addFault({
		kind: 'serverError',
		key: 'unlucky',
		method: 'GET',
		path: '^/v3/bots$',
	});
	expect((await send('GET', '/v3/bots', { key: 'unlucky' })).status).toBe(500);
	expect((await send('GET', '/v3/bots')).status).toBe(200);
	expect((await send('GET', '/v3/bots/1001', { key: 'unlucky' })).status).toBe(200);
	await sandbox.clearFaults({ key: 'unlucky' });
	expect((await send('GET', '/v3/bots', { key: 'unlucky' })).status).toBe(200);
});

test('latency delays the answer', async () => {
	await sandbox.addFault({ kind: 'latency', ms: 120 });
	const before = performance.now();
	await send('GET', '/v3/bots');
	expect(performance.now() - before).toBeGreaterThanOrEqual(118);
});

test('JSON that breaks off, and an error inside a 200', async () => {
	await sandbox.addFault({ kind: 'malformedJson', times: 1 });
	const broken = await send('GET', '/v3/bots');
	expect(broken).toMatchObject({ status: 200, body: undefined });
	expect(broken.text).toMatch(/^\{"items"/);
	expect(await sandbox.requests()).toMatchObject([{ status: 200, fault: 'malformedJson' }]);
	await sandbox.addFault({ kind: 'envelopeError', code: 10118, msg: 'too many', times: 1 });
	const hidden = await send('GET', '/v3/bots');
	expect(hidden).toMatchObject({
		status: 200,
		fields: { code: 10118, msg: 'too many', data: null },
	});
});

test('a cut connection, before or after the operation', async () => {
	await sandbox.addFault({ kind: 'cutConnection', times: 1 });
	await expect(send('POST', '/v3/bots/1008/runs', start)).rejects.toThrow();
	expect(await sandbox.runs()).toHaveLength(0);
	await sandbox.addFault({ kind: 'cutConnection', after: true, times: 1 });
	await expect(send('POST', '/v3/bots/1008/runs', start)).rejects.toThrow();
	expect(await sandbox.runs()).toHaveLength(1);
});

test('fewer records a page than are asked for, and numbers that are not so', async () => {
	await sandbox.addFault({ kind: 'shortPages', size: 5, path: '^/v3/bots$', times: 1 });
	const { fields } = await send('GET', '/v3/bots?limit=20&page=2');
	expect(fields).toMatchObject({ page: 2, limit: 5, total_count: 54, total_pages: 11 });
	expect(fields['items']).toHaveLength(5);
	await sandbox.addFault({ kind: 'members', members: { total_count: 99 }, times: 1 });
	expect((await send('GET', '/v3/bots')).fields).toMatchObject({ total_count: 99, page: 1 });
});

test.each([
	{ kind: 'trickle', everyMs: 5 },
	{ kind: 'endless' },
	{ kind: 'endless', packed: true },
] as const)('an answer that goes on and on: %j', async (fault) => {
	await sandbox.addFault(fault);
	const controller = new AbortController();
	const headers = { authorization: `Bearer ${sandbox.key}` };
	const answer = await fetch(`${sandbox.url}/v3/bots`, { headers, signal: controller.signal });
	let size = 0;
	for await (const chunk of answer.body ?? []) {
		size += Buffer.from(chunk).length;
		if (size > (fault.kind === 'trickle' ? 3 : 3_000_000)) break;
	}
	controller.abort();
	expect(size).toBeGreaterThan(3);
});

test('any answer at all', async () => {
	await sandbox.addFault({
		kind: 'answer',
		status: 502,
		contentType: 'text/html',
		headers: { 'x-proxy': 'edge' },
		body: '<h1>Bad Gateway</h1>',
	});
	const { status, headers, text } = await send('GET', '/v3/bots');
	expect([status, headers.get('content-type'), headers.get('x-proxy'), text]).toEqual([
		502,
		'text/html',
		'edge',
		'<h1>Bad Gateway</h1>',
	]);
});

test('a service that is down refuses connections, and is back with its runs', async () => {
	const { fields } = await send('POST', '/v3/bots/1003/runs', start);
	const { taskIds } = await sandbox.seedRuns({ count: 1 });
	sandbox.goDown();
	await expect(send('GET', '/v3/bots')).rejects.toThrow('fetch failed');
	await expect(fetch(sandbox.filesUrl)).rejects.toThrow('fetch failed');
	await sandbox.comeBack();
	for (const taskId of [fields.task_id, ...taskIds]) {
		expect((await send('GET', `/v3/bots/runs/${String(taskId)}`)).status).toBe(200);
	}
	expect((await fetch(sandbox.filesUrl)).status).toBe(404);
});

test('a run and a task that are told as they were before their end', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 1 });
	const [v3, v2] = [`/v3/bots/runs/${taskIds[0]}`, `/v2/workflow/get-task?task_id=${taskIds[0]}`];
	await sandbox.addFault({ kind: 'lagging', times: 2 });
	for (const path of [v3, v2]) {
		const { fields } = await send('GET', path);
		expect(fields).toMatchObject({ status: 'running', output: null });
		expect(fields).not.toHaveProperty('output_files');
	}
	expect((await send('GET', v3)).fields).toMatchObject({
		status: 'finished',
		output: expect.any(Array),
	});
	expect((await send('GET', v2)).fields).toMatchObject({ status: 'finished' });
});

test('a latency ends when all faults are cleared', async () => {
	await sandbox.addFault({ kind: 'latency', ms: 600_000 });
	const answer = send('GET', '/v3/bots');
	while ((await sandbox.requests()).length === 0) await new Promise(setImmediate);
	await sandbox.clearFaults();
	expect((await answer).status).toBe(200);
});
