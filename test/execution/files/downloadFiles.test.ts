import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IBinaryData, INodeExecutionData, INodeParameters } from 'n8n-workflow';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { toItems, type Run, type RunOptions } from '../../core/harness';
import { userFolder } from '../../core/harness/environment';
import { chosen, forAllTests, notFound, type Handler, type Origin } from '../../fixture';
import { FilesFixture } from './filesFixture';
import { cutting, inTurn, rangeStart, sending, serving } from './fileStore';
import { endTimeForFiles } from './filesNode';
import { lapseTime, until } from '../../timeLapse';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

const BYTES = randomBytes(400_000);

const LATE = 'There was no time left to download it';

const fixture = forAllTests(new FilesFixture());
const { service, store } = fixture;

/** A finished run with one generated file behind the given link. */
function runWith(link: string, file: JsonObject = {}): JsonObject {
	return {
		task_id: '9001',
		status: 'finished',
		download_files: [{ file_name: 'archive.bin', download_url: link, ...file }],
	};
}

async function download(
	options: INodeParameters = {},
	further: Partial<RunOptions> = {},
): Promise<Run> {
	return await fixture.run('downloadFiles', { options }, further);
}

function itemsOf(run: Run): INodeExecutionData[] {
	return run.outputs[0] ?? [];
}

function itemOf(run: Run): INodeExecutionData {
	const [item] = itemsOf(run);
	if (item === undefined) throw run.error ?? new Error('The node gave no item');
	return item;
}

function binaryOf(run: Run, property: string): IBinaryData {
	const binary = itemOf(run).binary?.[property];
	if (binary === undefined) throw new Error(`There is no binary field ${property}`);
	return binary;
}

async function bytesOf(run: Run, property = 'file_1'): Promise<Buffer> {
	return await fixture.harness.readBinary(binaryOf(run, property));
}

/** Every file in n8n's binary store. */
function stored(): string[] {
	const folder = join(userFolder, 'binary-data');
	if (!existsSync(folder)) return [];
	return readdirSync(folder, { recursive: true, withFileTypes: true })
		.filter((entry) => entry.isFile())
		.map(({ parentPath, name }) => join(parentPath, name));
}

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

	beforeEach(() => {
		service.answerWith(serving(full));
		store.answerWith((request, response) => {
			const path = request.url?.split('?')[0];
			if (path === '/1') sending(Buffer.from('[{"title":"a"}]'))(request, response);
			else if (path === '/2/products.csv') {
				sending(Buffer.from('title\r\na\r\n'), { 'content-type': 'text/csv' })(request, response);
			} else if (path === '/3') {
				sending(Buffer.from('| a |'), { 'content-type': 'binary/octet-stream' })(request, response);
			} else if (path === '/4') {
				const disposition = "attachment; filename*=UTF-8''r%C3%A9sult.xml";
				sending(Buffer.from('<a/>'), {
					'content-type': 'application/xml; charset=utf-8',
					'content-disposition': disposition,
				})(request, response);
			} else sending(BYTES, { 'content-type': 'image/png' })(request, response);
		});
	});

	it('become binary fields with the right bytes, names and types, and a list of them', async () => {
		const run = await download();
		expect(itemOf(run).json).toEqual({
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
		expect(String(await bytesOf(run, 'csv'))).toBe('title\r\na\r\n');
		expect(BYTES.equals(await bytesOf(run, 'file_1'))).toBe(true);
		expect(itemsOf(run).map(({ pairedItem }) => pairedItem)).toEqual([{ item: 0 }]);
	});

	it('are only those of the chosen types, under names with the chosen prefix', async () => {
		const run = await fixture.run('downloadFiles', {
			fileTypes: ['xml', 'other'],
			options: { binaryPrefix: 'run_' },
		});
		expect(Object.keys(itemOf(run).binary ?? {})).toEqual(['run_xml', 'run_file_1']);
		expect(store.received.map(({ url }) => url)).toEqual(['/4', '/5']);
	});

	it('all come, also where the names of two formats differ in capitals alone', async () => {
		const links = { csv: `${store.url}/a.csv`, CSV: `${store.url}/b.csv` };
		service.answerWith(
			serving(() => ({ task_id: '9001', status: 'finished', output_files: links })),
		);
		store.answerWith((request, response) =>
			sending(Buffer.from(request.url ?? ''))(request, response),
		);
		const run = await download();
		expect(String(await bytesOf(run, 'csv'))).toBe('/a.csv');
		expect(String(await bytesOf(run, 'file_1'))).toBe('/b.csv');
	});

	it('come four at a time, and are listed in the order of the run', async () => {
		const names = ['a', 'b', 'c', 'd', 'e', 'f'];
		service.answerWith(
			serving(() => ({
				task_id: '9001',
				download_files: names.map((name) => ({ download_url: `${store.url}/${name}` })),
			})),
		);
		const held: Array<() => void> = [];
		let most = 0;
		// Nothing is answered before four are asked for; then the last one first.
		store.answerWith((request, response) => {
			held.push(() => sending(Buffer.from(String(request.url)))(request, response));
			most = Math.max(most, held.length);
			if (held.length === 4 || request.url === '/f') while (held.length > 0) held.pop()?.();
		});
		const run = await download();
		expect(most).toBe(4);
		expect(itemOf(run).json.files).toMatchObject(names.map((name) => ({ name })));
		expect(String(await bytesOf(run, 'file_6'))).toBe('/f');
	});

	it('are an empty list when there are none', async () => {
		service.answerWith(serving(() => ({ task_id: '9001', status: 'running' })));
		const run = await download();
		expect(itemOf(run).json).toStrictEqual({ task_id: '9001', status: 'running', files: [] });
		expect(store.received).toEqual([]);
	});

	it('are listed with the reason when the service has not got them; the others come', async () => {
		service.answerWith(
			serving(() => ({
				task_id: '9001',
				download_files: [
					{ file_name: 'a.pdf', status: 'failed', error_message: 'disk full' },
					{ file_name: 'b.pdf', download_url: `${store.url}/5` },
				],
			})),
		);
		const run = await download();
		expect(itemOf(run).json.files).toEqual([
			{ name: 'a.pdf', error: 'the service has no link to it (disk full)' },
			{ name: 'b.pdf', size: 400_000, mime_type: 'image/png', property: 'file_2' },
		]);
		expect(Object.keys(itemOf(run).binary ?? {})).toEqual(['file_2']);
	});
});

