import {
	withDeadline,
	createClient,
	type WireRequest,
} from '../../../nodes/BrowserAutomation/service/http/client';
import { ConnectionError } from '../../../nodes/BrowserAutomation/service/errors';

const SECRET = 'key-1234567';

beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-01-31T09:00:00Z'));
	jest.spyOn(Math, 'random').mockReturnValue(1);
});

afterEach(() => jest.restoreAllMocks());

interface Answer {
	status?: number;
	headers?: Record<string, string>;
	body?: string | Buffer;
}

/** A client whose service answers so, one after the other; the last answer stays. */
function sceneOf(...answers: Array<Answer | Error>) {
	const sent: WireRequest[] = [];
	const pauses: number[] = [];
	const client = createClient({
		baseUrl: 'https://service.test/api',
		secret: SECRET,
		request: async (request) => {
			const answer = answers[Math.min(sent.length, answers.length - 1)] ?? {};
			sent.push(request);
			if (answer instanceof Error) throw answer;
			const { status = 200, headers = {}, body = '' } = answer;
			return { status, headers, bytes: Buffer.from(body) };
		},
		pause: async (milliseconds) => {
			pauses.push(milliseconds);
		},
	});
	return { client, send: client.send, sent, pauses };
}

const GET = { method: 'GET', path: '/v3/bots' } as const;
const POST = { method: 'POST', path: '/v3/bots/1/runs' } as const;

it('a request goes to the base URL with its query, and with its body as JSON if it has one', async () => {
	const { send, sent } = sceneOf();
	await send({ ...GET, query: { page: 2 }, headers: { 'X-Extra': '1' } });
	await send({ ...POST, body: { input: 'ä' } });
	const url = 'https://service.test/api/v3/bots';
	const usual = { timeoutMs: 60_000, maxBytes: 100 * 1024 ** 2 };
	const accepts = { Accept: 'application/json' };
	const headers = { ...accepts, 'Content-Type': 'application/json' };
	expect(sent).toEqual([
		{ ...usual, method: 'GET', url: `${url}?page=2`, headers: { ...accepts, 'X-Extra': '1' } },
		{ ...usual, method: 'POST', url: `${url}/1/runs`, headers, body: '{"input":"ä"}' },
	]);
});

describe('an answer', () => {
	it.each([
		['the data of an envelope', '{"code":0,"msg":"ok","data":{"a":1}}', { a: 1 }],
		['the data of an envelope that repeats HTTP’s 200', '{"code":200,"data":[1]}', [1]],
		['a resource of its own', '{"task_id":"9007199254740993"}', { task_id: '9007199254740993' }],
		['nothing', ' \n', undefined],
	])('is %s', async (_, body, expected) => {
		expect(await sceneOf({ body }).send(GET)).toEqual(expected);
	});

	it.each([200, 204, 299])('of status %i is a success', async (status) => {
		expect(await sceneOf({ status }).send(POST)).toBeUndefined();
	});

	it.each([
		[199, 'HTTP 199'],
		[300, 'sent the request elsewhere (HTTP 300)'],
		[399, 'sent the request elsewhere (HTTP 399)'],
		[400, 'The service refused the request (HTTP 400)'],
	])('of status %i is an error that says so', async (status, words) => {
		await expect(sceneOf({ status }).send(POST)).rejects.toMatchObject({
			message: expect.stringContaining(words),
			facts: { httpStatus: status },
		});
	});

	it.each([
		['<html>', '"<html>"'],
		[' words \n', '"words"'],
		['x'.repeat(200), `"${'x'.repeat(100)}"`],
	])('that is not JSON is an error: %s', async (body, shown) => {
		await expect(sceneOf({ body }).send(POST)).rejects.toThrow(
			`cannot be read as JSON, but begins with ${shown}`,
		);
	});

	it('that is taken as it came is not read', async () => {
		const { send } = sceneOf({ body: '<html>' });
		expect(await send({ ...POST, take: ({ status }) => status === 200 })).toBeUndefined();
		await expect(send({ ...POST, take: () => false })).rejects.toThrow('cannot be read as JSON');
	});

	it('tells the service’s time, if it does', async () => {
		const date = 'Sat, 31 Jan 2026 09:00:07 GMT';
		const { client } = sceneOf({ headers: { date } }, {});
		await client.send(POST);
		expect(client.lastDate?.()).toBe(Date.parse(date));
		await client.send(POST);
		expect(client.lastDate?.()).toBeUndefined();
	});

	it('that refuses, under whatever status, is shown without the key, which one that is fine may hold', async () => {
		const echo = `no bot for ${SECRET}`;
		for (const status of [400, 200]) {
			const body = JSON.stringify({ code: 10111, msg: echo, data: null });
			const refused = sceneOf({ status, body }).send(GET);
			await expect(refused).rejects.toMatchObject({
				message: expect.stringContaining('no bot for (hidden)'),
				facts: { code: 10111, msg: 'no bot for (hidden)', httpStatus: status },
			});
		}
		expect(await sceneOf({ body: JSON.stringify([echo]) }).send(GET)).toEqual([echo]);
	});
});

