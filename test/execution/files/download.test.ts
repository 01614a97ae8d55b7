import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { takeFile } from '../../../nodes/BrowserAutomation/execution/files/download';
import { downloadFilesOf } from '../../../nodes/BrowserAutomation/execution/files/downloadFiles';
import type { FileSettings } from '../../../nodes/BrowserAutomation/fields/files';
import { attempt } from '../../../nodes/BrowserAutomation/service/attempt';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import { forAllTests, type Handler } from '../../fixture';
import { lapseTime, skipTo, until } from '../../timeLapse';
import { insideNode } from '../insideNode';
import { FilesFixture, outcomeOf, stored } from './filesFixture';
import { inTurn, rangeStart, sending, serving } from './fileStore';

/** Larger than what goes through a connection at once, so that a cut leaves the end to be asked for. */
const BYTES = randomBytes(400_000);

const fixture = forAllTests(new FilesFixture());
const { service, store } = fixture;

lapseTime(10);

beforeEach(() => fixture.serveFiles([fixture.file()]));

const download = async (options = {}): Promise<unknown> =>
	outcomeOf(await fixture.download(options));

const answering =
	(status: number, headers: Record<string, string> = {}, body: Buffer | string = ''): Handler =>
	(_, response) =>
		void response.writeHead(status, headers).end(body);

const usual = { prefix: '', maxBytes: undefined };
const ALL: FileSettings = { ...usual, groups: ['json', 'other'], ifOneFails: 'fail' };

/** Puts the file of the run into n8n's store. */
async function storeFile(context: IExecuteFunctions): Promise<unknown> {
	const run = { task_id: '9001', download_files: [fixture.file()] };
	return await downloadFilesOf(fixture.reading(context, run), ALL);
}

const cut = sending(BYTES, {}, 150_000);

it('a file is named by the run, else by its server, else by its link, else by its run and its place', async () => {
	const disposition = { 'content-disposition': 'attachment; filename="told.txt"' };
	const file = Buffer.from('a');
	store.answerWith((request, response) =>
		sending(file, request.url === '/told' ? disposition : {})(request, response),
	);
	const links = ['told', 'linked.txt?key=1', ''].map((path) => `${store.url}/${path}`);
	fixture.serveFiles([
		{ file_name: 'mine.txt', download_url: `${store.url}/told` },
		...links.map((link) => ({ download_url: link })),
	]);
	const names = ['mine.txt', 'told.txt', 'linked.txt', '9001_file_4'];
	expect(await download()).toMatchObject(names.map((name) => ({ name })));
});

it('a file of exactly the largest size is downloaded, one of a byte more is not', async () => {
	const limit = 262_144;
	const inMb = { maxFileSize: limit / 1024 ** 2 };
	for (const answer of [(bytes: Buffer) => answering(200, {}, bytes), sending]) {
		store.answerWith(answer(Buffer.alloc(limit)));
		expect(await download(inMb)).toMatchObject([{ size: limit }]);
		store.answerWith(answer(Buffer.alloc(limit + 1)));
		expect(await download(inMb)).toBe('it is larger than 0.25 MB');
	}
	fixture.serveFiles([fixture.file('1', { file_size: limit })]);
	store.answerWith(sending(Buffer.alloc(limit)));
	expect(await download(inMb)).toMatchObject([{ size: limit }]);
});

