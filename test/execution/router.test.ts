import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';

import { BrowserAutomationApi } from '../../credentials/BrowserAutomationApi.credentials';
import { BrowserAutomation } from '../../nodes/BrowserAutomation/BrowserAutomation.node';
import { createHarness, toItems, type Harness, type RunOptions } from '../core/harness';

const NODE = 'n8n-nodes-browser-automation.browserAutomation';
const KEY = 'secret-key-4711';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

let server: Server;
let harness: Harness;
let handle: Handler;
let received: Array<{ method: string | undefined; url: string | undefined; key: unknown }>;

beforeAll(async () => {
	server = createServer((request, response) => {
		received.push({
			method: request.method,
			url: request.url,
			key: request.headers.authorization,
		});
		handle(request, response);
	});
	await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	const address = server.address();
	const port = typeof address === 'object' ? address?.port : undefined;
	harness = createHarness({
		nodes: { [NODE]: new BrowserAutomation() },
		credentialTypes: { browserAutomationApi: new BrowserAutomationApi() },
		credentials: {
			browserAutomationApi: { baseUrl: ` http://127.0.0.1:${port}/ `, apiKey: KEY },
		},
	});
});

afterAll(async () => {
	await new Promise((resolve) => server.close(resolve));
});

beforeEach(() => {
	received = [];
});

function answer(response: ServerResponse, status: number, body: unknown, headers = {}): void {
	response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
	response.end(JSON.stringify(body));
}

function getBot(further: Partial<RunOptions> = {}, options = {}): RunOptions {
	return {
		nodeType: NODE,
		parameters: {
			resource: 'bot',
			operation: 'get',
			botId: { __rl: true, mode: 'id', value: '={{ $json.bot }}' },
			options,
		},
		items: toItems({ bot: 'a' }),
		...further,
	};
}

describe('items', () => {
	it('come out in the order they came in, each paired with its own', async () => {
		handle = (request, response) => {
			const bot = request.url?.split('/').at(-1);
			setTimeout(() => answer(response, 200, { bot_id: bot }), bot === 'a' ? 60 : 0);
		};
		const run = await harness.run(
			getBot({
				items: toItems({ bot: 'a' }, { bot: 'b' }, { bot: 'c' }),
				probe: "{{ $('Start').item.json.bot }}",
			}),
		);
		expect(run.outputs[0]?.map(({ json }) => json.bot_id)).toEqual(['a', 'b', 'c']);
		expect(run.probed[0]).toEqual(['a', 'b', 'c']);
	});

	it('are never more under way at once than Concurrency says', async () => {
		let underWay = 0;
		let most = 0;
		handle = (request, response) => {
			most = Math.max(most, ++underWay);
			setTimeout(() => {
				underWay--;
				answer(response, 200, { bot_id: request.url?.split('/').at(-1) });
			}, 5);
		};
		const items = toItems(...Array.from({ length: 40 }, (_, index) => ({ bot: String(index) })));
		const run = await harness.run(getBot({ items }, { concurrency: 7 }));
		expect(run.outputs[0]).toHaveLength(40);
		expect(most).toBe(7);
	});

	it('are not begun any more after one has failed', async () => {
		handle = (_request, response) => answer(response, 400, { code: 10111, msg: 'no bot' });
		const items = toItems(...Array.from({ length: 40 }, (_, index) => ({ bot: String(index) })));
		const run = await harness.run(getBot({ items }, { concurrency: 2 }));
		expect(run.status).toBe('error');
		expect(received.length).toBeLessThanOrEqual(3);
	});

	it('that fail go to the error output with their input, the service’s code and its trace ID', async () => {
		handle = (request, response) =>
			request.url === '/v3/bots/b'
				? answer(response, 400, { code: 10111, msg: 'no such bot', data: null, traceId: 't-1' })
				: answer(response, 200, { bot_id: 'a' });
		const run = await harness.run(
			getBot({ items: toItems({ bot: 'a' }, { bot: 'b' }), onError: 'continueErrorOutput' }),
		);
		expect(run.outputs[0]?.map(({ json }) => json)).toEqual([{ bot_id: 'a' }]);
		expect(run.outputs[1]?.map(({ json }) => json)).toEqual([
			{
				bot: 'b',
				error: 'The bot does not exist: no such bot (code 10111)',
				message: expect.stringMatching(
					/^Choose the bot again(?!.*Trace.*Trace).* Trace ID: t-1\.$/,
				),
			},
		]);
	});
});