describe('the API key', () => {
	const keys = (origin: Origin) => origin.received.map(({ headers }) => headers.authorization);

	it('goes to links of the service itself', async () => {
		service.answerWith(
			inTurn(
				serving(() => runWith(`${service.url}/files/1`)),
				sending(BYTES),
			),
		);
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(keys(service)).toEqual([`Bearer ${FilesFixture.KEY}`, `Bearer ${FilesFixture.KEY}`]);
	});

	it('does not go to another origin, linked or redirected to', async () => {
		service.answerWith(
			inTurn(
				serving(() => runWith(`${service.url}/files/1`)),
				(_, response) => void response.writeHead(302, { location: `${store.url}/there` }).end(),
			),
		);
		store.answerWith(sending(BYTES));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(keys(service)).toEqual([`Bearer ${FilesFixture.KEY}`, `Bearer ${FilesFixture.KEY}`]);
		expect(keys(store)).toEqual([undefined]);
	});
});

it('gives up a link that is redirected for ever', async () => {
	service.answerWith(serving(() => runWith(`${store.url}/round`)));
	store.answerWith((_, response) => void response.writeHead(307, { location: '/round' }).end());
	const run = await download();
	expect(run.error?.message).toContain('redirected more than 5 times');
	expect(store.received).toHaveLength(6);
});

it('the connection of a redirect ends before the file comes, however much there is behind it', async () => {
	service.answerWith(serving(() => runWith(`${store.url}/moved`)));
	store.answerWith((request, response) => {
		if (request.url === '/moved') {
			response.writeHead(302, { location: '/here' }).write('It is there, and');
		} else {
			void until(() => store.broken === 1, 'the end of the connection').then(() =>
				sending(BYTES)(request, response),
			);
		}
	});
	expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
});

