import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { sleep, type IExecuteFunctions, type INodeParameters } from 'n8n-workflow';

import {
	takeFile,
	type DownloadRequest,
} from '../../../nodes/BrowserAutomation/execution/files/download';
import {
	downloadFilesOf,
	storeFile,
	withWholeOutput,
	type RunReading,
} from '../../../nodes/BrowserAutomation/execution/files/downloadFiles';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { forAllTests, type Handler } from '../../fixture';
import { lapseTime, skipTo, until } from '../../timeLapse';
import { insideNode } from '../insideNode';
import { FilesFixture } from './filesFixture';
import { cutting, inTurn, rangeStart, sending, serving } from './fileStore';

jest.mock('n8n-workflow', () =>
	jest.requireActual<{ lapsed(): object }>('../../timeLapse').lapsed(),
);

/** Larger than what goes through a connection at once, so that a cut leaves the end to be asked for. */
const BYTES = Buffer.alloc(400_000, 'content');

const fixture = forAllTests(new FilesFixture());
const { service, store } = fixture;

lapseTime(10);

/** A finished run with these files. */
function serveFiles(...files: JsonObject[]): void {
	service.answerWith(serving(() => ({ task_id: '9001', download_files: files })));
}

/** The same run, with other files at each reading; the last ones again and again. */
function serveInTurn(...readings: JsonObject[][]): void {
	const answers = readings.map((files) =>
		serving(() => ({ task_id: '9001', download_files: files })),
	);
	service.answerWith(inTurn(...answers));
}

/** What came of the downloads: the list of files, or the end of the message about the one that failed. */
async function download(options: INodeParameters = {}): Promise<unknown> {
	const { outputs, error } = await fixture.run('downloadFiles', { options });
	if (error === undefined) return outputs[0]?.[0]?.json.files;
	return error.message.replace(/^The file .* of run 9001 could not be downloaded: /, '');
}

/** The order of a file in the store. */
function orderOf(context: IExecuteFunctions): DownloadRequest {
	return {
		context,
		serviceUrl: service.url,
		taskId: '9001',
		file: { key: 'file_1', group: 'other', url: `${store.url}/1` },
		renew: async () => await Promise.resolve(undefined),
		signal: undefined,
		maxBytes: Infinity,
		sizeAdvice: '',
	};
}

const refuse =
	(status: number): Handler =>
	(_, response) =>
		void response.writeHead(status).end();

describe('the name of a file', () => {
	beforeEach(() => {
		const disposition = { 'content-disposition': 'attachment; filename="told.txt"' };
		store.answerWith((request, response) =>
			sending(Buffer.from('a'), request.url?.includes('told') ? disposition : {})(
				request,
				response,
			),
		);
	});

	it.each([
		['of the run', { file_name: 'mine.txt' }, 'path/told', 'mine.txt'],
		['of its server, before that in the link', {}, 'path/told', 'told.txt'],
		['in the link', {}, 'path/linked.txt?key=1', 'linked.txt'],
		['made of the run and its place in it, where nobody names it', {}, '', '9001_file_1'],
	])('is the one %s', async (_, file, path, name) => {
		serveFiles({ ...file, download_url: `${store.url}/${path}` });
		expect(await download()).toMatchObject([{ name }]);
	});
});

it('a file of exactly the largest size is downloaded, one of a byte more is not', async () => {
	const limit = 262_144;
	const inMb = { maxFileSize: limit / 1024 ** 2 };
	const unannounced: Handler = (request, response) =>
		void response.writeHead(200).end(Buffer.alloc(request.url === '/more' ? limit + 1 : limit));
	const announced: Handler = (request, response) =>
		sending(Buffer.alloc(request.url === '/more' ? limit + 1 : limit))(request, response);
	for (const answer of [unannounced, announced]) {
		store.answerWith(answer);
		serveFiles({ download_url: `${store.url}/just`, file_size: limit });
		expect(await download(inMb)).toMatchObject([{ size: limit }]);
		serveFiles({ download_url: `${store.url}/more` });
		expect(await download(inMb)).toBe('it is larger than 0.25 MB');
	}
});

