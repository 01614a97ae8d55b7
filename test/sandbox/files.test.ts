import { patternBytes } from '../../sandbox/patternFile';
import { isObject } from '../../sandbox/json';
import { startSandbox } from '../../sandbox/server';
import type { Sandbox } from '../../sandbox/server';
import { clientOf, startRun, untilStatus } from './client';
import type { Send } from './client';

let sandbox: Sandbox;
let send: Send;

const MEGABYTE = 1024 * 1024;

beforeAll(async () => {
	sandbox = await startSandbox();
	send = clientOf(sandbox);
});

beforeEach(async () => {
	await sandbox.reset();
	await sandbox.setDurations({ created: 0, running: 0 });
});

afterAll(async () => await sandbox.close());

async function finishedRun(botId: string, input: object = {}): Promise<string> {
	const taskId = await startRun(send, botId, { input });
	await untilStatus(send, taskId, 'finished');
	return taskId;
}

/** Links of a run's files by file name, read afresh. */
async function linksOf(taskId: string): Promise<Record<string, string>> {
	const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
	const generated: unknown[] = Array.isArray(fields['download_files'])
		? fields['download_files']
		: [];
	const results = isObject(fields['output_files']) ? Object.values(fields['output_files']) : [];
	return Object.fromEntries(
		[...generated, ...results]
			.filter(isObject)
			.map((file) => [String(file['file_name']), String(file['download_url'])]),
	);
}

test('result files come as JSON, CSV, Markdown and XML', async () => {
	const taskId = await finishedRun('1001', { keyword: 'lamp', max_results: 2 });
	const links = await linksOf(taskId);
	const texts = await Promise.all(
		['json', 'csv', 'md', 'xml'].map(async (format) => {
			const response = await fetch(links[`result.${format}`] ?? '');
			return [response.headers.get('content-type')?.split(';')[0], await response.text()] as const;
		}),
	);
	expect(texts.map(([type]) => type)).toEqual([
		'application/json',
		'text/csv',
		'text/markdown',
		'application/xml',
	]);
	const { fields } = await send('GET', `/v3/bots/runs/${taskId}`);
	expect(JSON.parse(texts[0]?.[1] ?? '')).toEqual(fields['output']);
	expect(texts[1]?.[1].split('\r\n')).toHaveLength(4);
	expect(texts[2]?.[1].split('\n')[1]).toMatch(/^\| --- \|/);
	expect(texts[3]?.[1].match(/<row>/g)).toHaveLength(2);
});

test('files are on another origin and need no key; one that was sent is recorded', async () => {
	const taskId = await finishedRun('1001', { keyword: 'lamp' });
	const link = (await linksOf(taskId))['result.json'] ?? '';
	expect(new URL(link).origin).toBe(sandbox.filesUrl);
	expect(new URL(link).origin).not.toBe(new URL(sandbox.url).origin);
	await (await fetch(link)).text();
	await (await fetch(link, { headers: { authorization: 'Bearer sandbox-key' } })).text();
	const downloads = await sandbox.requests({ operation: 'file' });
	expect(downloads.map(({ authorized }) => authorized)).toEqual([false, true]);
});

test('the large file is as long as it says, and every part of it can be verified', async () => {
	await sandbox.setFiles({ archiveSize: 3 * MEGABYTE + 5 });
	const link = (await linksOf(await finishedRun('1007')))['site-archive.warc'] ?? '';
	const whole = Buffer.from(await (await fetch(link)).arrayBuffer());
	expect(whole.length).toBe(3 * MEGABYTE + 5);
	expect(whole.equals(patternBytes(0, whole.length - 1))).toBe(true);
	expect(whole.toString('latin1', MEGABYTE, MEGABYTE + 16)).toBe('0000000001048576');
});

test('its usual size is 100 MB', async () => {
	const { fields } = await send('GET', `/v3/bots/runs/${await finishedRun('1007')}`);
	expect(fields['download_files']).toMatchObject([{ file_size: 100 * MEGABYTE }]);
});

test('parts of a file can be asked for', async () => {
	const link = (await linksOf(await finishedRun('1007')))['site-archive.warc'] ?? '';
	const size = 100 * MEGABYTE;
	const read = async (
		range: string,
		condition?: string,
	): Promise<[number, Buffer, string | null]> => {
		const response = await fetch(link, {
			headers: { range, ...(condition === undefined ? {} : { 'if-range': condition }) },
		});
		const bytes = Buffer.from(await response.arrayBuffer());
		return [response.status, bytes, response.headers.get('content-range')];
	};
	expect(await read('bytes=5000-5099')).toEqual([
		206,
		patternBytes(5000, 5099),
		`bytes 5000-5099/${size}`,
	]);
	expect(await read(`bytes=${size - 10}-`)).toEqual([
		206,
		patternBytes(size - 10, size - 1),
		`bytes ${size - 10}-${size - 1}/${size}`,
	]);
	expect((await read(`bytes=${size}-`)).slice(0, 1)).toEqual([416]);
	const head = await fetch(link, { method: 'HEAD' });
	expect(head.headers.get('content-length')).toBe(String(size));
	const etag = head.headers.get('etag') ?? '';
	expect((await read('bytes=0-9', etag))[0]).toBe(206);
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
	const link = (await linksOf(await finishedRun('1007')))['site-archive.warc'] ?? '';
	await sandbox.addFault({
		kind: 'cutConnection',
		path: '^/files/',
		afterBytes: 200_000,
		times: 1,
	});
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
