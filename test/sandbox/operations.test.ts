import { loadDocument } from '../../sandbox/document';
import type { ServiceDocument } from '../../sandbox/document';
import { startSandbox } from '../../sandbox/server';
import type { Sandbox } from '../../sandbox/server';
import { clientOf } from './client';
import type { Received, Send } from './client';
import { malformedRequests } from './malformed';
import { sampleMaker } from './samples';
import type { Sample } from './samples';

let document: ServiceDocument;
let sandbox: Sandbox;
let send: Send;
let sampleFor: ReturnType<typeof sampleMaker>;

beforeAll(async () => {
	document = await loadDocument();
	sandbox = await startSandbox({ durations: { created: null } });
	send = clientOf(sandbox);
	sampleFor = sampleMaker(sandbox, send);
});

afterAll(async () => await sandbox.close());

async function sampleOf(operationId: string): Promise<Sample> {
	return await sampleFor(operationOf(operationId));
}

async function request(method: string, template: string, sample: Sample): Promise<Received> {
	const path = template.replace(/\{(\w+)\}/g, (_, name: string) => sample.path?.[name] ?? '');
	return await send(method.toUpperCase(), path, sample);
}

/** Waits for each operation of the document and reports all that went wrong, by operation. */
async function inEachOperation(
	act: (operationId: string) => Promise<string[]>,
): Promise<Record<string, string[]>> {
	const wrong: Record<string, string[]> = {};
	for (const { operationId = '' } of document.operations) {
		const faults = await act(operationId);
		if (faults.length > 0) wrong[operationId] = faults;
	}
	return wrong;
}

function operationOf(operationId: string): ServiceDocument['operations'][number] {
	const operation = document.operations.find((one) => one.operationId === operationId);
	if (!operation) throw new Error(`There is no operation ${operationId}.`);
	return operation;
}

test('each operation answers a well-formed request as the document says', async () => {
	const wrong = await inEachOperation(async (operationId) => {
		const { method, path } = operationOf(operationId);
		const { status, body, text } = await request(method, path, await sampleOf(operationId));
		if (status !== 200) return [`${status} ${text}`];
		return document.checkResponse(operationId, status, body);
	});
	expect(wrong).toEqual({});
});

test('each operation refuses malformed requests with the error envelope', async () => {
	let tried = 0;
	const wrong = await inEachOperation(async (operationId) => {
		const operation = operationOf(operationId);
		const faults: string[] = [];
		for (const bad of malformedRequests(operation, await sampleOf(operationId))) {
			tried += 1;
			const { status, fields, text } = await request(operation.method, operation.path, bad.request);
			const isHead = operation.method === 'head';
			if (status !== 400 || (!isHead && fields['code'] !== bad.code)) {
				faults.push(`${bad.what}: ${status} ${text}`);
			} else if (!isHead) {
				faults.push(...document.checkResponse(operationId, status, fields));
			}
		}
		return faults;
	});
	expect(wrong).toEqual({});
	expect(tried).toBeGreaterThan(300);
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
	const before = await sandbox.runs();
	await send('POST', '/v3/bots/1008/runs', { body: { input: {}, surprise: 1 } });
	await send('POST', '/v3/bots/1008/runs', { body: { input: {} }, key: 'wrong' });
	expect(await sandbox.runs()).toHaveLength(before.length);
});

test('what is not an operation gets the envelope too', async () => {
	const unknown = await send('GET', '/v3/nothing');
	expect(unknown).toMatchObject({ status: 404, fields: { code: 404, data: null } });
	const wrongMethod = await send('PATCH', '/v3/bots');
	expect(wrongMethod).toMatchObject({ status: 404, fields: { code: 404, data: null } });
	const notAPath = await send('GET', '/v3/bots/%zz');
	expect(notAPath).toMatchObject({ status: 400, fields: { code: 99001, data: null } });
});

test('signed operations refuse a wrong signature and an old timestamp', async () => {
	const good = await sampleOf('publicCli.track');
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
	const echo = await send('POST', '/v2/cli-service/tools/run%20now', {
		query: { dry: 'yes' },
		body: { a: [1] },
	});
	expect(echo.body).toMatchObject({
		method: 'POST',
		path: 'tools/run now',
		query: { dry: 'yes' },
		body: { a: [1] },
	});
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