describe('errors', () => {
	it('say what happened, what to do, and never the key', async () => {
		handle = (_request, response) =>
			answer(response, 400, { code: 401, msg: 'invalid authorization', data: null });
		const { error } = await harness.run(getBot());
		expect(error).toMatchObject({
			message: 'The service does not accept the API key: invalid authorization (code 401)',
			description: expect.stringContaining('Open the credential'),
		});
		expect(JSON.stringify(error)).not.toContain(KEY);
	});

	it('show the words of an answer that is no exact envelope', async () => {
		handle = (_request, response) => response.writeHead(400).end('the bot is being edited');
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe(
			'The service refused the request: the bot is being edited (HTTP 400)',
		);
	});

	it('are not hidden by a success status, and a success is none for its code', async () => {
		handle = (_request, response) => answer(response, 200, { code: '10118' });
		const { error } = await harness.run(getBot());
		expect(error?.message).toContain('limit of running tasks is reached (code 10118)');
		handle = (_request, response) =>
			answer(response, 200, { code: 200, msg: 'OK', data: { bot_id: 'a' } });
		const run = await harness.run(getBot());
		expect(run.outputs[0]?.map(({ json }) => json)).toEqual([{ bot_id: 'a' }]);
	});

	it('name the item that they are about', async () => {
		handle = (request, response) =>
			request.url === '/v3/bots/b'
				? answer(response, 400, { code: 10111, msg: 'no bot', data: null })
				: answer(response, 200, { bot_id: 'a' });
		const run = await harness.run(getBot({ items: toItems({ bot: 'a' }, { bot: 'b' }) }));
		expect(run.error).toHaveProperty('context.itemIndex', 1);
	});

	it.each([
		['run', 'get'],
		['run', 'getStatus'],
		['run', 'cancel'],
		['run', 'resume'],
		['run', 'downloadFiles'],
		['task', 'get'],
		['task', 'getStatus'],
		['task', 'stop'],
		['task', 'resume'],
		['task', 'downloadFiles'],
	])('of one run name it: %s > %s', async (resource, operation) => {
		handle = (_request, response) =>
			answer(response, 400, { code: 10112, msg: 'no such run', data: null });
		const taskId = { __rl: true, mode: 'id', value: '={{ $json.id }}' };
		const setup = {
			nodeType: NODE,
			parameters: { resource, operation, taskId },
			items: toItems({ id: '9100004711' }),
		};
		const { error } = await harness.run(setup);
		expect(error).toMatchObject({
			description: expect.stringMatching(/ Its run: 9100004711\.$/),
			context: { data: { task_id: '9100004711', code: 10112 } },
		});
		const [item] =
			(await harness.run({ ...setup, onError: 'continueRegularOutput' })).outputs[0] ?? [];
		expect(item?.json).toMatchObject({
			message: expect.stringMatching(/ Its run: 9100004711\.$/),
			details: { task_id: '9100004711', code: 10112 },
		});
	});

	it('of a missing ID come before any request', async () => {
		const { error } = await harness.run(getBot({ items: toItems({ bot: '' }) }));
		expect(error?.message).toBe('Bot is missing');
		expect(received).toEqual([]);
	});

	it('say so when there is no service at the address', async () => {
		const { error } = await harness.run(
			getBot({
				credentials: { browserAutomationApi: { baseUrl: 'http://127.0.0.1:1', apiKey: KEY } },
			}),
		);
		expect(error?.message).toBe('The service could not be reached: the connection was refused');
	});

	it('say so when the answer is not JSON', async () => {
		handle = (_request, response) => response.end('<html>');
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe('The service’s answer is not JSON');
	}, 15_000);
});

