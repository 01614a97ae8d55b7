import type { JsonObject } from '../../dev/sandbox/json';
import type { Sandbox } from '../../dev/sandbox/server';
import { AT_ONCE, onSandbox, startRun, untilStatus, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

/** A run that has ended. */
async function finishedRun(): Promise<JsonObject> {
	const input = { keyword: 'lamp', max_results: 2 };
	return await untilStatus(send, await startRun(send, '1001', { input }), 'finished');
}

/** The link to its result in a format. */
function linkIn(run: JsonObject, format: string): string {
	return String(Object(run['output_files'])[format].download_url);
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
