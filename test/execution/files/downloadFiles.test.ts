import { randomBytes } from 'node:crypto';
import type { IBinaryData, INodeExecutionData } from 'n8n-workflow';

import {
	downloadFilesOf,
	withLateOutput,
} from '../../../nodes/BrowserAutomation/execution/files/downloadFiles';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import type { Run } from '../../core/harness';
import { forAllTests, notFound, type Handler } from '../../fixture';
import { codeBlocksOf } from '../../project/markdown';
import { lapseTime, until } from '../../timeLapse';
import { insideNode } from '../insideNode';
import { binaryOf, FilesFixture, outcomeOf, stored } from './filesFixture';
import { inTurn, sending, serving } from './fileStore';

const BYTES = randomBytes(400_000);

const fixture = forAllTests(new FilesFixture());
const { service, store } = fixture;

lapseTime(10);

beforeEach(() => fixture.serveFiles([fixture.file()]));

afterEach(() => fixture.reset());

function binaryFieldsOf({ outputs }: Run): string[][] {
	return (outputs[0] ?? []).map(({ binary }) => Object.keys(binary ?? {}));
}

async function expectBytes(run: Run): Promise<void> {
	expect(BYTES.equals(await fixture.bytesOf(run))).toBe(true);
}

const echo: Handler = (request, response) =>
	sending(Buffer.from(request.url ?? ''))(request, response);

describe('the files of a run', () => {
	const full = (): JsonObject => ({
		task_id: '9001',
		status: 'finished',
		bot_name: 'Product Scraper',
		output: [{ title: 'a' }],
		output_files: {
			json: { file_name: 'result.json', file_size: 15, download_url: `${store.url}/1?sig=1` },
			csv: { download_url: `${store.url}/2/products.csv?sig=2` },
			md: { file_name: '../../result.md', download_url: `${store.url}/3` },
			xml: { download_url: `${store.url}/4` },
		},
		download_files: [{ file_name: 'shot.png', download_url: `${store.url}/5` }],
	});
	const xml = {
		'content-type': 'application/xml; charset=utf-8',
		'content-disposition': "attachment; filename*=UTF-8''r%C3%A9sult.xml",
	};
	const FILES: Record<string, Handler> = {
		'/1?sig=1': sending(Buffer.from('[{"title":"a"}]')),
		'/2/products.csv?sig=2': sending(Buffer.from('title\r\na\r\n'), { 'content-type': 'text/csv' }),
		'/3': sending(Buffer.from('| a |'), { 'content-type': 'binary/octet-stream' }),
		'/4': sending(Buffer.from('<a/>'), xml),
		'/5': sending(BYTES, { 'content-type': 'image/png' }),
	};

	beforeEach(() => {
		service.answerWith(serving(full));
		store.answerWith((request, response) => FILES[request.url ?? '']?.(request, response));
	});

	it('become binary fields with the right bytes, names and types, and a list of them', async () => {
		const run = await fixture.download();
		expect(run.outputs[0]).toMatchObject([{ pairedItem: { item: 0 } }]);
		expect(run.outputs[0]?.[0]?.json).toEqual({
			task_id: '9001',
			status: 'finished',
			bot_name: 'Product Scraper',
			files: [
				{ name: 'result.json', size: 15, mime_type: 'application/json', property: 'json' },
				{ name: 'products.csv', size: 10, mime_type: 'text/csv', property: 'csv' },
				{ name: 'result.md', size: 5, mime_type: 'text/markdown', property: 'md' },
				{ name: 'résult.xml', size: 4, mime_type: 'application/xml', property: 'xml' },
				{ name: 'shot.png', size: 400_000, mime_type: 'image/png', property: 'file_1' },
			],
		});
		expect(binaryOf(run, 'md')).toMatchObject({ fileName: 'result.md', mimeType: 'text/markdown' });
		expect(binaryOf(run, 'md').directory).toBeUndefined();
		expect(String(await fixture.bytesOf(run, 'csv'))).toBe('title\r\na\r\n');
		await expectBytes(run);
	});

	it('are only those of the chosen types, under names with the chosen prefix', async () => {
		const parameters = { fileTypes: ['xml', 'other'], files: { binaryPrefix: 'run_' } };
		const run = await fixture.run('downloadFiles', parameters);
		expect(binaryFieldsOf(run)).toEqual([['run_xml', 'run_file_1']]);
		expect(store.received.map(({ url }) => url)).toEqual(['/4', '/5']);
	});

	it('come four at a time, and are listed in the order of the run', async () => {
		const names = ['a', 'b', 'c', 'd', 'e', 'f'];
		fixture.serveFiles(names.map((name) => ({ download_url: `${store.url}/${name}` })));
		const held: Array<() => void> = [];
		let max = 0;
		// Nothing is answered before four are asked for; then the last one first.
		store.answerWith((request, response) => {
			held.push(() => echo(request, response));
			max = Math.max(max, held.length);
			if (held.length === 4 || request.url === '/f') while (held.length > 0) held.pop()?.();
		});
		const run = await fixture.download();
		expect(max).toBe(4);
		expect(outcomeOf(run)).toMatchObject(names.map((name) => ({ name })));
		expect(String(await fixture.bytesOf(run, 'file_6'))).toBe('/f');
	});

	it('are an empty list when there are none', async () => {
		service.answerWith(serving(() => ({ task_id: '9001', status: 'running' })));
		const run = await fixture.download();
		expect(run.outputs[0]?.map(({ json }) => json)).toStrictEqual([
			{ task_id: '9001', status: 'running', files: [] },
		]);
		expect(store.received).toEqual([]);
	});
});