describe('a file is whole, although its server', () => {
	const some: Handler = (request, response) => {
		const from = rangeStart(request) ?? 0;
		const part = BYTES.subarray(from, from + 200_000);
		const range = `bytes ${from}-${from + part.length - 1}/${BYTES.length}`;
		response.writeHead(206, { 'content-length': part.length, 'content-range': range }).end(part);
	};
	const empty: Handler = (_, response) => {
		response.writeHead(200, { 'content-length': BYTES.length }).flushHeaders();
		response.destroy();
	};
	const short = answering(200, { 'transfer-encoding': 'chunked' }, BYTES.subarray(0, 1_000));
	const weak = [sending(BYTES, { etag: 'W/"1"' }, 150_000), sending(BYTES, { etag: 'W/"2"' })];
	const cutShort: Handler[] = Array(6).fill(sending(BYTES, {}, 60_000));
	const slow: Handler = (_, response) => {
		response.writeHead(200, { 'content-length': BYTES.length });
		response.write(BYTES.subarray(0, 1_000));
		void sleep(3_000).then(() => response.end(BYTES.subarray(1_000)));
	};

	it.each<[string, Handler[], number?]>([
		['breaks off again and again', [...cutShort, sending(BYTES)]],
		['breaks off before the first byte', [empty, sending(BYTES)]],
		['sends no parts', [cut, answering(200, {}, BYTES)]],
		['gives less than it was asked for', [cut, some, some]],
		['ends it without saying that there is more', [short, sending(BYTES)], BYTES.length],
		['tells of less than the run does', [cut, sending(BYTES)], BYTES.length + 1],
		['gives it a weak version, which says nothing of the bytes', weak],
		['sends nothing for some seconds', [slow]],
	])('%s', async (_, answers, size = 0) => {
		fixture.serveFiles([fixture.file('1', { file_size: size })]);
		store.answerWith(inTurn(...answers));
		const starts: number[] = [];
		expect(BYTES.equals(await fixture.bytesOf(await fixture.download()))).toBe(true);
		for (const { headers } of store.received) {
			expect(headers['if-range']).toBeUndefined();
			starts.push(Number(headers.range?.slice(6, -1) ?? 0));
		}
		expect(starts).toHaveLength(answers.length);
		expect(starts).toEqual([...starts].sort((one, other) => one - other));
	});
});

describe('a file is not put together where its server', () => {
	const CHANGED = 'it changed during the download';
	const first = sending(BYTES, { etag: '"1"' }, 150_000);
	const longer = sending(Buffer.concat([BYTES, BYTES]));
	const range = { 'content-range': `bytes 7-${BYTES.length - 1}/${BYTES.length}` };

	it.each<[string, Handler[], string]>([
		['begins with a part', [answering(206)], 'its server answered with HTTP status 206'],
		['knows no range', [answering(416)], 'its server answered with HTTP status 416'],
		['knows no range any more', [cut, answering(416)], CHANGED],
		['tells of another size', [cut, longer], CHANGED],
		['tells of another version', [first, sending(BYTES, { etag: '"2"' })], CHANGED],
		['sends another part', [cut, answering(206, range, BYTES.subarray(7))], CHANGED],
		['does not say which part it sends', [cut, answering(206, {}, BYTES)], CHANGED],
	])('%s', async (_, answers, reason) => {
		const kept = stored();
		store.answerWith(inTurn(...answers));
		expect(await download()).toBe(reason);
		expect(stored()).toEqual(kept);
	});
});

it('a server’s answer that there is no more ends the file, however large the run says that it is', async () => {
	const whole = answering(200, {}, BYTES.subarray(0, 800));
	fixture.serveFiles([fixture.file('1', { file_size: 1_000 })]);
	store.answerWith(inTurn(whole, answering(416, { 'content-range': 'bytes */800' })));
	expect(await download()).toMatchObject([{ size: 800 }]);
	for (const headers of [{}, { 'content-range': 'bytes */700' }]) {
		store.answerWith(inTurn(whole, answering(416, headers, '<Error/>')));
		expect(await download()).toBe('it ended after 800 of 1000 bytes');
	}
});

it('a file is asked for as it is, and may come compressed all the same, with a size that is not its own', async () => {
	store.answerWith(sending(gzipSync('a'), { 'content-encoding': 'gzip' }));
	expect(await download()).toMatchObject([{ size: 1 }]);
	expect(store.received[0]?.headers['accept-encoding']).toBe('identity');
});

describe('the words of a server that gives no file', () => {
	const refusing = (body: (response: ServerResponse) => void): Handler => {
		return (_, response) => {
			response.writeHead(402, { 'content-type': 'application/json' });
			body(response);
		};
	};

	it('are shown where it is the service itself', async () => {
		const refusal = JSON.stringify({ code: 7, msg: 'Pay “Äpfel” first', data: null });
		store.answerWith(refusing((response) => response.end(refusal)));
		expect(await download()).toContain('Pay “Äpfel” first');
	});

	it('are not read to their end where that is far', async () => {
		store.answerWith(refusing(sendWithoutEnd));
		expect(await download()).toBe('its server answered with HTTP status 402');
		await until(() => store.broken === 1, 'the end of the connection');
	});

	it('are none where the connection breaks', async () => {
		store.answerWith(refusing((response) => response.write('{"code":7', () => response.destroy())));
		expect(await download()).toBe('its server answered with HTTP status 402');
	});
});