describe('what a server answers', () => {
	it('to a first request counts as no file where it is a part of one', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith((_, response) => void response.writeHead(206).end('part'));
		expect(await download()).toBe('its server answered with HTTP status 206');
	});

	it('about a range that is not in the file tells that the file has changed', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith(inTurn(cutting(BYTES, 150_000), refuse(416)));
		expect(await download()).toBe('it changed during the download');
	});

	it('ends the file where it is, however large the run says that it is', async () => {
		const bytes = BYTES.subarray(0, 800);
		const whole: Handler = (_, response) => void response.writeHead(200).end(bytes);
		const beyond = (headers: Record<string, string>): Handler => {
			return (_, response) => void response.writeHead(416, headers).end('<Error/>');
		};
		serveFiles({ download_url: `${store.url}/1`, file_size: 1_000 });
		store.answerWith(inTurn(whole, beyond({ 'content-range': 'bytes */800' })));
		expect(await download()).toMatchObject([{ size: 800 }]);
		store.answerWith(inTurn(whole, beyond({})));
		expect(await download()).toBe('it ended after 800 of 1000 bytes');
		store.answerWith(inTurn(whole, beyond({ 'content-range': 'bytes */700' })));
		expect(await download()).toBe('it ended after 800 of 1000 bytes');
	});

	it('about a range that nobody asked for tells nothing of the file', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith(refuse(416));
		expect(await download()).toBe('its server answered with HTTP status 416');
	});

	it('with another size after a break tells that the file has changed', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith(
			inTurn(cutting(BYTES, 150_000), sending(Buffer.concat([BYTES, Buffer.from('more')]))),
		);
		expect(await download()).toBe('it changed during the download');
	});

	it('may have a weak version, which says nothing of the bytes and is not sent back', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith(
			inTurn(cutting(BYTES, 150_000, { etag: 'W/"1"' }), sending(BYTES, { etag: 'W/"2"' })),
		);
		expect(await download()).toMatchObject([{ size: BYTES.length }]);
		expect(store.received[1]?.headers).toHaveProperty('range');
		expect(store.received[1]?.headers).not.toHaveProperty('if-range');
	});

	it('tells the size of the file better than the run does', async () => {
		serveFiles({ download_url: `${store.url}/1`, file_size: BYTES.length + 1 });
		store.answerWith(inTurn(cutting(BYTES, 150_000), sending(BYTES)));
		expect(await download()).toMatchObject([{ size: BYTES.length }]);
	});

	it('may be compressed, although nobody asked for that: a size that is told is not the file’s', async () => {
		const zipped = gzipSync('a');
		serveFiles({ download_url: `${store.url}/1` });
		store.answerWith(sending(zipped, { 'content-encoding': 'gzip' }));
		expect(await download()).toMatchObject([{ size: 1 }]);
	});

	it('may break off before its first byte, and is asked for again as a whole', async () => {
		serveFiles({ download_url: `${store.url}/1` });
		const empty: Handler = (_, response) => {
			response.writeHead(200, { 'content-length': BYTES.length }).flushHeaders();
			response.destroy();
		};
		store.answerWith(inTurn(empty, sending(BYTES)));
		expect(await download()).toMatchObject([{ size: BYTES.length }]);
		expect(store.received.map(({ headers }) => headers.range)).toEqual([undefined, undefined]);
	});
});