it('the API key goes to links of the service itself, and does not go to another origin', async () => {
	const link = { file_name: 'archive.bin', download_url: `${service.url}/files/1` };
	service.answerWith(
		inTurn(
			serving(() => ({ task_id: '9001', download_files: [link] })),
			(_, response) => void response.writeHead(302, { location: `${store.url}/there` }).end(),
		),
	);
	store.answerWith(sending(BYTES));
	await expectBytes(await fixture.download());
	const [ofService, ofStore] = [service, store].map(({ received }) =>
		received.map(({ headers }) => headers.authorization),
	);
	expect(ofService).toEqual([`Bearer ${FilesFixture.KEY}`, `Bearer ${FilesFixture.KEY}`]);
	expect(ofStore).toEqual([undefined]);
});

it('gives up a link that is redirected for ever', async () => {
	store.answerWith((_, response) => void response.writeHead(307, { location: '/round' }).end());
	expect(outcomeOf(await fixture.download())).toContain('redirected more than 5 times');
	expect(store.received).toHaveLength(6);
});

it('the connection of a redirect ends before the file comes, however much there is behind it', async () => {
	store.answerWith((request, response) => {
		if (request.url === '/1') {
			response.writeHead(302, { location: '/here' }).write('It is there, and');
		} else {
			void until(() => store.broken === 1, 'the end of the connection').then(() =>
				sending(BYTES)(request, response),
			);
		}
	});
	await expectBytes(await fixture.download());
});

describe('a download that breaks', () => {
	it('is taken up where it broke off', async () => {
		const version = { etag: '"v1"' };
		fixture.serveFiles([fixture.file('1', { file_size: BYTES.length })]);
		store.answerWith(inTurn(sending(BYTES, version, 150_000), sending(BYTES, version)));
		const run = await fixture.download();
		await expectBytes(run);
		expect(outcomeOf(run)).toMatchObject([{ size: BYTES.length }]);
		const resumed = store.received[1]?.headers;
		expect(resumed?.range).toMatch(/^bytes=[1-9]\d*-$/);
		expect(resumed?.['if-range']).toBe('"v1"');
	});

	it('ends with a message that names the file and the run, and leaves nothing behind', async () => {
		const kept = stored();
		store.answerWith((request) => void request.socket.destroy());
		const { error } = await fixture.download();
		expect(error?.message).toMatch(
			/^The file "archive\.bin" of run 9001 could not be downloaded: /,
		);
		expect(error).toHaveProperty('context.data', { task_id: '9001', file: 'archive.bin' });
		expect(store.received).toHaveLength(5);
		expect(stored()).toEqual(kept);
	});

	it('is not waited for any more when the execution is stopped', async () => {
		const kept = stored();
		const stop = new AbortController();
		store.answerWith((_, response) => {
			response.writeHead(200, { 'content-length': 1e9 });
			response.write(BYTES, () => stop.abort());
		});
		const run = await fixture.download({}, { signal: stop.signal });
		expect(run.status).toBe('canceled');
		await until(() => store.broken === 1, 'the end of the connection');
		await until(() => stored().length === kept.length, 'the end of what was stored in part');
		expect(store.received).toHaveLength(1);
	});
});