function sendWithoutEnd(response: ServerResponse): void {
	const more = (): void => {
		while (!response.destroyed && response.write(BYTES));
	};
	response.on('drain', more);
	more();
}

describe('a file that is too large', () => {
	const limit = { maxFileSize: 0.25 };
	const reason = 'it is larger than 0.25 MB';

	it('is not asked for when the run tells its size', async () => {
		fixture.serveFiles([fixture.file('1', { file_size: BYTES.length })]);
		store.answerWith(sending(BYTES));
		expect(await download(limit)).toBe(reason);
		expect(store.received).toEqual([]);
	});

	it.each<[string, (response: ServerResponse) => void]>([
		[
			'is not read when its server tells its size',
			(response) => response.writeHead(200, { 'content-length': 1e9 }).write('some'),
		],
		['is broken off where nobody tells its size, and nothing is kept of it', sendWithoutEnd],
	])('%s', async (_, send) => {
		const kept = stored();
		store.answerWith((__, response) => send(response));
		expect(await download(limit)).toBe(reason);
		await until(() => store.broken === 1, 'the end of the connection');
		expect(stored()).toEqual(kept);
	});
});

describe('a link that is turned down', () => {
	const file = (path: string, further: JsonObject = {}) => [fixture.file(path, further)];
	const AT = { expires_at: Date.UTC(2026, 0, 31, 9, 5) };
	const DELETED = { file_name: 'archive.bin', status: 'deleted' };
	const EXPIRED =
		/^its link expired on 2026-01-31 at 09:05 UTC, and the run gave no newer one \(.*403\)$/;
	const UNKNOWN = / 403\. Its link may have expired, and the run gave no newer one$/;
	const REFUSED = /^its server answered with HTTP status 403$/;

	it.each<[string, () => JsonObject[][], RegExp]>([
		['at a time nobody knows', () => [file('a')], UNKNOWN],
		['and is gone when the run is read again', () => [file('a'), []], UNKNOWN],
		['as is the newer one', () => [file('a'), file('b')], REFUSED],
		['of one that is gone', () => [file('a'), [DELETED]], / link to it \(deleted\)$/],
		['as it has expired', () => [file('a', AT)], EXPIRED],
		['as is the newer one, which has expired', () => [file('a'), file('b', AT)], EXPIRED],
	])('%s', async (_, readings, reason) => {
		fixture.serveFiles(...readings());
		store.answerWith(answering(403, {}, '<Error/>'));
		const run = await fixture.download();
		expect(outcomeOf(run)).toMatch(reason);
		expect(run.error).toHaveProperty('context.data.task_id', '9001');
		expect(service.received).toHaveLength(2);
		expect(store.received.length).toBeLessThanOrEqual(2);
	});

	it('is asked for anew for later files, too, when the newer links expire in their turn', async () => {
		const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
		const links = (reading: number) =>
			files.map((name) => ({ download_url: `${store.url}/${reading}/${name}` }));
		fixture.serveFiles(links(1), links(2), links(3));
		// The first links never work, the second ones for the first four files.
		store.answerWith((request, response) => {
			const [, at = '', name = ''] = request.url?.split('/') ?? [];
			const works = at === '3' || (at === '2' && files.indexOf(name) < 4);
			const answer = works ? sending(Buffer.from(name)) : answering(403);
			if (at !== '1' || name !== 'b') return answer(request, response);
			// This one is turned down when the others have newer links already.
			const isRenewed = () => store.received.some(({ url }) => url.startsWith('/2/'));
			void until(isRenewed, 'newer links').then(() => answer(request, response));
		});
		expect(await download()).toMatchObject(files.map((name) => ({ name, size: 1 })));
		expect(service.received).toHaveLength(3);
		expect(store.received.map(({ url }) => url)).toContain('/2/b');
	});

	it('is given up with the service’s words where it answers with no run', async () => {
		const run = { task_id: '9001', download_files: file('a') };
		const readings = [serving(() => run), answering(200, {}, '[]')];
		service.answerWith(inTurn(...readings));
		store.answerWith(answering(403));
		expect(await download()).toBe('The service’s answer is no object');
	});
});

