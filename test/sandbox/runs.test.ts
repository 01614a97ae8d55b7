import { isObject, type JsonObject } from '../../dev/sandbox/json';
import type { Sandbox } from '../../dev/sandbox/server';
import {
	AT_ONCE,
	onSandbox,
	startRun,
	until,
	untilStatus,
	type Received,
	type Send,
} from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

async function codeOf(method: string, path: string, body?: unknown): Promise<unknown> {
	return (await send(method, path, { body })).fields['code'];
}

async function start(path: string, input: unknown, more = {}): Promise<Received> {
	return await send('POST', `/v3/bots/${path}/runs`, { body: { input, ...more } });
}

/** A run that has ended. */
async function ended(botId: string, request: JsonObject = {}): Promise<JsonObject> {
	return await untilStatus(send, await startRun(send, botId, request), 'finished');
}

test('a run goes from created through running to finished', async () => {
	await sandbox.setDurations({ created: 100, running: null });
	const { fields } = await start('1001', { keyword: 'lamp' });
	expect(fields).toEqual({ task_id: expect.stringMatching(/^\d+$/), status: 'created' });
	const taskId = String(fields['task_id']);
	const running = await untilStatus(send, taskId, 'running');
	expect(running).toMatchObject({ live_url_info: { width: 1280, height: 720 } });
	await sandbox.moveRun({ taskId, status: 'finished' });
	const finished = await untilStatus(send, taskId, 'finished');
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
	const [first, second] = [await ended('1001', request), await ended('1001', request)];
	expect(first['output']).toEqual(second['output']);
	expect(first['output']).toHaveLength(3);
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
	const finished = await untilStatus(send, taskId, 'finished');
	expect(finished).toMatchObject({ output: { confirmed: true } });
});

test('what cannot be resumed is refused', async () => {
	await sandbox.setDurations({ running: null });
	const resume = async (taskId: string) => await codeOf('POST', `/v3/bots/runs/${taskId}/resume`);
	expect(await resume(await startRun(send, '1008'))).toBe(10879);
	const running = await startRun(send, '1003');
	expect(await resume(running)).toBe(10127);
	await send('POST', `/v3/bots/runs/${running}/cancel`);
	expect(await resume(running)).toBe(10127);
	expect(await resume('1')).toBe(10112);
});

test('a run is canceled once', async () => {
	await sandbox.setDurations({ running: null });
	const path = `/v3/bots/runs/${await startRun(send, '1008')}/cancel`;
	const canceled = await send('POST', path, { query: { biz_code: '7' } });
	expect(canceled.fields['status']).toBe('canceled');
	expect(await codeOf('POST', path)).toBe(10121);
	expect((await sandbox.runs())[0]).toMatchObject({ status: 'canceled', bizCode: 7 });
	expect(await codeOf('POST', '/v3/bots/runs/1/cancel')).toBe(10112);
});

test.each([
	['1005', {}, 10020],
	['1009', {}, 10021],
	['7', {}, 10111],
	['templates/7', {}, 10110],
	['1001', {}, 10142],
	['1002', { max_leads: 3 }, 10143],
	['1001', { keyword: 'x', max_results: 'many' }, 99001],
	['1001', { keyword: 'x', max_results: 501 }, 99001],
	['1001', { keyword: 'x', surprise: 1 }, 99001],
])(
	'a start that cannot be is refused with the code of the service: %s, %j',
	async (of, input, code) => {
		expect((await start(of, input)).fields['code']).toBe(code);
		expect(await sandbox.runs()).toEqual([]);
	},
);

test('a template runs in regions that there are, and names no bot', async () => {
	const refused = await start('templates/2003', { brand: 'Nordal' }, { proxy_region: 'XX' });
	expect(refused.fields['code']).toBe(10013);
	const { fields } = await start('templates/2003', { brand: 'Nordal' });
	const run = await untilStatus(send, String(fields['task_id']), 'finished');
	expect(Object.keys(run).filter((name) => name.startsWith('bot_'))).toEqual(['bot_type']);
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
	const path = `/v3/bots/runs/${await startRun(send, '1008', {}, 'other')}`;
	expect(await codeOf('GET', path)).toBe(10112);
	expect((await send('GET', path, { key: 'colleague' })).status).toBe(200);
});

test('output over 5 MB comes as files only', async () => {
	const run = await ended('1006');
	expect(run).not.toHaveProperty('output');
	const files: unknown = run['output_files'];
	const json: unknown = isObject(files) ? files['json'] : undefined;
	expect(isObject(json) && Number(json['file_size'])).toBeGreaterThan(5 * 1024 * 1024);
});