describe('reads', () => {
	it('are tried again after a 429, when Retry-After says', async () => {
		handle = (_request, response) =>
			received.length === 1
				? answer(response, 429, {}, { 'Retry-After': '0' })
				: answer(response, 200, { bot_id: 'a' });
		const run = await harness.run(getBot());
		expect(run.outputs[0]?.[0]?.json).toEqual({ bot_id: 'a' });
		expect(received).toHaveLength(2);
	});

	it.each([
		['no content', 204, ''],
		['an empty body', 200, ''],
		['null', 200, 'null'],
		['nothing in the envelope', 200, '{"code":0,"msg":"ok","data":null}'],
		['an empty object', 200, '{}'],
		['a list', 200, '[]'],
		['an object without the ID', 200, '{"name":"a"}'],
	])('are tried again after %s, which is no bot', async (_, status, body) => {
		handle = (_request, response) =>
			received.length === 1
				? response.writeHead(status).end(body)
				: answer(response, 200, { bot_id: 'a' });
		const run = await harness.run(getBot());
		expect(run.outputs[0]?.[0]?.json).toEqual({ bot_id: 'a' });
		expect(received).toHaveLength(2);
	});

	it('say what is missing where no try brings it', async () => {
		handle = (_request, response) => response.writeHead(204).end();
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe('The service’s answer is empty');
		handle = (_request, response) => answer(response, 200, { total_count: 3 });
		const list = await harness.run(
			getBot({ parameters: { resource: 'bot', operation: 'getAll', options: {} } }),
		);
		expect(list.error?.message).toBe('The service’s answer has no list in it');
	}, 30_000);

	it('are not taken for what was asked for when they are about something else', async () => {
		handle = (_request, response) => answer(response, 200, { bot_id: 'b' });
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe('The service’s answer is about bot_id b, not a');
		expect(received).toHaveLength(1);
	});

	it.each(['runs', 'templates', 'regions'])(
		'of the bot "%s" would be of something else, and are not made',
		async (bot) => {
			const { error } = await harness.run(getBot({ items: toItems({ bot }) }));
			expect(error?.message).toBe(`Bot "${bot}" is not the ID of a bot`);
			expect(received).toEqual([]);
		},
	);

	it('follow no redirect, so that the key goes nowhere else', async () => {
		handle = (_request, response) => {
			response.writeHead(302, { Location: '/elsewhere' }).end();
		};
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe('The service sent the request elsewhere (HTTP 302)');
		expect(received.map(({ url }) => url)).toEqual(['/v3/bots/a']);
	});

	it('end when the execution is stopped', async () => {
		const stop = new AbortController();
		handle = () => stop.abort();
		const run = await harness.run(getBot({ signal: stop.signal }));
		expect(run.status).toBe('canceled');
		expect(received).toHaveLength(1);
	});
});

describe('changes', () => {
	const cancel: RunOptions = {
		nodeType: NODE,
		parameters: {
			resource: 'run',
			operation: 'cancel',
			taskId: { __rl: true, mode: 'id', value: '7' },
			options: {},
		},
	};

	it.each([500, 429, 401])(
		'are sent once, also when the service answers HTTP %i',
		async (status) => {
			handle = (_request, response) => answer(response, status, {});
			const run = await harness.run(cancel);
			expect(run.status).toBe('error');
			expect(received).toEqual([
				{ method: 'POST', url: '/v3/bots/runs/7/cancel', key: `Bearer ${KEY}` },
			]);
		},
	);

	it('are sent once, also when the connection breaks', async () => {
		handle = (request) => request.socket.destroy();
		const { error } = await harness.run(cancel);
		expect(error?.message).toBe('The service could not be reached: the connection broke');
		expect(received).toHaveLength(1);
	});
});