describe('a link that has expired', () => {
	const gone: Handler = (_, response) => void response.writeHead(403).end('<Error/>');

	const cut = sending(BYTES, {}, 150_000);
	const whole = sending(BYTES);

	it.each<[string, Handler[], JsonObject, string[]]>([
		['is renewed by reading the run again', [gone, whole], {}, ['/1', '/2']],
		['is renewed in the middle of a download', [cut, gone, whole], {}, ['/1', '/1', '/2']],
		['is renewed each time', [cut, gone, cut, gone, whole], {}, ['/1', '/1', '/2', '/2', '/3']],
		['is not even tried when that is known', [whole], { expires_at: 1 }, ['/2']],
	])('%s', async (_, answers, first, asked) => {
		fixture.serveFiles([fixture.file('1', first)], [fixture.file('2')], [fixture.file('3')]);
		store.answerWith(inTurn(...answers));
		await expectBytes(await fixture.download());
		expect(store.received.map(({ url }) => url)).toEqual(asked);
	});
});

it.each(['guid', 'file_name'])('a new link is that of the same file, by its %s', async (name) => {
	const file = (path: string, is: string) => fixture.file(path, { [name]: is });
	fixture.serveFiles([file('old', 'a'), file('b', 'b')], [file('b', 'b'), file('new', 'a')]);
	store.answerWith(({ url }, response) => {
		response.writeHead(url === '/old' ? 403 : 200).end(url);
	});
	const run = await fixture.download();
	if (name === 'guid') expect((await fixture.bytesOf(run)).toString()).toBe('/new');
	else expect(run.error?.message).toContain('the run gave no newer one');
});

describe('a trigger, which has little time for files,', () => {
	const LATE = 'There was no time left to download it';
	const inTime = async (run: JsonObject, signal: AbortSignal) =>
		await insideNode(
			async (context) =>
				await downloadFilesOf(fixture.reading(context, run, signal), {
					groups: ['csv', 'json', 'md', 'xml', 'other'],
					prefix: '',
					ifOneFails: 'continue',
					maxBytes: undefined,
				}),
		);

	it('learns which files are not here in time, or not at all; the others come', async () => {
		const url = (path: string) => ({ download_url: `${store.url}/${path}` });
		const csv = url('quick.csv');
		const output_files = { json: url('gone'), csv, md: url('slow.md'), xml: url('slow.xml') };
		const download_files = [url('slow'), url('slow'), url('last')];
		const kept = stored();
		store.answerWith((request, response) => {
			if (request.url === '/quick.csv') echo(request, response);
			else if (request.url?.startsWith('/slow')) response.writeHead(200).write('slow');
			else notFound(request, response);
		});
		const time = new AbortController();
		const running = inTime({ task_id: '9001', output_files, download_files }, time.signal);
		// The quick file is two files in the store, each of the slow ones the beginning of one.
		await until(() => stored().length === kept.length + 2 + 4, 'four files that have begun');
		time.abort();
		expect((await running).list).toEqual([
			{ name: 'json', error: expect.stringContaining('could not be downloaded') },
			expect.objectContaining({ name: 'quick.csv', property: 'csv' }),
			...['md', 'xml', 'file_1', 'file_2', 'file_3'].map((name) => ({ name, error: LATE })),
		]);
		await until(() => store.broken === 4, 'the end of the connections');
		await until(() => stored().length === kept.length + 2, 'only the quick file in the store');
		expect(store.received.map(({ url: path }) => path)).not.toContain('/last');
	});

	it('learns so, too, of a file that is asked for the last time', async () => {
		const time = new AbortController();
		const busy: Handler = (_, response) => void response.writeHead(503).end();
		store.answerWith(inTurn(busy, busy, busy, busy, () => time.abort()));
		const run = { task_id: '9001', download_files: [fixture.file()] };
		expect((await inTime(run, time.signal)).list).toEqual([{ name: 'archive.bin', error: LATE }]);
		await until(() => store.broken === 1, 'the end of the connection');
	});
});