describe('a download that breaks', () => {
	lapseTime(10);

	const ETAG = { etag: '"v1"' };

	beforeEach(() => {
		service.answerWith(serving(() => runWith(`${store.url}/1`, { file_size: BYTES.length })));
	});

	it('is taken up where it broke off', async () => {
		store.answerWith(inTurn(cutting(BYTES, 150_000, ETAG), sending(BYTES, ETAG)));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		const resumed = store.received[1]?.headers;
		expect(resumed?.range).toMatch(/^bytes=[1-9]\d*-$/);
		expect(resumed?.['if-range']).toBe('"v1"');
	});

	it('is taken up again and again', async () => {
		const cut = cutting(BYTES, 90_000, ETAG);
		store.answerWith(inTurn(cut, cut, cut, sending(BYTES, ETAG)));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(store.received).toHaveLength(4);
	});

	it('is repeated where the server sends no parts', async () => {
		const whole: Handler = (_, response) => void response.writeHead(200).end(BYTES);
		store.answerWith(inTurn(cutting(BYTES, 150_000), whole));
		const run = await download();
		expect(BYTES.equals(await bytesOf(run))).toBe(true);
		expect(itemOf(run).json.files).toMatchObject([{ size: BYTES.length }]);
	});

	it('is not patched together from two versions of the file', async () => {
		const kept = stored();
		store.answerWith(inTurn(cutting(BYTES, 150_000, ETAG), sending(BYTES, { etag: '"v2"' })));
		const run = await download();
		expect(run.error?.message).toContain('it changed during the download');
		expect(stored()).toEqual(kept);
	});

	it('is not patched together with a part that was not asked for', async () => {
		store.answerWith(
			inTurn(cutting(BYTES, 150_000), (_, response) => {
				response.writeHead(206, { 'content-range': `bytes 7-${BYTES.length - 1}/${BYTES.length}` });
				response.end(BYTES.subarray(7));
			}),
		);
		const run = await download();
		expect(run.error?.message).toContain('it changed during the download');
	});

	it('is found out by its size where its end is not announced', async () => {
		const short: Handler = (_, response) => {
			response.writeHead(200, { 'transfer-encoding': 'chunked' });
			response.end(BYTES.subarray(0, 1000));
		};
		store.answerWith(inTurn(short, sending(BYTES)));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(store.received[1]?.headers.range).toBe('bytes=1000-');
	});

	it('ends with a message that names the file and the run, and leaves nothing behind', async () => {
		const kept = stored();
		store.answerWith((request) => void request.socket.destroy());
		const run = await download();
		expect(run.error?.message).toMatch(
			/^The file "archive\.bin" of run 9001 could not be downloaded: /,
		);
		expect(store.received).toHaveLength(5);
		expect(stored()).toEqual(kept);
	});

	it('is taken up again where the server gives less than it was asked for', async () => {
		const some: Handler = (request, response) => {
			const from = rangeStart(request) ?? 0;
			const part = BYTES.subarray(from, from + 200_000);
			response.writeHead(206, {
				'content-length': part.length,
				'content-range': `bytes ${from}-${from + part.length - 1}/${BYTES.length}`,
			});
			response.end(part);
		};
		store.answerWith(inTurn(cutting(BYTES, 150_000), some));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
	});

	it('is not taken up where the server does not say which part it sends', async () => {
		const unnamed: Handler = (_, response) =>
			void response.writeHead(206).end(BYTES.subarray(150_000));
		store.answerWith(inTurn(cutting(BYTES, 150_000), unnamed));
		const run = await download();
		expect(run.error?.message).toContain('it changed during the download');
	});

	it('and has no time left when it is asked for the last time is told of like any that is late', async () => {
		const busy: Handler = (_, response) =>
			void response.writeHead(503, { 'retry-after': '0' }).end();
		store.answerWith(inTurn(busy, busy, busy, busy, endTimeForFiles));
		const run = await fixture.run('downloadInTime', { options: { downloadFiles: ['other'] } });
		expect(itemOf(run).json.files).toEqual([{ name: 'archive.bin', error: LATE }]);
	});

	it('is asked for again when the server is busy', async () => {
		const busy: Handler = (_, response) =>
			void response.writeHead(429, { 'retry-after': '0' }).end();
		store.answerWith(inTurn(busy, busy, sending(BYTES)));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
	});
});

