import type { Sandbox } from '../../dev/sandbox/server';
import { until } from '../timeLapse';
import { onSandbox, startRun, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ recordLimit: 50, durations: { created: null } }, (opened) => {
	({ sandbox, send } = opened);
});

test('a run can be failed by hand, and a key of its company taken away', async () => {
	await sandbox.setKey({ key: 'second', company: 'sandbox-company' });
	const taskId = await startRun(send, '1008', {}, 'second');
	const failure = { code: 5, message: 'Out of luck.' };
	await sandbox.moveRun({ taskId, status: 'failed', failure });
	const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
	expect(fields).toMatchObject({ task_failure_info: failure });
	await expect(sandbox.moveRun({ taskId, status: 'failed' })).rejects.toThrow('already ended');
	await sandbox.removeKey({ key: 'second' });
	expect((await send('GET', '/v3/bots', { key: 'second' })).fields['code']).toBe(401);
	await sandbox.callbacksSettled();
	expect(await sandbox.callbacks()).toEqual([]);
});

test('any bot can be added, also in the place of another, until the next reset', async () => {
	const inputSchema = { type: 'object', properties: { nights: { type: 'integer' } } };
	await sandbox.addBot({ id: 'any-id', name: 'Added', inputSchema });
	await sandbox.addBot({ id: '1001', name: 'Replaced', published: false });
	const { bots } = await sandbox.info();
	expect([bots[0], bots.at(-1)]).toEqual([
		{ id: '1001', name: 'Replaced', type: 'workflow', published: false },
		{ id: 'any-id', name: 'Added', type: 'workflow', published: true },
	]);
	const wrong = { id: 'x', name: 'X', inputSchema: { type: 'objet' } };
	await expect(sandbox.addBot(wrong)).rejects.toThrow('type');
	await sandbox.reset();
	expect((await sandbox.info()).bots[0]?.name).toBe('Product Scraper');
	expect((await send('GET', '/v3/bots/any-id')).fields['code']).toBe(10111);
});

test('requests are recorded with all that matters, the key only by name', async () => {
	await send('POST', '/v3/bots/1008/runs', {
		query: { surprise: '1' },
		body: { input: { a: 1 } },
		headers: { 'x-trace': 'abc' },
	});
	const [request] = await until(async () => {
		const requests = await sandbox.requests({ method: 'post', operation: 'bot.run' });
		return requests[0]?.status !== undefined && requests;
	}, 'the request to be answered');
	expect(request).toMatchObject({
		method: 'POST',
		path: '/v3/bots/1008/runs',
		query: 'surprise=1',
		authorized: true,
		key: 'sandbox-key',
		body: { input: { a: 1 } },
		status: 400,
		headers: { 'x-trace': 'abc', 'content-type': 'application/json' },
	});
	expect(request?.headers).not.toHaveProperty('authorization');
	await send('GET', '/v3/bots', { key: null });
	const [anonymous] = await sandbox.requests({ path: '^/v3/bots$' });
	expect(anonymous).toMatchObject({ authorized: false, operation: 'bot.getAll' });
});

test('only so many requests are kept, and all are counted', async () => {
	for (let sent = 0; sent < 120; sent += 1) await send('GET', '/v3/bots/regions');
	expect(await sandbox.requests()).toHaveLength(50);
	const byOperation = { 'template.getRegions': 120 };
	expect(await sandbox.load()).toMatchObject({ total: 120, byOperation });
	await sandbox.clearRequests();
	expect(await sandbox.requests()).toEqual([]);
});

test('a service that is down refuses connections, and is back with its runs', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['running'] });
	sandbox.goDown();
	await expect(send('GET', '/v3/bots')).rejects.toThrow('fetch failed');
	await expect(fetch(sandbox.filesUrl)).rejects.toThrow('fetch failed');
	await sandbox.comeBack();
	expect((await send('GET', `/v3/bots/runs/${taskIds[0]}`)).status).toBe(200);
	expect((await fetch(sandbox.filesUrl)).status).toBe(404);
});
