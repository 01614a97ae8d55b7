import { loadDocument } from '../../dev/sandbox/document';
import type { ServiceDocument } from '../../dev/sandbox/document';
import type { Sandbox } from '../../dev/sandbox/server';
import { onSandbox, type Received, type Send } from './client';
import { sampleMaker } from './samples';
import type { Sample } from './samples';

let document: ServiceDocument;
let sandbox: Sandbox;
let send: Send;
let sampleFor: ReturnType<typeof sampleMaker>;

onSandbox({ durations: { created: null } }, (opened) => {
	({ sandbox, send } = opened);
	sampleFor = sampleMaker(sandbox, send);
});

beforeAll(async () => (document = await loadDocument()));

type Operation = ServiceDocument['operations'][number];

async function request({ method, path }: Operation, sample: Sample): Promise<Received> {
	const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => sample.path?.[name] ?? '');
	return await send(method.toUpperCase(), filled, sample);
}

/** Tries each operation of the document, and reports all that went wrong, by operation. */
async function inEachOperation(
	act: (operation: Operation, operationId: string) => Promise<string[]>,
): Promise<Record<string, string[]>> {
	const wrong: Record<string, string[]> = {};
	for (const operation of document.operations) {
		const { operationId = '' } = operation;
		const faults = await act(operation, operationId);
		if (faults.length > 0) wrong[operationId] = faults;
	}
	return wrong;
}

test('each operation answers a well-formed request as the document says', async () => {
	const wrong = await inEachOperation(async (operation, operationId) => {
		const { status, body, text } = await request(operation, await sampleFor(operation));
		return status === 200
			? document.checkResponse(operationId, status, body)
			: [`${status} ${text}`];
	});
	expect(wrong).toEqual({});
});

/** The limits of the interface: the last value that is accepted and the first that is not. */
test.each([
	['/v3/bots', 'limit', '100', '101'],
	['/v3/bots', 'limit', '1', '0'],
	['/v3/bots', 'page', '2147483647', '2147483648'],
	['/v3/bots', 'page', '1', '0'],
	['/v3/bots', 'keyword', 'x'.repeat(200), 'x'.repeat(201)],
	['/v3/bots/runs', 'limit', '100', '101'],
	['/v3/bots/templates', 'limit', '500', '501'],
	['/v3/bots/templates', 'keyword', 'x'.repeat(200), 'x'.repeat(201)],
	['/v2/workflow/list-workflows', 'limit', '500', '501'],
	['/v2/workflow/list-workflows', 'page', '1', '0'],
])('%s: the limit of %s', async (path, name, accepted, refused) => {
	expect((await send('GET', path, { query: { [name]: accepted } })).status).toBe(200);
	expect((await send('GET', path, { query: { [name]: refused } })).fields['code']).toBe(99001);
});

test('a refused request changes nothing', async () => {
	await send('POST', '/v3/bots/1008/runs', { body: { input: {}, surprise: 1 } });
	await send('POST', '/v3/bots/1008/runs', { body: { input: {} }, key: 'wrong' });
	expect(await sandbox.runs()).toEqual([]);
});

test('what is not an operation gets the envelope too', async () => {
	for (const [method, path, status, code] of [
		['GET', '/v3/nothing', 404, 404],
		['PATCH', '/v3/bots', 404, 404],
		['GET', '/v3/bots/%zz', 400, 99001],
	] as const) {
		expect(await send(method, path)).toMatchObject({ status, fields: { code, data: null } });
	}
});

test('signed operations refuse a wrong signature and an old timestamp', async () => {
	const operation = document.operations.find(
		({ operationId }) => operationId === 'publicCli.track',
	);
	const good = operation === undefined ? {} : await sampleFor(operation);
	const forged = { ...good, rawBody: '{"event":"other"}' };
	expect((await send('POST', '/open/cli/tracking', forged)).fields['code']).toBe(401);
	await sandbox.setClock({ skewMs: 600_000 });
	expect((await send('POST', '/open/cli/tracking', good)).fields['code']).toBe(401);
	await sandbox.setClock({ skewMs: 0 });
	expect((await send('POST', '/open/cli/tracking', good)).fields['code']).toBe(0);
});

test('an int64 ID keeps every digit', async () => {
	await send('PUT', '/v2/static-proxy/9007199254740993/name', { body: { name: 'Exact' } });
	expect(await sandbox.staticProxies()).toMatchObject({ '9007199254740993': 'Exact' });
	const neighbour = await send('PUT', '/v2/static-proxy/9007199254740992/name', {
		body: { name: 'Rounded' },
	});
	expect(neighbour.fields['code']).toBe(99001);
});

test('forwarding passes path, query and body on, and answers in several types', async () => {
	const sent = { query: { dry: 'yes' }, body: { a: [1] } };
	const echo = await send('POST', '/v2/cli-service/tools/run%20now', sent);
	expect(echo.body).toMatchObject({ method: 'POST', path: 'tools/run now', ...sent });
	const types = ['text', 'html', 'binary', 'empty', 'fail400', 'fail500'].map(async (path) => {
		const { status, headers } = await send('GET', `/v2/cli-service/${path}`);
		return [status, headers.get('content-type')?.split(';')[0]];
	});
	expect(await Promise.all(types)).toEqual([
		[200, 'text/plain'],
		[200, 'text/html'],
		[200, 'application/gzip'],
		[200, 'application/octet-stream'],
		[400, 'application/json'],
		[500, 'application/json'],
	]);
});