describe('a link that has expired', () => {
	const gone: Handler = (_, response) => void response.writeHead(403).end('<Error/>');

	it('is renewed by reading the run again', async () => {
		let reading = 0;
		service.answerWith(serving(() => runWith(`${store.url}/${++reading}`)));
		store.answerWith((request, response) =>
			(request.url === '/2' ? sending(BYTES) : gone)(request, response),
		);
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(store.received.map(({ url }) => url)).toEqual(['/1', '/2']);
	});

	it('is renewed in the middle of a download', async () => {
		let reading = 0;
		service.answerWith(serving(() => runWith(`${store.url}/${++reading}`)));
		store.answerWith(inTurn(cutting(BYTES, 150_000), gone, sending(BYTES)));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(store.received.map(({ url }) => url)).toEqual(['/1', '/1', '/2']);
		expect(store.received[2]?.headers.range).toMatch(/^bytes=\d+-$/);
	});

	it('and for which the run gives no newer one is named with its time', async () => {
		const expired = { expires_at: Date.UTC(2026, 0, 31, 9, 5) };
		service.answerWith(serving(() => runWith(`${store.url}/1`, expired)));
		store.answerWith(gone);
		const run = await download();
		expect(run.error).toMatchObject({
			message:
				'The file "archive.bin" of run 9001 could not be downloaded: its link expired on 2026-01-31 at 09:05 UTC, and the run gave no newer one (its server answered with HTTP status 403)',
			description: expect.stringContaining('Run the bot again'),
			context: { data: { task_id: '9001', file: 'archive.bin' } },
		});
	});

	it('at a time nobody knows is told from a file that is refused in spite of a new link', async () => {
		service.answerWith(serving(() => runWith(`${store.url}/1`)));
		store.answerWith(gone);
		expect((await download()).error?.message).toMatch(
			/ 403\. Its link may have expired, and the run gave no newer one$/,
		);
		let reading = 0;
		service.answerWith(serving(() => runWith(`${store.url}/${++reading}`)));
		expect((await download()).error?.message).toMatch(
			/could not be downloaded: its server answered with HTTP status 403$/,
		);
	});

	it('is not even tried when it is known to have expired', async () => {
		let reading = 0;
		service.answerWith(
			serving(() => runWith(`${store.url}/${++reading}`, { expires_at: reading > 1 ? 9e12 : 1 })),
		);
		store.answerWith(sending(BYTES));
		expect(BYTES.equals(await bytesOf(await download()))).toBe(true);
		expect(store.received.map(({ url }) => url)).toEqual(['/2']);
	});

	it('is renewed once for all files of the run', async () => {
		let reading = 0;
		service.answerWith(
			serving(() => {
				reading += 1;
				const link = (name: string) => ({ download_url: `${store.url}/${reading}/${name}` });
				return {
					task_id: '9001',
					output_files: { json: link('a'), csv: link('b'), md: link('c') },
				};
			}),
		);
		store.answerWith((request, response) =>
			(request.url?.startsWith('/2/') ? sending(BYTES) : gone)(request, response),
		);
		const run = await download();
		expect(Object.keys(itemOf(run).binary ?? {})).toEqual(['json', 'csv', 'md']);
		expect(reading).toBe(2);
		expect(
			store.received.map(({ url }) => url).filter((url) => url.startsWith('/2/')),
		).toHaveLength(3);
	});

	it('is given up after that', async () => {
		service.answerWith(serving(() => runWith(`${store.url}/1`)));
		store.answerWith(gone);
		await download();
		expect(service.received).toHaveLength(2);
		expect(store.received).toHaveLength(2);
	});
});

describe('a file that is too large', () => {
	const limit = { maxFileSize: 0.25 };
	const message =
		'The file "archive.bin" of run 9001 could not be downloaded: it is larger than 0.25 MB';

	it('is not asked for when the run tells its size', async () => {
		service.answerWith(serving(() => runWith(`${store.url}/1`, { file_size: BYTES.length })));
		store.answerWith(sending(BYTES));
		expect((await download(limit)).error?.message).toBe(message);
		expect(store.received).toEqual([]);
	});

	it('is not read when its server tells its size', async () => {
		service.answerWith(serving(() => runWith(`${store.url}/1`)));
		store.answerWith((_, response) => {
			response.writeHead(200, { 'content-length': 1e9 });
			response.write(BYTES.subarray(0, 100));
		});
		expect((await download(limit)).error?.message).toBe(message);
		await until(() => store.broken === 1, 'the end of the connection');
	});

	it('is broken off where nobody tells its size, and nothing is kept of it', async () => {
		const kept = stored();
		service.answerWith(serving(() => runWith(`${store.url}/1`)));
		store.answerWith((_, response) => {
			const more = (): void => {
				while (!response.destroyed && response.write(BYTES));
			};
			response.on('drain', more);
			more();
		});
		expect((await download(limit)).error?.message).toBe(message);
		await until(() => store.broken === 1, 'the end of the connection');
		expect(stored()).toEqual(kept);
	});

	it('is an item of its own where the node goes on after failures', async () => {
		service.answerWith((request, response) => {
			const taskId = request.url?.split('/').pop() ?? '';
			const size = taskId === '2' ? BYTES.length : 5;
			const run = { ...runWith(`${store.url}/1`, { file_size: size }), task_id: taskId };
			serving(() => run)(request, response);
		});
		store.answerWith(sending(Buffer.from('small')));
		const run = await fixture.run(
			'downloadFiles',
			{ taskId: chosen('={{ $json.id }}'), options: limit },
			{
				items: toItems({ id: '1' }, { id: '2' }, { id: '3' }),
				onError: 'continueRegularOutput',
			},
		);
		expect(
			itemsOf(run).map(({ json, pairedItem }) => [json.task_id ?? json.error, pairedItem]),
		).toEqual([
			['1', { item: 0 }],
			[expect.stringContaining('of run 2 could not be downloaded'), { item: 1 }],
			['3', { item: 2 }],
		]);
	});
});