describe('the words of a server that gives no file', () => {
	const refusing = (body: (response: ServerResponse) => void): Handler => {
		return (_, response) => {
			response.writeHead(402, { 'content-type': 'application/json' });
			body(response);
		};
	};

	beforeEach(() => serveFiles({ download_url: `${store.url}/1` }));

	it('are told where it is the service itself', async () => {
		const refusal = JSON.stringify({ code: 7, msg: 'Pay “Äpfel” first', data: null });
		store.answerWith(refusing((response) => response.end(refusal)));
		expect(await download()).toContain('Pay “Äpfel” first');
	});

	it('are not read to their end where that is far', async () => {
		store.answerWith(
			refusing((response) => {
				const more = (): void => {
					while (!response.destroyed && response.write(BYTES));
				};
				response.on('drain', more);
				more();
			}),
		);
		expect(await download()).toBe('its server answered with HTTP status 402');
		await until(() => store.broken === 1, 'the end of the connection');
	});

	it('are none where the connection breaks', async () => {
		store.answerWith(refusing((response) => response.write('{"code":7', () => response.destroy())));
		expect(await download()).toBe('its server answered with HTTP status 402');
	});
});

describe('a link that was turned down, where the run was read again', () => {
	const link = (path: string): string => `${store.url}/${path}`;

	it('stays as it is where the run has the file no more', async () => {
		serveInTurn([{ file_name: 'a', download_url: link('a') }], []);
		store.answerWith(refuse(403));
		expect(await download()).toMatch(/ 403\. Its link may have expired, and the run gave no newer/);
		expect(store.received).toHaveLength(2);
	});

	it('is gone where the service has the file no more', async () => {
		serveInTurn([{ download_url: link('a') }], [{ status: 'deleted' }]);
		store.answerWith(refuse(404));
		expect(await download()).toBe('the service has no link to it (deleted)');
	});

	it('may be followed by one that has expired as well, which is told', async () => {
		const expired = { expires_at: Date.UTC(2026, 0, 31, 9, 5) };
		serveInTurn([{ download_url: link('a') }], [{ download_url: link('b'), ...expired }]);
		store.answerWith(refuse(403));
		expect(await download()).toMatch(/^its link expired on 2026-01-31 at 09:05 UTC/);
	});

	it('is read again for later files, too, when the newer links expire in their turn', async () => {
		const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
		let reading = 0;
		service.answerWith(
			serving(() => {
				reading += 1;
				const links = files.map((file) => ({ download_url: link(`${reading}/${file}`) }));
				return { task_id: '9001', download_files: links };
			}),
		);
		// The first links never work, the second ones for the first four files.
		store.answerWith((request, response) => {
			const [, at = '', file = ''] = request.url?.split('/') ?? [];
			const works = at === '3' || (at === '2' && files.indexOf(file) < 4);
			(works ? sending(Buffer.from(file)) : refuse(403))(request, response);
		});
		expect(await download()).toMatchObject(files.map((name) => ({ name, size: 1 })));
		expect(reading).toBe(3);
	});

	it('is given up with the service’s words where it answers with no run', async () => {
		service.answerWith(
			inTurn(
				serving(() => ({ task_id: '9001', download_files: [{ download_url: link('a') }] })),
				(_, response) => void response.writeHead(200).end('[]'),
			),
		);
		store.answerWith(refuse(403));
		expect(await download()).toBe('The service’s answer is no object');
	});
});

it('a pause that a busy server asks for is kept', async () => {
	serveFiles({ download_url: `${store.url}/1` });
	const times: number[] = [];
	store.answerWith((request, response) => {
		times.push(Date.now());
		if (times.length > 1) return sending(Buffer.from('a'))(request, response);
		response.writeHead(503, { 'retry-after': '20' }).end();
	});
	expect(await download()).toMatchObject([{ size: 1 }]);
	const [first = 0, second = 0] = times;
	expect(second - first).toBeGreaterThanOrEqual(20_000);
});

it('only what is missing is asked for after each break', async () => {
	serveFiles({ download_url: `${store.url}/1` });
	const starts: Array<number | undefined> = [];
	store.answerWith((request, response) => {
		starts.push(rangeStart(request));
		const answer = starts.length < 3 ? cutting(BYTES, 90_000) : sending(BYTES);
		answer(request, response);
	});
	expect(await download()).toMatchObject([{ size: BYTES.length }]);
	const [first, second = 0, third = 0] = starts;
	expect(first).toBeUndefined();
	expect(second).toBeGreaterThan(0);
	expect(third).toBeGreaterThan(second);
});

