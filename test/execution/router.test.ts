import { toItems, type Harness, type RunOptions } from '../core/harness';
import { actionNode, answerJson, apiCredential, chosen, createNodes } from '../fixture';
import { forAllTests, jsonOf, notFound, Origin } from '../fixture';
import { lapseTime } from '../timeLapse';

const KEY = 'secret-key-4711';

const service = forAllTests(new Origin());
let harness: Harness;

lapseTime();

beforeAll(() => (harness = createNodes({ url: ` ${service.url}/ `, key: KEY })));

beforeEach(() => service.answerWith(notFound));

function serve(status: number, body: unknown): void {
	service.answerWith((_request, response) => answerJson(response, status, body));
}

function atATime(requestsAtATime: number) {
	return apiCredential({ url: service.url, key: KEY }, { requestsAtATime });
}

function getBot(further: Partial<RunOptions> = {}): RunOptions {
	const parameters = { botId: chosen('={{ $json.bot }}') };
	return actionNode('bot', 'get', parameters, { items: toItems({ bot: 'a' }), ...further });
}

describe('items', () => {
	it('come out in the order they came in, each paired with its own', async () => {
		service.answerWith((request, response) => {
			const bot = request.url?.split('/').at(-1);
			setTimeout(() => answerJson(response, 200, { bot_id: bot }), bot === 'a' ? 60 : 0);
		});
		const items = toItems({ bot: 'a' }, { bot: 'b' }, { bot: 'c' });
		const run = await harness.run(getBot({ items, probe: "{{ $('Start').item.json.bot }}" }));
		expect(run.outputs[0]?.map(({ json }) => json.bot_id)).toEqual(['a', 'b', 'c']);
		expect(run.probed[0]).toEqual(['a', 'b', 'c']);
	});

	it('have one value each of what an expression fills in, also where it gives another one each time', async () => {
		service.answerWith((request, response) =>
			answerJson(response, 200, { bot_id: request.url?.split('/').at(-1) }),
		);
		const botId = chosen('={{ String(Math.random()).slice(2) }}');
		const items = toItems({}, {});
		const run = await harness.run(actionNode('bot', 'get', { botId, options: {} }, { items }));
		expect(new Set(jsonOf(run).map(({ bot_id: id }) => id)).size).toBe(2);
	});

	it('send no more requests at a time than the credential allows, for the pages of their lists neither', async () => {
		let [under, max] = [0, 0];
		service.answerWith((request, response) => {
			max = Math.max(max, ++under);
			const page = new URL(request.url ?? '', service.url).searchParams.get('page');
			const items = [{ bot_id: page }, { bot_id: `${page}b` }];
			const body = { items, total_count: 20, total_pages: 10 };
			setTimeout(() => {
				under -= 1;
				answerJson(response, 200, body);
			}, 10);
		});
		for (const [allowed, count] of [
			[1, 1],
			[2, 5],
		] as const) {
			max = 0;
			const items = toItems(...Array.from({ length: count }, () => ({})));
			const further = { items, credentials: atATime(allowed) };
			const run = await harness.run(actionNode('bot', 'getAll', { returnAll: true }, further));
			expect([run.outputs[0]?.length, max]).toEqual([20 * count, allowed]);
		}
	});

	it('are not begun any more after one has failed', async () => {
		serve(400, { code: 10111, msg: 'no bot' });
		const items = toItems(...Array.from({ length: 40 }, (_, index) => ({ bot: String(index) })));
		const run = await harness.run(getBot({ items, credentials: atATime(2) }));
		expect(run.status).toBe('error');
		expect(service.received.length).toBeLessThanOrEqual(3);
	});

	it('that change something are sent one after the other, up to the first that fails', async () => {
		let [under, max] = [0, 0];
		service.answerWith((request, response) => {
			max = Math.max(max, ++under);
			setTimeout(() => {
				under -= 1;
				const isRefused = request.url?.includes('/3/') === true;
				answerJson(response, isRefused ? 400 : 200, isRefused ? { code: 10112 } : { ok: true });
			}, 10);
		});
		const ids = ['1', '2', '3', '4'];
		const items = toItems(...ids.map((id) => ({ id })));
		const cancel = actionNode('run', 'cancel', { taskId: chosen('={{ $json.id }}') }, { items });
		expect((await harness.run(cancel)).error).toHaveProperty('context.itemIndex', 2);
		const path = (id: string): string => `/v3/bots/runs/${id}/cancel`;
		expect(service.received.map(({ url }) => url)).toEqual(ids.slice(0, 3).map(path));
		expect(max).toBe(1);
	});

	it('are checked before anything is sent', async () => {
		const items = toItems({ id: '1' }, { id: '' });
		const cancel = actionNode('run', 'cancel', { taskId: chosen('={{ $json.id }}') }, { items });
		expect((await harness.run(cancel)).error).toHaveProperty('context.itemIndex', 1);
		expect(service.received).toEqual([]);
	});

	it('that fail are named in the error, or go to the error output with their input, the service’s code and its trace ID', async () => {
		service.answerWith((request, response) =>
			request.url === '/v3/bots/b'
				? answerJson(response, 400, { code: 10111, msg: 'no such bot', data: null, traceId: 't-1' })
				: answerJson(response, 200, { bot_id: 'a' }),
		);
		const items = toItems({ bot: 'a' }, { bot: 'b' });
		expect((await harness.run(getBot({ items }))).error).toHaveProperty('context.itemIndex', 1);
		const run = await harness.run(getBot({ items, onError: 'continueErrorOutput' }));
		expect(jsonOf(run)).toEqual([{ bot_id: 'a' }]);
		expect(jsonOf(run, 1)).toEqual([
			{
				bot: 'b',
				error: 'The bot does not exist in this account: no such bot (code 10111)',
				message: expect.stringMatching(
					/^The credential is ".+"\. Choose a bot(?!.*Trace.*Trace).* Trace ID: t-1\.$/,
				),
			},
		]);
	});
});