describe('one file of several that cannot be downloaded', () => {
	beforeEach(() => {
		fixture.serveFiles([fixture.file('gone', { file_name: 'a.pdf' }), fixture.file('b')]);
	});

	it('ends the node and the downloads of the others, unless told otherwise', async () => {
		store.answerWith((request, response) => {
			if (request.url === '/b') response.writeHead(200).write('b');
			else setImmediate(() => notFound(request, response));
		});
		const run = await fixture.download();
		expect(run.error?.message).toContain('The file "a.pdf" of run 9001');
		expect(store.broken).toBe(1);
	}, 20_000);

	it('is listed, and the others come', async () => {
		store.answerWith((request, response) =>
			(request.url === '/b' ? echo : notFound)(request, response),
		);
		const run = await fixture.download({ ifFileFails: 'continue' });
		const error = expect.stringMatching(/^The file "a\.pdf" of run 9001 could not be downloaded: /);
		expect(outcomeOf(run)).toEqual([
			{ name: 'a.pdf', error },
			expect.objectContaining({ name: 'archive.bin', property: 'file_2' }),
		]);
		expect(String(await fixture.bytesOf(run, 'file_2'))).toBe('/b');
	});

	it('is listed as the page about files shows it', async () => {
		const [page] = codeBlocksOf('docs/use/files.md');
		const [, shown]: [JsonObject, JsonObject] = JSON.parse(page?.code ?? '');
		fixture.serveFiles([fixture.file('1', { file_name: String(shown.name) })]);
		store.answerWith(echo);
		const run = await fixture.download({ ifFileFails: 'continue', maxFileSize: 1 / 1024 ** 2 });
		const words = String(shown.error).replace(/run \d+/, 'run 9001');
		const error = words.replace('100 MB', `${1 / 1024 ** 2} MB`);
		expect(outcomeOf(run)).toEqual([{ name: shown.name, error }]);
	});
});

describe('the input’s own files', () => {
	const text = (data: string): IBinaryData => ({
		data: Buffer.from(data).toString('base64'),
		mimeType: 'text/plain',
	});
	const items: INodeExecutionData[] = [
		{ json: {}, binary: { photo: text('photo'), file_1: text('input') } },
		{ json: {} },
	];

	beforeEach(() => store.answerWith(echo));

	it('stay behind, unless told otherwise', async () => {
		const run = await fixture.download({}, { items });
		expect(binaryFieldsOf(run)).toEqual([['file_1'], ['file_1']]);
	});

	it('go on beside those of the run, which come first where names are equal', async () => {
		const run = await fixture.download({ includeInputFiles: true }, { items });
		expect(binaryFieldsOf(run)).toEqual([['photo', 'file_1'], ['file_1']]);
		expect(String(await fixture.bytesOf(run))).toBe('/1');
		expect(binaryOf(run, 'photo')).toEqual(text('photo'));
	});

	it.each([
		['on its first item', [{ row: 1 }, { row: 2 }], [['photo', 'file_1'], [], [], []]],
		['where there is an item', [], []],
	])('go on with the result of a run %s', async (_, output, fields) => {
		service.answerWith(serving(() => ({ task_id: '9001', status: 'finished', output })));
		const files = { includeInputFiles: true };
		const run = await fixture.run('get', { output: 'rows', files }, { items });
		expect(run.error).toBeUndefined();
		expect(binaryFieldsOf(run)).toEqual(fields);
	});
});

it.each([
	[9, 4],
	[11, 1],
])('a run that ended %i minutes ago without output is read %i times', async (minutes, times) => {
	const finished_at = new Date(Date.now() - minutes * 60_000).toISOString();
	service.answerWith(serving(() => ({ task_id: '9001', status: 'finished', finished_at })));
	await fixture.run('get');
	expect(service.received).toHaveLength(times);
});

it('an output that comes late joins what was known of the run, and of the event that told of its end', async () => {
	const late = { task_id: '9001', status: 'finished', output: [{ title: 'a' }] };
	const event = { event: 'runFinished', previous_status: 'running' };
	const known = { task_id: '9001', status: 'finished', profile_id: '7', ...event };
	const { run } = await insideNode(
		async (context) => await withLateOutput({ ...fixture.reading(context, late), run: known }),
	);
	expect(run).toEqual({ ...known, ...late });
});