it('a download is broken off when the execution is stopped', async () => {
	const kept = stored();
	service.answerWith(serving(() => runWith(`${store.url}/1`)));
	const stop = new AbortController();
	store.answerWith((_, response) => {
		response.writeHead(200, { 'content-length': 1e9 });
		response.write(BYTES, () => stop.abort());
	});
	const run = await download({}, { signal: stop.signal });
	expect(run.status).toBe('canceled');
	await until(() => store.broken === 1, 'the end of the connection');
	await until(() => stored().length === kept.length, 'the end of what was stored in part');
	expect(store.received).toHaveLength(1);
});

it('a store without room for the file is told of, and the connection closed', async () => {
	service.answerWith(serving(() => runWith(`${store.url}/1`)));
	store.answerWith((_, response) => {
		response.writeHead(200, { 'content-length': 1e9 });
		response.write(BYTES);
	});
	const run = await fixture.run('downloadIntoFullStore', {
		options: { downloadFiles: ['other'] },
	});
	expect(run.error?.message).toBe(
		'The file "archive.bin" of run 9001 could not be downloaded: ENOSPC: no space left on device',
	);
	expect(run.error?.description).toBe(
		'Check that n8n’s store for binary data has room, then try again.',
	);
	await until(() => store.broken === 1, 'the end of the connection');
});

it('a connection on which nothing comes is given up, and the rest is asked for again', async () => {
	service.answerWith(serving(() => runWith(`${store.url}/1`)));
	const content = Buffer.from('all of it');
	const silent: Handler = (_, response) => {
		response.writeHead(200, { 'content-length': content.length });
		response.write(content.subarray(0, 4));
	};
	store.answerWith(inTurn(silent, sending(content)));
	const run = await fixture.run('readImpatiently');
	expect(itemOf(run).json).toEqual({ fileName: 'archive.bin', text: 'all of it' });
	expect(store.received[1]?.headers.range).toBe('bytes=4-');
	await until(() => store.broken === 1, 'the end of the connection');
});

it('a connection on which nothing ever comes is told of, once it was tried five times', async () => {
	service.answerWith(serving(() => runWith(`${store.url}/1`)));
	store.answerWith((_, response) => void response.writeHead(200).flushHeaders());
	const { error } = await fixture.run('readImpatiently');
	expect(error?.message).toContain('no data came for 0.2 seconds');
	expect(store.received).toHaveLength(5);
	await until(() => store.broken === 5, 'the end of the connections');
});

it('a file that is not here in time, or not at all, is told of; the others come', async () => {
	const url = (path: string) => ({ download_url: `${store.url}/${path}` });
	service.answerWith(
		serving(() => ({
			task_id: '9001',
			status: 'finished',
			output_files: {
				json: url('gone'),
				csv: url('quick.csv'),
				md: url('slow.md'),
				xml: url('slow.xml'),
			},
			download_files: [url('slow'), url('slow'), url('last')],
		})),
	);
	const kept = stored();
	store.answerWith((request, response) => {
		if (request.url === '/quick.csv') sending(Buffer.from('a'))(request, response);
		else if (request.url?.startsWith('/slow')) response.writeHead(200).write('slow');
		else notFound(request, response);
	});
	const running = fixture.run('downloadInTime', {
		options: { downloadFiles: ['csv', 'json', 'md', 'xml', 'other'] },
	});
	// The quick file is two files in the store, each of the slow ones the beginning of one.
	await until(() => stored().length === kept.length + 2 + 4, 'four files that have begun');
	endTimeForFiles();
	const run = await running;
	expect(itemOf(run).json.files).toEqual([
		{ name: 'json', error: expect.stringContaining('could not be downloaded') },
		expect.objectContaining({ name: 'quick.csv', property: 'csv' }),
		{ name: 'md', error: LATE },
		{ name: 'xml', error: LATE },
		{ name: 'file_1', error: LATE },
		{ name: 'file_2', error: LATE },
		{ name: 'file_3', error: LATE },
	]);
	await until(() => store.broken === 4, 'the end of the connections');
	await until(() => stored().length === kept.length + 2, 'only the quick file in the store');
	expect(store.received.map(({ url: path }) => path)).not.toContain('/last');
});