describe('a credential whose key is an expression', () => {
	const items = toItems({ bot: 'a', key: 'A' }, { bot: 'b', key: 'B' });
	const ofItems = { url: '', key: '={{ $json.key }}' };
	const keys: string[] = [];

	beforeEach(() => {
		keys.length = 0;
		service.answerWith((request, response) => {
			keys.push(String(request.headers.authorization));
			const id = request.url?.split('/').at(-1) ?? '';
			const files = [{ file_name: 'a', download_url: `${service.url}/files/a` }];
			const run = { task_id: id, status: 'finished', download_files: files };
			answerJson(response, 200, { bot_id: id, name: 'a', ...run });
		});
	});

	it('is each item’s own, for files of the service’s host, too', async () => {
		const credentials = apiCredential({ ...ofItems, url: service.url });
		const run = await harness.run(getBot({ items, credentials }));
		expect(run.error).toBeUndefined();
		expect(keys.sort()).toEqual(['Bearer A', 'Bearer B']);
		keys.length = 0;
		const parameters = { taskId: chosen('={{ $json.bot }}') };
		await harness.run(actionNode('run', 'downloadFiles', parameters, { items, credentials }));
		expect(keys.sort()).toEqual(['Bearer A', 'Bearer A', 'Bearer B', 'Bearer B']);
	});

	it('reads the output schema of each item’s bot', async () => {
		const lead = { type: 'object', properties: { name: { type: 'string' } } };
		const schema = { type: 'object', properties: { leads: { type: 'array', items: lead } } };
		service.answerWith((request, response) => {
			const [, id = ''] = /\/(?:runs|bots)\/(\w)$/.exec(request.url ?? '') ?? [];
			const output = { leads: [{ name: id }, { name: id }], took: '3 s' };
			const isOwn = request.headers.authorization === `Bearer ${id.toUpperCase()}`;
			const record = { task_id: id, bot_id: id, status: 'finished', output, output_schema: schema };
			answerJson(response, isOwn ? 200 : 400, isOwn ? record : { code: 10111, msg: 'none' });
		});
		const credentials = apiCredential({ ...ofItems, url: service.url });
		const parameters = { taskId: chosen('={{ $json.bot }}'), output: 'rows' };
		const run = await harness.run(actionNode('run', 'get', parameters, { items, credentials }));
		expect(jsonOf(run)).toEqual([...'aabb'].map((name) => ({ name })));
	});

	it('is refused before anything is sent where the runs of a batch would need two accounts', async () => {
		const credentials = apiCredential({ ...ofItems, url: service.url });
		const parameters = { botId: chosen('={{ $json.bot }}'), inputMode: 'json', input: '{}' };
		const run = await harness.run(actionNode('bot', 'run', parameters, { items, credentials }));
		expect(run.error?.message).toContain('Item 1 has another API key');
		expect(run.error).toMatchObject({ description: expect.stringContaining('Loop Over Items') });
		expect(keys).toEqual([]);
	});

	it('is read once, and checked once, where it is none', async () => {
		const credentials = apiCredential({ url: service.url, key: KEY });
		const before = harness.credentials.decryptions;
		const many = Array.from({ length: 50 }, () => items).flat();
		await harness.run(getBot({ items: many, credentials }));
		expect(harness.credentials.decryptions - before).toBe(2);
		await harness.run(getBot({ credentials }));
		expect(harness.credentials.decryptions - before).toBe(3);
		expect(new Set(keys)).toEqual(new Set([`Bearer ${KEY}`]));
	});
});

