import { isObject } from '../../sandbox/json';
import { startSandbox } from '../../sandbox/server';
import type { Sandbox } from '../../sandbox/server';
import { clientOf, startRun, until, untilStatus } from './client';
import type { Send } from './client';

let sandbox: Sandbox;
let send: Send;

beforeAll(async () => {
	sandbox = await startSandbox();
	send = clientOf(sandbox);
});

beforeEach(async () => {
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: 0, pausing: 0, resuming: 0 });
});

afterAll(async () => await sandbox.close());

async function codeOf(method: string, path: string, body?: unknown): Promise<unknown> {
	return (await send(method, path, body === undefined ? {} : { body })).fields['code'];
}

test('a run goes on by itself, from created to its end', async () => {
	await sandbox.setDurations({ created: 100, running: 100 });
	const answer = await send('POST', '/v3/bots/1001/runs', { body: { input: { keyword: 'lamp' } } });
	expect(answer.fields['status']).toBe('created');
	await untilStatus(send, String(answer.fields['task_id']), 'finished');
});

test('a run goes from created through running to finished', async () => {
	await sandbox.setDurations({ created: 100, running: null });
	const answer = await send('POST', '/v3/bots/1001/runs', { body: { input: { keyword: 'lamp' } } });
	expect(answer.fields).toEqual({ task_id: expect.stringMatching(/^\d+$/), status: 'created' });
	const taskId = String(answer.fields['task_id']);
	const running = await untilStatus(send, taskId, 'running');
	expect(running).toMatchObject({ live_url_info: { width: 1280, height: 720 } });
	expect(running).not.toHaveProperty('output');
	expect(running).not.toHaveProperty('finished_at');
	await sandbox.moveRun({ taskId, status: 'finished' });
	const finished = await untilStatus(send, taskId, 'finished');
	expect(finished).not.toHaveProperty('live_url_info');
	expect(finished).not.toHaveProperty('task_failure_info');
	expect(finished).toMatchObject({
		bot_id: '1001',
		bot_name: 'Product Scraper',
		bot_type: 'workflow',
		input: { keyword: 'lamp', max_results: 10 },
		output_files: { json: { file_name: 'result.json' } },
		credit: expect.any(Number),
		steps: expect.arrayContaining([expect.objectContaining({ status: 'succeed' })]),
	});
	expect(finished['output']).toHaveLength(10);
});

test('the same input gives the same rows', async () => {
	const request = { input: { keyword: 'lamp', max_results: 3 } };
	const outputs = [
		await startRun(send, '1001', request),
		await startRun(send, '1001', request),
	].map(async (taskId) => (await untilStatus(send, taskId, 'finished'))['output']);
	const [first, second] = await Promise.all(outputs);
	expect(first).toEqual(second);
	expect(first).toHaveLength(3);
});

test('a failing bot reports why', async () => {
	const failed = await untilStatus(send, await startRun(send, '1004'), 'failed');
	expect(failed).toMatchObject({ task_failure_info: { code: 20031 } });
	expect(failed).not.toHaveProperty('output');
});

test('a paused run waits until it is resumed, and the answer still says paused', async () => {
	await sandbox.setDurations({ resuming: 50 });
	const taskId = await startRun(send, '1003');
	await untilStatus(send, taskId, 'paused');
	const resumed = await send('POST', `/v3/bots/runs/${taskId}/resume`);
	expect(resumed.fields['status']).toBe('paused');
	expect(await untilStatus(send, taskId, 'finished')).toMatchObject({
		output: { confirmed: true },
	});
});

test('what cannot be resumed is refused', async () => {
	await sandbox.setDurations({ running: null });
	const agentRun = await startRun(send, '1008');
	expect(await codeOf('POST', `/v3/bots/runs/${agentRun}/resume`)).toBe(10879);
	const running = await startRun(send, '1003');
	expect(await codeOf('POST', `/v3/bots/runs/${running}/resume`)).toBe(10127);
	await send('POST', `/v3/bots/runs/${running}/cancel`);
	expect(await codeOf('POST', `/v3/bots/runs/${running}/resume`)).toBe(10127);
	expect(await codeOf('POST', '/v3/bots/runs/1/resume')).toBe(10112);
});

test('a run is canceled once', async () => {
	await sandbox.setDurations({ running: null });
	const taskId = await startRun(send, '1008');
	const canceled = await send('POST', `/v3/bots/runs/${taskId}/cancel`, {
		query: { biz_code: '7' },
	});
	expect(canceled.fields['status']).toBe('canceled');
	expect(await codeOf('POST', `/v3/bots/runs/${taskId}/cancel`)).toBe(10121);
	expect((await sandbox.runs())[0]).toMatchObject({ status: 'canceled', bizCode: 7 });
	expect(await codeOf('POST', '/v3/bots/runs/1/cancel')).toBe(10112);
});