it('a pause that a busy server asks for is kept', async () => {
	const times: number[] = [];
	store.answerWith((request, response) => {
		times.push(Date.now());
		const busy = answering(503, { 'retry-after': '20' });
		(times.length > 1 ? sending(BYTES) : busy)(request, response);
	});
	expect(await download()).toMatchObject([{ size: BYTES.length }]);
	const [first = 0, second = 0] = times;
	expect(second - first).toBeGreaterThanOrEqual(20_000);
});

describe('a connection', () => {
	/** Reads the file as text, from a connection on which nothing may come for a fifth of a second only. */
	const readImpatiently = async () =>
		await insideNode(async (context) => {
			const order = fixture.order(context);
			return await attempt(takeFile(order, async ({ bytes }) => await text(bytes), 200));
		});

	it('on which nothing comes is given up, and the rest is asked for again', async () => {
		const content = Buffer.from('all of it');
		const silent: Handler = (_, response) => {
			response.writeHead(200, { 'content-length': content.length });
			response.write(content.subarray(0, 4));
		};
		store.answerWith(inTurn(silent, sending(content)));
		expect(await readImpatiently()).toEqual({ ok: true, value: 'all of it' });
		expect(store.received[1]?.headers.range).toBe('bytes=4-');
		await until(() => store.broken === 1, 'the end of the connection');
	});

	it('on which nothing ever comes is reported, once it was tried five times', async () => {
		store.answerWith((_, response) => void response.writeHead(200).flushHeaders());
		const message = expect.stringContaining('no data came for 0.2 seconds');
		expect(await readImpatiently()).toMatchObject({ error: { message } });
		expect(store.received).toHaveLength(5);
		await until(() => store.broken === 5, 'the end of the connections');
	});

	it('is not given up while n8n’s store takes minutes for the bytes that came', async () => {
		store.answerWith(sending(BYTES));
		const size = await insideNode(
			async (context) =>
				await takeFile(fixture.order(context), async ({ bytes, size: sizeNow }) => {
					const pieces = bytes[Symbol.asyncIterator]();
					await pieces.next();
					skipTo(Date.now() + 300_000);
					// Connections are checked every second.
					await sleep(2_000);
					while ((await pieces.next()).done !== true);
					return sizeNow();
				}),
		);
		expect(size).toBe(BYTES.length);
		expect(store.received).toHaveLength(1);
	});

	it('is closed where n8n’s store has no room, and that is reported', async () => {
		store.answerWith((_, response) => {
			response.writeHead(200, { 'content-length': 1e9 });
			response.write(BYTES);
		});
		const storing = await insideNode(async (context) => {
			const full = new Error('ENOSPC: no space left on device');
			context.helpers.prepareBinaryData = async () => await Promise.reject(full);
			return await attempt(storeFile(context));
		});
		expect(storing).toMatchObject({
			error: {
				message:
					'The file "archive.bin" of run 9001 could not be downloaded: ENOSPC: no space left on device',
				advice: 'Check that n8n’s store for binary data has room, then try again.',
			},
		});
		await until(() => store.broken === 1, 'the end of the connection');
	});
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
		return await storeFile(context);
	});
	expect(pieces).toEqual([BYTES.subarray(0, 10), BYTES.subarray(10, 30)]);
});

it('it is told where n8n gives a stream of a class that cannot make one', async () => {
	const storing = insideNode(async (context) => {
		const body = Object.defineProperty(Readable.from([BYTES]), 'constructor', { value: Object });
		context.helpers.httpRequest = async () =>
			await Promise.resolve({ statusCode: 200, headers: {}, body });
		return await storeFile(context);
	});
	const message = expect.stringContaining('This n8n gives streams of an unknown kind');
	await expect(storing).rejects.toMatchObject({ message });
});
