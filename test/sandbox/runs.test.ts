import { isObject, type JsonObject } from '../../dev/sandbox/json';
import type { Sandbox } from '../../dev/sandbox/server';
import { AT_ONCE, onSandbox, startRun, untilStatus, type Received, type Send } from './client';

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

test('a list by time has the runs of its first and of its last moment', async () => {
	const run = await ended('1008');
	const moment = String(run['created_at']);
	const query = { created_at_from: moment, created_at_to: moment };
	const { fields } = await send('GET', '/v3/bots/runs', { query });
	expect(fields['items']).toMatchObject([{ task_id: run['task_id'] }]);
});

test('a company sees its own runs only', async () => {
	await sandbox.setKey({ key: 'other' });
	await sandbox.setKey({ key: 'colleague', company: 'other' });
	const path = `/v3/bots/runs/${await startRun(send, '1008', {}, 'other')}`;
	expect(await codeOf('GET', path)).toBe(10112);
	expect((await send('GET', path, { key: 'colleague' })).status).toBe(200);
});

test('V2 can be made to report an unknown status', async () => {
	const taskId = await startRun(send, '1008');
	await sandbox.setUnknown({ taskId, unknown: true });
	for (const path of ['/v2/workflow/get-task-status', '/v2/workflow/get-task']) {
		const { fields } = await send('GET', path, { query: { task_id: taskId } });
		expect(fields['status']).toBe('unknown');
	}
});

test('human assist sessions end once, and again without harm', async () => {
	const create = async (): Promise<string> => {
		const { text } = await send('POST', '/v2/human-assist/create');
		return text.replace(/.*"uuid":"([^"]+)".*/, '$1');
	};
	const end = async (uuid: string, ...ways: string[]): Promise<unknown[]> => {
		const answers: unknown[] = [];
		for (const how of ways) {
			const { fields } = await send('POST', `/v2/human-assist/${how}-cli`, { query: { uuid } });
			answers.push(isObject(fields['data']) ? fields['data']['status'] : fields['code']);
		}
		return answers;
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

test('the clock of the service can be wrong', async () => {
	await sandbox.setClock({ skewMs: 3_600_000 });
	const { created_at: created } = await ended('1008');
	expect(Date.parse(String(created)) - Date.now()).toBeGreaterThan(3_590_000);
});
