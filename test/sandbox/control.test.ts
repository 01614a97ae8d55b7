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

test('a run that is removed is unknown from then on', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 2, statuses: ['running'] });
	const [gone = '', left = ''] = taskIds;
	await sandbox.removeRun({ taskId: gone });
	expect((await send('GET', `/v3/bots/runs/${gone}`)).fields['code']).toBe(10112);
	expect((await send('GET', '/v3/bots/runs')).fields['items']).toEqual([
		expect.objectContaining({ task_id: left }),
	]);
	await expect(sandbox.removeRun({ taskId: gone })).rejects.toThrow(`no run ${gone}`);
});

test('any bot and template can be added, also in the place of another, until the next reset', async () => {
	const inputSchema = {
		type: 'object',
		properties: { city: { type: 'string' }, nights: { type: 'integer' } },
		required: ['city'],
	};
	await sandbox.addBot({ id: 'any-id', name: 'Added', inputSchema, output: [{ a: 1 }] });
	await sandbox.addBot({ id: '1001', name: 'Replaced', published: false });
	await sandbox.addTemplate({ id: '7', name: 'T', type: 'agent', description: 'About lamps' });
	const { bots, templates } = await sandbox.info();
	expect([bots[0], bots.at(-1), templates.at(-1)]).toEqual([
		{ id: '1001', name: 'Replaced', type: 'workflow', published: false },
		{ id: 'any-id', name: 'Added', type: 'workflow', published: true },
		{ id: '7', name: 'T', type: 'agent' },
	]);
	const keyword = { query: { keyword: 'LAMPS' } };
	expect((await send('GET', '/v3/bots/templates', keyword)).fields['total_count']).toBe(1);

	const workflow = { query: { workflow_id: 'any-id' } };
	expect((await send('GET', '/v2/workflow/get-workflow', workflow)).fields).toMatchObject({
		input_parameters: [
			{ name: 'city', default_enabled: false },
			{ name: 'nights', default_enabled: true },
		],
	});
	const start = { body: { input: { nights: 2 } } };
	expect((await send('POST', '/v3/bots/any-id/runs', start)).fields['code']).toBe(10142);
	const taskId = await startRun(send, 'any-id', { input: { city: 'Oslo' } });
	await sandbox.moveRun({ taskId, status: 'finished' });
	expect((await send('GET', `/v3/bots/runs/${taskId}`)).fields['output']).toEqual([{ a: 1 }]);
	await sandbox.setOutput({ bot: 'any-id', output: [{ a: 1 }], outputSchema: null, inFiles: true });
	expect((await send('GET', `/v3/bots/runs/${taskId}`)).fields).toMatchObject({
		output: '',
		output_files: { json: { file_name: 'result.json' } },
	});
	const cut = '[{"a":1},{"a"';
	await sandbox.setOutput({ bot: 'any-id', output: cut, outputSchema: null });
	expect((await send('GET', `/v3/bots/runs/${taskId}`)).fields).toMatchObject({ output: cut });
	const number = { body: { workflow_id: 1006, input_parameters: [] } };
	expect((await send('POST', '/v2/workflow/run-task', number)).status).toBe(200);

	const wrong = { id: 'x', name: 'X', inputSchema: { type: 'objet' } };
	await expect(sandbox.addBot(wrong)).rejects.toThrow('type');
	await sandbox.reset();
	expect((await sandbox.info()).bots[0]?.name).toBe('Product Scraper');
	expect((await send('GET', '/v3/bots/any-id')).fields['code']).toBe(10111);
});

test('10,000 runs are made in one go', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 10_000, statuses: ['finished', 'running'] });
	expect(new Set(taskIds).size).toBe(10_000);
	const query = { status: 'running', page: '50', limit: '100' };
	const { fields } = await send('GET', '/v3/bots/runs', { query });
	expect(fields).toMatchObject({ total_count: 5000, total_pages: 50 });
	expect(fields['items']).toHaveLength(100);
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

test('the most connections and requests at the same time are known', async () => {
	await sandbox.addFault({ kind: 'latency', ms: 600_000 });
	await sandbox.clearRequests();
	const answers = Array.from({ length: 12 }, () => send('GET', '/v3/bots'));
	await until(async () => (await sandbox.load()).requests === 12, 'twelve requests');
	await sandbox.clearFaults();
	await Promise.all(answers);
	const load = await sandbox.load();
	expect(load.peakRequests).toBe(12);
	expect(load.peakConnections).toBeGreaterThanOrEqual(12);
	await until(async () => (await sandbox.load()).requests === 0, 'the last answer');
});
