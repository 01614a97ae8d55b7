import type { Sandbox } from '../../dev/sandbox/server';
import type { JsonObject } from '../../dev/sandbox/json';
import { partOf, textAt } from '../../nodes/BrowserAutomation/service/json/json';
import { AT_ONCE, onSandbox, startRun, untilStatus, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

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
])('a start that cannot be is refused with the service’s code: %s, %j', async (of, input, code) => {
	const { fields } = await send('POST', `/v3/bots/${of}/runs`, { input });
	expect(fields['code']).toBe(code);
	expect(await sandbox.runs()).toEqual([]);
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

test('a service that is down refuses connections, and is back with its runs', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['running'] });
	sandbox.goDown();
	await expect(send('GET', '/v3/bots')).rejects.toThrow('fetch failed');
	await expect(fetch(sandbox.filesUrl)).rejects.toThrow('fetch failed');
	await sandbox.comeBack();
	expect((await send('GET', `/v3/bots/runs/${taskIds[0]}`)).status).toBe(200);
	expect((await fetch(sandbox.filesUrl)).status).toBe(404);
});

async function finishedRun(): Promise<JsonObject> {
	const input = { keyword: 'lamp', max_results: 2 };
	return await untilStatus(send, await startRun(send, '1001', { input }), 'finished');
}

function linkIn(run: JsonObject, format: string): string {
	return textAt(partOf(run['output_files'], format), 'download_url') ?? '';
}

test('result files come as JSON, CSV, Markdown and XML', async () => {
	const run = await finishedRun();
	const read = async (format: string, type: string): Promise<string> => {
		const response = await fetch(linkIn(run, format));
		expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
		return await response.text();
	};
	expect(JSON.parse(await read('json', 'application/json'))).toEqual(run['output']);
	expect((await read('csv', 'text/csv')).split('\r\n')).toHaveLength(4);
	expect((await read('md', 'text/markdown')).split('\n')[1]).toMatch(/^\| --- \|/);
	expect((await read('xml', 'application/xml')).match(/<row>/g)).toHaveLength(2);
});

test('files are on another origin and need no key; one that was sent is recorded', async () => {
	const link = linkIn(await finishedRun(), 'json');
	expect(new URL(link).origin).not.toBe(new URL(sandbox.url).origin);
	await (await fetch(link)).text();
	await (await fetch(link, { headers: { authorization: 'Bearer sandbox-key' } })).text();
	const downloads = await sandbox.requests({ operation: 'file' });
	expect(downloads.map(({ authorized }) => authorized)).toEqual([false, true]);
});