describe('a credential that is missing', () => {
	const items = toItems({ bot: 'a' }, { bot: 'b' });
	const error = 'Node does not have any credentials set';

	const goingOn = ['continueRegularOutput', 'continueErrorOutput'] as const;

	it.each(goingOn)('is reported for each item with %s', async (onError) => {
		const isRegular = onError === 'continueRegularOutput';
		const run = await harness.run(getBot({ items, credentials: {}, onError }));
		const output = run.outputs[isRegular ? 0 : 1] ?? [];
		const expected = items.map((item, index) =>
			expect.objectContaining({
				json: isRegular ? { error, details: {} } : { ...item.json, error },
				pairedItem: { item: index },
			}),
		);
		expect(run.outputs.flat()).toEqual(expected);
		expect(output).toEqual(expected);
	});

	it('ends the node otherwise', async () => {
		const run = await harness.run(getBot({ items, credentials: {} }));
		expect(run.error?.message).toBe(error);
		expect(service.received).toEqual([]);
	});
});

it.each([
	...['get', 'getStatus', 'cancel', 'resume', 'downloadFiles'].map((name) => ['run', name]),
	...['get', 'getStatus', 'stop', 'resume', 'downloadFiles'].map((name) => ['task', name]),
])('errors of one run name it: %s > %s', async (resource = '', operation = '') => {
	serve(400, { code: 10112, msg: 'no such run', data: null });
	const items = toItems({ id: '9100004711' });
	const setup = actionNode(resource, operation, { taskId: chosen('={{ $json.id }}') }, { items });
	const { error } = await harness.run(setup);
	expect(error).toMatchObject({
		description: expect.stringMatching(/ Its run: 9100004711\.$/),
		context: { data: { task_id: '9100004711', code: 10112 } },
	});
	const [item] = jsonOf(await harness.run({ ...setup, onError: 'continueRegularOutput' }));
	expect(item).toMatchObject({
		message: expect.stringMatching(/ Its run: 9100004711\.$/),
		details: { task_id: '9100004711', code: 10112 },
	});
});

describe('reads', () => {
	it.each([
		['a 429, when Retry-After says', 429, ''],
		['an object without the ID', 200, '{"name":"a"}'],
	])('are tried again after %s', async (_, status, body) => {
		service.answerWith((_request, response) =>
			service.received.length === 1
				? response.writeHead(status, { 'Retry-After': '0' }).end(body)
				: answerJson(response, 200, { bot_id: 'a' }),
		);
		const run = await harness.run(getBot());
		expect(run.outputs[0]?.[0]?.json).toEqual({ bot_id: 'a' });
		expect(service.received).toHaveLength(2);
	});

	it('follow no redirect, so that the key goes nowhere else', async () => {
		service.answerWith((_request, response) => {
			response.writeHead(302, { Location: '/elsewhere' }).end();
		});
		const { error } = await harness.run(getBot());
		expect(error?.message).toBe('The service sent the request elsewhere (HTTP 302)');
		expect(service.received.map(({ url }) => url)).toEqual(['/v3/bots/a']);
	});

	it.each(['stopWorkflow', 'continueRegularOutput'] as const)(
		'end when the execution is stopped, also in a node that is set to %s',
		async (onError) => {
			const stop = new AbortController();
			service.answerWith(() => stop.abort());
			const run = await harness.run(getBot({ signal: stop.signal, onError }));
			expect(run.status).toBe('canceled');
			expect(JSON.stringify(run.outputs)).not.toContain('"error":');
			expect(service.received).toHaveLength(1);
		},
	);
});

it.each([500, 429, 401])('changes are sent once, also when answered HTTP %i', async (status) => {
	serve(status, {});
	const cancel = actionNode('run', 'cancel', { taskId: chosen('7'), options: {} });
	expect((await harness.run(cancel)).status).toBe('error');
	expect(service.received).toEqual([
		expect.objectContaining({
			...{ method: 'POST', url: '/v3/bots/runs/7/cancel' },
			headers: expect.objectContaining({ authorization: `Bearer ${KEY}` }),
		}),
	]);
});