afterEach(() => fixture.reset());

describe('one file of several that cannot be downloaded', () => {
	const twoFiles = (): JsonObject => ({
		task_id: '9001',
		status: 'finished',
		output: [{ title: 'a' }, { title: 'b' }],
		download_files: [
			{ file_name: 'a.pdf', download_url: `${store.url}/gone` },
			{ file_name: 'b.pdf', download_url: `${store.url}/b` },
		],
	});
	const missing = {
		name: 'a.pdf',
		error: expect.stringMatching(/^The file "a\.pdf" of run 9001 could not be downloaded: /),
	};

	beforeEach(() => {
		service.answerWith(serving(twoFiles));
		store.answerWith((request, response) =>
			(request.url === '/b' ? sending(Buffer.from('b')) : notFound)(request, response),
		);
	});

	it('ends the node, unless told otherwise', async () => {
		const run = await download();
		expect(run.error?.message).toContain('The file "a.pdf" of run 9001');
	});

	it('ends the downloads of the others, too', async () => {
		store.answerWith((request, response) => {
			if (request.url === '/b') response.writeHead(200).write('b');
			else setImmediate(() => notFound(request, response));
		});
		const run = await download();
		expect(run.error?.message).toContain('The file "a.pdf" of run 9001');
		expect(store.broken).toBe(1);
	});

	it('is listed, and the others come', async () => {
		const run = await download({ ifFileFails: 'continue' });
		expect(itemOf(run).json.files).toEqual([
			missing,
			expect.objectContaining({ name: 'b.pdf', property: 'file_2' }),
		]);
		expect(String(await bytesOf(run, 'file_2'))).toBe('b');
	});

	it('is listed on the first row, too, where rows are wanted', async () => {
		const options = { downloadFiles: ['other'], ifFileFails: 'continue' };
		const run = await fixture.run('result', { output: 'rows', options });
		expect(itemsOf(run).map(({ json }) => json)).toEqual([
			{ title: 'a', files: [missing, expect.objectContaining({ name: 'b.pdf' })] },
			{ title: 'b' },
		]);
	});
});

describe('the input’s own files', () => {
	const text = (data: string): IBinaryData => ({
		data: Buffer.from(data).toString('base64'),
		mimeType: 'text/plain',
	});
	const items = (): INodeExecutionData[] => [
		{ json: {}, binary: { photo: text('photo'), file_1: text('input') } },
		{ json: {} },
	];

	beforeEach(() => {
		service.answerWith(serving(() => runWith(`${store.url}/1`)));
		store.answerWith(sending(Buffer.from('run')));
	});

	it('stay behind, unless told otherwise', async () => {
		const run = await download({}, { items: items() });
		expect(Object.keys(itemOf(run).binary ?? {})).toEqual(['file_1']);
	});

	it('go on beside those of the run, which come first where names are equal', async () => {
		const run = await download({ keepInputFiles: true }, { items: items() });
		const fields = itemsOf(run).map(({ binary }) => Object.keys(binary ?? {}).sort());
		expect(fields).toEqual([['file_1', 'photo'], ['file_1']]);
		expect(String(await bytesOf(run))).toBe('run');
		expect(binaryOf(run, 'photo')).toEqual(text('photo'));
	});

	it('go on with the result of a run on its first item', async () => {
		service.answerWith(serving(() => ({ ...runWith(''), output: [{ row: 1 }, { row: 2 }] })));
		const run = await fixture.run(
			'result',
			{ output: 'rows', options: { keepInputFiles: true } },
			{ items: items() },
		);
		const fields = itemsOf(run).map(({ binary }) => Object.keys(binary ?? {}));
		expect(fields.slice(0, 2)).toEqual([['photo', 'file_1'], []]);
	});
});