test('starts that cannot be are refused with the code of the service', async () => {
	const start = (path: string, input: unknown, more = {}): Promise<unknown> =>
		codeOf('POST', `/v3/bots/${path}/runs`, { input, ...more });
	expect(await start('1005', {})).toBe(10020);
	expect(await start('1009', {})).toBe(10021);
	expect(await start('7', {})).toBe(10111);
	expect(await start('templates/7', {})).toBe(10110);
	expect(await start('1001', {})).toBe(10142);
	expect(await start('1002', { max_leads: 3 })).toBe(10143);
	expect(await start('1001', { keyword: 'x', max_results: 'many' })).toBe(99001);
	expect(await start('1001', { keyword: 'x', max_results: 501 })).toBe(99001);
	expect(await start('1001', { keyword: 'x', surprise: 1 })).toBe(99001);
	expect(await start('templates/2001', { keyword: 'x' }, { proxy_region: 'XX' })).toBe(10013);
	expect(await codeOf('GET', '/v3/bots/7')).toBe(10111);
	expect(await codeOf('GET', '/v3/bots/templates/7')).toBe(10110);
	expect(await codeOf('GET', '/v3/bots/runs/7')).toBe(10112);
	expect(await sandbox.runs()).toEqual([]);
});

test('an unpublished bot stays readable, without its schemas', async () => {
	const { fields } = await send('GET', '/v3/bots/1005');
	expect(fields).toMatchObject({ published_at: null, input_schema: null, output_schema: null });
});

test('a plan allows so many running tasks at a time', async () => {
	await sandbox.setKey({ key: 'free', concurrency: 1 });
	await sandbox.setDurations({ key: 'free', running: null });
	const taskId = await startRun(send, '1008', {}, 'free');
	const second = await send('POST', '/v3/bots/1008/runs', { body: { input: {} }, key: 'free' });
	expect(second.fields['code']).toBe(10118);
	await sandbox.moveRun({ taskId, status: 'finished' });
	await startRun(send, '1008', {}, 'free');
});

test('a company sees its own runs only', async () => {
	await sandbox.setKey({ key: 'other' });
	await sandbox.setKey({ key: 'colleague', company: 'other' });
	const taskId = await startRun(send, '1008', {}, 'other');
	expect(await codeOf('GET', `/v3/bots/runs/${taskId}`)).toBe(10112);
	const seen = await send('GET', `/v3/bots/runs/${taskId}`, { key: 'colleague' });
	expect(seen.fields['task_id']).toBe(taskId);
});

test('a template run names no bot', async () => {
	const answer = await send('POST', '/v3/bots/templates/2003/runs', {
		body: { input: { brand: 'Nordal' } },
	});
	const run = await untilStatus(send, String(answer.fields['task_id']), 'finished');
	expect(run).not.toHaveProperty('bot_id');
	expect(run).not.toHaveProperty('bot_name');
});

test('output over 5 MB comes as files only', async () => {
	const run = await untilStatus(send, await startRun(send, '1006'), 'finished');
	expect(run).not.toHaveProperty('output');
	const files: unknown = run['output_files'];
	const json: unknown = isObject(files) ? files['json'] : undefined;
	expect(isObject(json) && Number(json['file_size'])).toBeGreaterThan(5 * 1024 * 1024);
});

test('a V2 task is the same run, in the words of V2', async () => {
	const started = await send('POST', '/v2/workflow/run-task', {
		body: {
			workflow_id: '1001',
			profile_id: 'p1',
			input_parameters: [
				{ name: 'keyword', value: 'lamp' },
				{ name: 'max_results', value: '2' },
			],
		},
	});
	expect(started.fields).toEqual({ id: expect.any(String), profile_id: 'p1' });
	const taskId = String(started.fields['id']);
	const run = await untilStatus(send, taskId, 'finished');
	const { fields } = await send('GET', '/v2/workflow/get-task', { query: { task_id: taskId } });
	expect(fields).toMatchObject({
		id: taskId,
		workflow_id: '1001',
		profile_id: 'p1',
		output: { string: JSON.stringify(run['output']), files: expect.any(Array) },
	});
	expect(fields['input_parameters']).toMatch(/^keyword=lamp; max_results=2; /);
});

test('V2 stop and resume answer without a body', async () => {
	const taskId = await startRun(send, '1003');
	await untilStatus(send, taskId, 'paused');
	const query = { task_id: taskId };
	const resumed = await send('PUT', '/v2/workflow/resume-task', { query });
	expect(resumed).toMatchObject({ status: 200, text: '' });
	await untilStatus(send, taskId, 'finished');
	await sandbox.setDurations({ running: null });
	const second = await startRun(send, '1008');
	const stopped = await send('PUT', '/v2/workflow/stop-task', { query: { task_id: second } });
	expect(stopped).toMatchObject({ status: 200, text: '' });
	await untilStatus(send, second, 'canceled');
});

