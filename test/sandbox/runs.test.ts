import type { Sandbox } from '../../dev/sandbox/server';
import { AT_ONCE, onSandbox, untilStatus, type Received, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

async function start(path: string, input: unknown): Promise<Received> {
	return await send('POST', `/v3/bots/${path}/runs`, { body: { input } });
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