describe('after a failure that may pass', () => {
	const broken = new ConnectionError('the connection broke', true);

	it.each([
		['a fault', { status: 503 }],
		['a broken connection', broken],
		['an answer that is not JSON', { body: '<html>' }],
	])('(%s) a read is sent again, after longer and longer pauses', async (_, failure) => {
		const { send, sent, pauses } = sceneOf(failure, failure, failure, { body: '[1]' });
		expect(await send(GET)).toEqual([1]);
		expect(sent).toHaveLength(4);
		expect(pauses).toEqual([500, 1_000, 2_000]);
	});

	it.each([
		['is sent four times at most', 503, 4],
		['that is refused is not sent again', 404, 1],
	])('a read %s', async (_, status, times) => {
		const { send, sent } = sceneOf({ status });
		await expect(send(GET)).rejects.toMatchObject({ facts: { httpStatus: status } });
		expect(sent).toHaveLength(times);
	});

	it('a read waits as long as the service asks for', async () => {
		const date = { 'retry-after': 'Sat, 31 Jan 2026 09:00:05 GMT' };
		const { send, pauses } = sceneOf({ status: 429, headers: date }, { body: '[]' });
		await send(GET);
		expect(pauses).toEqual([5_000]);
	});
});

describe('the bounds of an answer', () => {
	const now = Date.parse('2026-01-31T09:00:00Z');

	it('are those of the request, else those of the client', async () => {
		const { send, sent } = sceneOf();
		const client = withDeadline({ baseUrl: '', send }, now + 3_000);
		await client.send(POST);
		await client.send({ ...POST, until: Infinity });
		expect(sent).toMatchObject([{ timeoutMs: 3_000 }, { timeoutMs: 60_000 }]);
	});

	it('let no request go out when its time is up', async () => {
		const { send, sent } = sceneOf();
		await expect(send({ ...POST, until: now })).rejects.toMatchObject({ mayHaveArrived: false });
		expect(sent).toEqual([]);
	});

	it('leave no pause that would outlast them', async () => {
		const { send, sent, pauses } = sceneOf({ status: 503 });
		const failed = { facts: { httpStatus: 503 } };
		await expect(send({ ...GET, until: now + 800 })).rejects.toMatchObject(failed);
		expect([sent.length, pauses]).toEqual([2, [500]]);
	});
});

describe('text of an answer', () => {
	const json = '{"name":"Köln"}';

	it.each([
		['iso-8859-1', Buffer.from(json, 'latin1')],
		['utf-16le', Buffer.from(json, 'utf16le')],
		['utf-8', Buffer.from(`\ufeff${json}`)],
	])('is read in the character set that it names: %s', async (charset, body) => {
		const headers = { 'content-type': `application/json; charset=${charset}` };
		expect(await sceneOf({ headers, body }).send(GET)).toEqual({ name: 'Köln' });
	});

	it.each([
		['that it does not name', 'application/json'],
		['that is not known', 'application/json; charset=klingon'],
	])('is refused rather than spoilt in a character set %s', async (_, contentType) => {
		const headers = { 'content-type': contentType };
		const { send } = sceneOf({ headers, body: Buffer.from(json, 'latin1') });
		await expect(send(POST)).rejects.toThrow('cannot be read as JSON');
	});

	it('of a refusal is read all the same', async () => {
		const body = Buffer.from('{"msg":"Köln is full"}', 'latin1');
		await expect(sceneOf({ status: 400, body }).send(POST)).rejects.toThrow('Köln is full');
	});
});
