import { patternBytes } from '../../dev/sandbox/patternFile';
import { isObject } from '../../dev/sandbox/json';
import type { Sandbox } from '../../dev/sandbox/server';
import { AT_ONCE, onSandbox, startRun, untilStatus, type Send } from './client';

let sandbox: Sandbox;
let send: Send;

const MEGABYTE = 1024 * 1024;

onSandbox({ durations: AT_ONCE }, (opened) => ({ sandbox, send } = opened));

async function finishedRun(botId: string, input: object = {}): Promise<string> {
	const taskId = await startRun(send, botId, { input });
	await untilStatus(send, taskId, 'finished');
	return taskId;
}

/** Links of a run's files by file name, read afresh. */
async function linksOf(taskId: string): Promise<Record<string, string>> {
	const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
	const files = [fields['download_files'], fields['output_files']].flatMap((some) =>
		Object.values(Object(some)).filter(isObject),
	);
	return Object.fromEntries(
		files.map((file) => [String(file['file_name']), String(file['download_url'])]),
	);
}

test('result files come as JSON, CSV, Markdown and XML', async () => {
	const taskId = await finishedRun('1001', { keyword: 'lamp', max_results: 2 });
	const links = await linksOf(taskId);
	const read = async (format: string, type: string): Promise<string> => {
		const response = await fetch(links[`result.${format}`] ?? '');
		expect(response.headers.get('content-type')?.split(';')[0]).toBe(type);
		return await response.text();
	};
	const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
	expect(JSON.parse(await read('json', 'application/json'))).toEqual(fields['output']);
	expect((await read('csv', 'text/csv')).split('\r\n')).toHaveLength(4);
	expect((await read('md', 'text/markdown')).split('\n')[1]).toMatch(/^\| --- \|/);
	expect((await read('xml', 'application/xml')).match(/<row>/g)).toHaveLength(2);
});

test('files are on another origin and need no key; one that was sent is recorded', async () => {
	const links = await linksOf(await finishedRun('1001', { keyword: 'lamp' }));
	const link = links['result.json'] ?? '';
	expect(new URL(link).origin).not.toBe(new URL(sandbox.url).origin);
	await (await fetch(link)).text();
	await (await fetch(link, { headers: { authorization: 'Bearer sandbox-key' } })).text();
	const downloads = await sandbox.requests({ operation: 'file' });
	expect(downloads.map(({ authorized }) => authorized)).toEqual([false, true]);
});

test('a download can break off and be gone on with', async () => {
	await sandbox.setFiles({ archiveSize: MEGABYTE });
	const link = (await linksOf(await finishedRun('1007')))['site-archive.warc'] ?? '';
	const cut = { kind: 'cutConnection', path: '^/files/', afterBytes: 200_000, times: 1 } as const;
	await sandbox.addFault(cut);
	const received: Buffer[] = [];
	const read = async (): Promise<void> => {
		const response = await fetch(link);
		expect(response.status).toBe(200);
		for await (const chunk of response.body ?? []) received.push(Buffer.from(chunk));
	};
	await expect(read()).rejects.toThrow();
	const start = Buffer.concat(received);
	expect(start.length).toBe(200_000);
	const rest = await fetch(link, { headers: { range: `bytes=${start.length}-` } });
	const whole = Buffer.concat([start, Buffer.from(await rest.arrayBuffer())]);
	expect(whole.equals(patternBytes(0, MEGABYTE - 1))).toBe(true);
});
