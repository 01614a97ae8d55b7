import type { Sandbox } from '../../dev/sandbox/server';
import { AT_ONCE, onSandbox, type Received, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

async function start(path: string, input: unknown): Promise<Received> {
	return await send('POST', `/v3/bots/${path}/runs`, { body: { input } });
}

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

test('a service that is down refuses connections, and is back with its runs', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['running'] });
	sandbox.goDown();
	await expect(send('GET', '/v3/bots')).rejects.toThrow('fetch failed');
	await expect(fetch(sandbox.filesUrl)).rejects.toThrow('fetch failed');
	await sandbox.comeBack();
	expect((await send('GET', `/v3/bots/runs/${taskIds[0]}`)).status).toBe(200);
	expect((await fetch(sandbox.filesUrl)).status).toBe(404);
});
