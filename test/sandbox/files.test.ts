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

/** A link to a result of the first bot, or to the large file. */
async function linkTo(file: 'result.json' | 'site-archive.warc'): Promise<string> {
	const bot = file === 'result.json' ? '1001' : '1007';
	const links = await linksOf(await finishedRun(bot, bot === '1001' ? { keyword: 'lamp' } : {}));
	return links[file] ?? '';
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
	const link = await linkTo('result.json');
	expect(new URL(link).origin).toBe(sandbox.filesUrl);
	expect(new URL(link).origin).not.toBe(new URL(sandbox.url).origin);
	await (await fetch(link)).text();
	await (await fetch(link, { headers: { authorization: 'Bearer sandbox-key' } })).text();
	const downloads = await sandbox.requests({ operation: 'file' });
	expect(downloads.map(({ authorized }) => authorized)).toEqual([false, true]);
});

test('the large file is as long as it says, and every part of it can be verified', async () => {
	await sandbox.setFiles({ archiveSize: 3 * MEGABYTE + 5 });
	const link = await linkTo('site-archive.warc');
	const whole = Buffer.from(await (await fetch(link)).arrayBuffer());
	expect(whole.length).toBe(3 * MEGABYTE + 5);
	expect(whole.equals(patternBytes(0, whole.length - 1))).toBe(true);
	expect(whole.toString('latin1', MEGABYTE, MEGABYTE + 16)).toBe('0000000001048576');
});

test('parts of a file can be asked for', async () => {
	const link = await linkTo('site-archive.warc');
	const size = 100 * MEGABYTE;
	for (const [asked, first, last] of [
		['5000-5099', 5000, 5099],
		[`${size - 10}-`, size - 10, size - 1],
	] as const) {
		const response = await fetch(link, { headers: { range: `bytes=${asked}` } });
		expect(response.status).toBe(206);
		expect(Buffer.from(await response.arrayBuffer())).toEqual(patternBytes(first, last));
		expect(response.headers.get('content-range')).toBe(`bytes ${first}-${last}/${size}`);
	}
	expect((await fetch(link, { headers: { range: `bytes=${size}-` } })).status).toBe(416);
	const head = await fetch(link, { method: 'HEAD' });
	expect(head.headers.get('content-length')).toBe(String(size));
	const headers = { range: 'bytes=0-9', 'if-range': head.headers.get('etag') ?? '' };
	expect((await fetch(link, { headers })).status).toBe(206);
});

test('an expired link is refused, and reading the run again gives a fresh one', async () => {
	const taskId = await finishedRun('1001', { keyword: 'lamp' });
	const old = (await linksOf(taskId))['result.json'] ?? '';
	await sandbox.expireFileLinks();
	expect((await fetch(old)).status).toBe(403);
	const fresh = (await linksOf(taskId))['result.json'] ?? '';
	expect((await fetch(fresh)).status).toBe(200);
	await sandbox.setClock({ skewMs: 3_700_000 });
	expect((await fetch(fresh)).status).toBe(403);
	expect((await fetch(fresh.replace(/signature=\w/, 'signature=x'))).status).toBe(403);
});

test('a download can break off and be gone on with', async () => {
	await sandbox.setFiles({ archiveSize: MEGABYTE });
	const link = await linkTo('site-archive.warc');
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