it('a server that sends nothing for some seconds is waited for', async () => {
	serveFiles({ download_url: `${store.url}/1` });
	store.answerWith((_, response) => {
		response.writeHead(200, { 'content-length': BYTES.length });
		response.write(BYTES.subarray(0, 1000));
		void sleep(3_000).then(() => response.end(BYTES.subarray(1000)));
	});
	expect(await download()).toMatchObject([{ size: BYTES.length }]);
	expect(store.received).toHaveLength(1);
});

it('a connection is not given up while n8n’s store takes minutes for the bytes that came', async () => {
	store.answerWith(sending(BYTES));
	const size = await insideNode(
		async (context) =>
			await takeFile(orderOf(context), async ({ bytes, size: sizeNow }) => {
				const pieces = bytes[Symbol.asyncIterator]();
				await pieces.next();
				skipTo(Date.now() + 300_000);
				// Connections are looked at every second.
				await sleep(2_000);
				while ((await pieces.next()).done !== true);
				return sizeNow();
			}),
	);
	expect(size).toBe(BYTES.length);
	expect(store.received).toHaveLength(1);
});

it('files come where n8n has no signal that an execution is stopped, also after a break', async () => {
	const output = 'a'.repeat(BYTES.length);
	const json = Buffer.from(JSON.stringify(output));
	store.answerWith(inTurn(cutting(json, 150_000), sending(json)));
	const run = { task_id: '9001', output_files: { json: { download_url: store.url } } };
	const client = { baseUrl: service.url, send: async () => await Promise.resolve(run) };
	const [whole, { list }] = await insideNode(
		async (context) => {
			const request = { method: 'GET' as const, path: '/' };
			const reading: RunReading = { context, client, request, run };
			const settings = { groups: ['json' as const], prefix: '', ifOneFails: 'fail' as const };
			return [await withWholeOutput(reading), await downloadFilesOf(reading, settings)] as const;
		},
		{},
		{ getExecutionCancelSignal: undefined },
	);
	expect(whole.output).toBe(output);
	expect(list).toMatchObject([{ property: 'json', size: json.length }]);
});

it('n8n’s store can take a file in pieces of the size it likes', async () => {
	store.answerWith(sending(BYTES));
	const pieces: unknown[] = [];
	await insideNode(async (context) => {
		context.helpers.prepareBinaryData = async (stream) => {
			if (!(stream instanceof Readable)) throw new Error('This is no stream');
			await once(stream, 'readable');
			pieces.push(stream.read(10), stream.read(20));
			stream.destroy();
			return { data: '', mimeType: '' };
		};
		return await storeFile(orderOf(context));
	});
	expect(pieces).toEqual([BYTES.subarray(0, 10), BYTES.subarray(10, 30)]);
});

/** Can be read like a stream, but is of no class of Node's. */
class OddStream {
	on(): this {
		return this;
	}

	pipe(): void {}

	async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
		yield await Promise.resolve(BYTES);
	}
}

class OddlyNamed extends OddStream {
	static readonly from = 'elsewhere';
}

class MakerOfNone extends OddStream {
	static from(): object {
		return {};
	}
}

it.each([
	['cannot make one', new OddStream()],
	['only seems to', new OddlyNamed()],
	['makes something else', new MakerOfNone()],
])('it is told where n8n gives a stream of a class that %s', async (_, body) => {
	const storing = insideNode(async (context) => {
		context.helpers.httpRequest = async () =>
			await Promise.resolve({ statusCode: 200, headers: {}, body });
		return await storeFile(orderOf(context));
	});
	const message = expect.stringContaining('This n8n gives streams of an unknown kind');
	await expect(storing).rejects.toMatchObject({ message });
});