test('a V2 task is the same run, in the words of V2', async () => {
	const words = Object.entries({ keyword: 'lamp', max_results: '2' });
	const input_parameters = words.map(([name, value]) => ({ name, value }));
	const body = { workflow_id: '1001', profile_id: 'p1', input_parameters };
	const started = await send('POST', '/v2/workflow/run-task', { body });
	expect(started.fields).toEqual({ id: expect.any(String), profile_id: 'p1' });
	const taskId = String(started.fields['id']);
	const run = await untilStatus(send, taskId, 'finished');
	const { fields } = await send('GET', '/v2/workflow/get-task', { query: { task_id: taskId } });
	expect(fields).toMatchObject({
		id: taskId,
		workflow_id: '1001',
		profile_id: 'p1',
		output: { string: JSON.stringify(run['output']), files: expect.any(Array) },
		input_parameters: expect.stringMatching(/^keyword=lamp; max_results=2; /),
	});
});

test('V2 stop and resume answer without a body', async () => {
	const [resumed, stopped] = [await startRun(send, '1003'), await startRun(send, '1003')];
	for (const [what, taskId, end] of [
		['resume', resumed, 'finished'],
		['stop', stopped, 'canceled'],
	] as const) {
		await untilStatus(send, taskId, 'paused');
		const query = { task_id: taskId };
		const answer = await send('PUT', `/v2/workflow/${what}-task`, { query });
		expect(answer).toMatchObject({ status: 200, text: '' });
		await untilStatus(send, taskId, end);
	}
});

test('V2 can be made to report an unknown status', async () => {
	const taskId = await startRun(send, '1008');
	await sandbox.setUnknown({ taskId, unknown: true });
	for (const path of ['/v2/workflow/get-task-status', '/v2/workflow/get-task']) {
		const { fields } = await send('GET', path, { query: { task_id: taskId } });
		expect(fields['status']).toBe('unknown');
	}
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
		const items: unknown[] = Array.isArray(fields['items']) ? fields['items'] : [];
		return items.map((item) => (isObject(item) ? item['task_id'] : undefined));
	};
	const pages = [await list({ page: '1' }), await list({ page: '2' }), await list({ page: '3' })];
	expect(pages.flat()).toEqual([...taskIds].reverse());
	expect(pages.map(({ length }) => length)).toEqual([20, 20, 5]);
	expect(await list({ status: 'failed' })).toHaveLength(15);
	expect(await list({ bot_name: 'SCRAPER', limit: '100' })).toHaveLength(45);
	expect(await list({ bot_id: '1002' })).toEqual([]);
	const from = { created_at_from: '2026-05-01T00:10:00Z', created_at_to: '2026-05-01T00:12:00Z' };
	expect(await list(from)).toHaveLength(3);
});

test('human assist sessions end once, and again without harm', async () => {
	const create = async (): Promise<string> => {
		const { text } = await send('POST', '/v2/human-assist/create');
		return text.replace(/.*"uuid":"([^"]+)".*/, '$1');
	};
	const end = async (uuid: string, ...ways: string[]): Promise<unknown[]> => {
		const told: unknown[] = [];
		for (const how of ways) {
			const { fields } = await send('POST', `/v2/human-assist/${how}-cli`, { query: { uuid } });
			told.push(isObject(fields['data']) ? fields['data']['status'] : fields['code']);
		}
		return told;
	};
	const finished = ['cli_finished', 'cli_finished', 'cli_finished'];
	expect(await end(await create(), 'complete', 'complete', 'error')).toEqual(finished);
	const broken = ['cli_error', 'cli_error', 99001];
	expect(await end(await create(), 'error', 'error', 'complete')).toEqual(broken);
	const expired = await create();
	await sandbox.setAssist({ uuid: expired, status: 'expired' });
	expect(await end(expired, 'complete')).toEqual(['expired']);
	expect(await end('nobody', 'complete')).toEqual([99001]);
});

test('browsers are kept, and a purchase is found by its request', async () => {
	const purchase = '/v2/auth/access-grants/browser/purchase';
	const { data: grant } = (await send('POST', purchase, { body: { quantity: 2 } })).fields;
	const requestId = isObject(grant) ? String(grant['request_id']) : '';
	const count = async (query: Record<string, string>): Promise<unknown> => {
		const { data } = (await send('GET', '/v2/browser', { query })).fields;
		return isObject(data) ? data['total_count'] : undefined;
	};
	expect(await count({ request_id: requestId })).toBe(2);
	expect(await count({})).toBe(5);
	expect(await count({ status: 'expired' })).toBe(1);
	expect((await send('DELETE', '/v2/browser/30001')).fields).toMatchObject({ code: 0, data: null });
	expect(await codeOf('GET', '/v2/browser/30001')).toBe(99001);
	expect(await count({})).toBe(4);
});

test('the clock of the service can be wrong', async () => {
	await sandbox.setClock({ skewMs: 3_600_000 });
	const { created_at: created } = await ended('1008');
	expect(Date.parse(String(created)) - Date.now()).toBeGreaterThan(3_590_000);
});

test('a moved run goes on from its new status', async () => {
	await sandbox.setDurations({ created: null });
	const taskId = await startRun(send, '1008');
	await sandbox.moveRun({ taskId, status: 'running' });
	await until(async () => (await sandbox.runs())[0]?.status === 'finished' || undefined);
	await expect(sandbox.moveRun({ taskId, status: 'failed' })).rejects.toThrow('already ended');
});