test('V2 can be made to report an unknown status', async () => {
	const taskId = await startRun(send, '1008');
	await sandbox.setUnknown({ taskId, unknown: true });
	const query = { task_id: taskId };
	expect((await send('GET', '/v2/workflow/get-task-status', { query })).fields['status']).toBe(
		'unknown',
	);
	expect((await send('GET', '/v2/workflow/get-task', { query })).fields['status']).toBe('unknown');
});

test('lists have pages, newest first, and filters', async () => {
	const { taskIds } = await sandbox.seedRuns({
		count: 45,
		statuses: ['finished', 'failed', 'running'],
		createdFrom: '2026-05-01T00:00:00Z',
		createdTo: '2026-05-01T00:44:00Z',
	});
	const list = async (query: Record<string, string>): Promise<unknown[]> => {
		const { fields } = await send('GET', '/v3/bots/runs', { query });
		return Array.isArray(fields['items']) ? fields['items'] : [];
	};
	const idsOf = (items: unknown[]): unknown[] =>
		items.map((item) => (isObject(item) ? item['task_id'] : undefined));
	const pages = [await list({ page: '1' }), await list({ page: '2' }), await list({ page: '3' })];
	expect(idsOf(pages.flat())).toEqual([...taskIds].reverse());
	expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
	expect(await list({ status: 'failed' })).toHaveLength(15);
	expect(await list({ bot_name: 'SCRAPER', limit: '100' })).toHaveLength(45);
	expect(await list({ bot_id: '1002' })).toEqual([]);
	const from = { created_at_from: '2026-05-01T00:10:00Z', created_at_to: '2026-05-01T00:12:00Z' };
	expect(await list(from)).toHaveLength(3);
	const bots = await send('GET', '/v3/bots', { query: { limit: '100' } });
	expect(bots.fields).toMatchObject({ total_count: 54, total_pages: 1 });
});

test('human assist sessions end once, and again without harm', async () => {
	const create = async (): Promise<string> => {
		const { text } = await send('POST', '/v2/human-assist/create');
		return text.replace(/.*"uuid":"([^"]+)".*/, '$1');
	};
	const end = async (how: string, uuid: string): Promise<unknown> => {
		const { fields } = await send('POST', `/v2/human-assist/${how}-cli`, { query: { uuid } });
		return isObject(fields['data']) ? fields['data']['status'] : fields['code'];
	};
	const completed = await create();
	expect(await end('complete', completed)).toBe('cli_finished');
	expect(await end('complete', completed)).toBe('cli_finished');
	expect(await end('error', completed)).toBe('cli_finished');
	const broken = await create();
	expect(await end('error', broken)).toBe('cli_error');
	expect(await end('error', broken)).toBe('cli_error');
	expect(await end('complete', broken)).toBe(99001);
	const expired = await create();
	await sandbox.setAssist({ uuid: expired, status: 'expired' });
	expect(await end('complete', expired)).toBe('expired');
	expect(await end('complete', 'nobody')).toBe(99001);
});

test('browsers are kept, and a purchase is found by its request', async () => {
	const bought = await send('POST', '/v2/auth/access-grants/browser/purchase', {
		body: { quantity: 2 },
	});
	const grant = bought.fields['data'];
	const requestId = isObject(grant) ? String(grant['request_id']) : '';
	const list = async (query: Record<string, string>): Promise<unknown> => {
		const { fields } = await send('GET', '/v2/browser', { query });
		return isObject(fields['data']) ? fields['data']['total_count'] : undefined;
	};
	expect(await list({ request_id: requestId })).toBe(2);
	expect(await list({})).toBe(5);
	expect(await list({ status: 'expired' })).toBe(1);
	expect((await send('DELETE', '/v2/browser/30001')).fields).toMatchObject({ code: 0, data: null });
	expect(await codeOf('GET', '/v2/browser/30001')).toBe(99001);
	expect(await list({})).toBe(4);
});

test('the clock of the service can be wrong', async () => {
	await sandbox.setClock({ skewMs: 3_600_000 });
	const run = await untilStatus(send, await startRun(send, '1008'), 'finished');
	const ahead = Date.parse(String(run['created_at'])) - Date.now();
	expect(ahead).toBeGreaterThan(3_590_000);
});

test('a moved run goes on from its new status', async () => {
	await sandbox.setDurations({ created: null });
	const taskId = await startRun(send, '1008');
	await sandbox.moveRun({ taskId, status: 'running' });
	await until(async () => (await sandbox.runs())[0]?.status === 'finished' || undefined);
	await expect(sandbox.moveRun({ taskId, status: 'failed' })).rejects.toThrow('already ended');
});
