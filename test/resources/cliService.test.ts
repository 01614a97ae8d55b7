import { gunzipSync } from 'node:zlib';

import { ActionFixture, forAllTests, jsonOf } from '../fixture';

const fixture = forAllTests(new ActionFixture());

beforeEach(async () => await fixture.sandbox.clearRequests());

async function forward(method: string, path: string, parameters = {}, options = {}) {
	return await fixture.run('cliService', 'request', { method, path, ...parameters }, options);
}

it.each(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'])('forwards %s', async (method) => {
	const queryParameters = { pair: [{ name: 'x', value: '1' }] };
	const sent = { n: '9007199254740993' };
	const run = await forward(method, 'a/b', { queryParameters, body: JSON.stringify(sent) });
	const body = method === 'GET' ? null : sent;
	expect(run.error).toBeUndefined();
	expect(jsonOf(run)).toMatchObject([{ method, path: 'a/b', query: { x: '1' }, body }]);
});

it.each([
	[{}, null, 0],
	[{ body: ' ' }, null, 0],
	[{ body: '={{ false }}' }, false, 5],
	[{ body: '={{ 0 }}' }, 0, 1],
	[{ body: '""' }, '', 2],
])('sends of %j the body %j in %i bytes', async (given, body, size) => {
	expect(jsonOf(await forward('POST', 'a', given))).toMatchObject([{ body, size }]);
});

it.each(['={{ null }}', '={{ "" }}', '={{ $json.none }}'])('refuses a body of %s', async (body) => {
	const { error } = await forward('POST', 'a', { body });
	expect(error?.message).toBe("'Body (JSON)' has an expression that gave no value");
	expect(await fixture.sandbox.requests()).toEqual([]);
});

it('sends no body with a GET whose method an expression tells, so that n8n shows the field', async () => {
	const run = await forward('={{ "GET" }}', 'a', { body: '{ "n": 1 }' });
	expect(run.error).toBeUndefined();
	const [request] = await fixture.sandbox.requests({ method: 'GET' });
	expect(request?.headers).toHaveProperty('accept', '*/*');
	for (const header of ['content-type', 'content-length', 'transfer-encoding']) {
		expect(request?.headers).not.toHaveProperty(header);
	}
});

it('repeats a query parameter that is given twice', async () => {
	const pair = ['1', '=2'].map((value) => ({ name: 'a', value }));
	await forward('GET', 'a', { queryParameters: { pair } });
	const [request] = await fixture.sandbox.requests();
	expect(request?.query).toMatch(/^a=1&a=/);
});

it.each(['HEAD', 'OPTIONS'])('gives status and headers for %s', async (method) => {
	const [item] = jsonOf(await forward(method, 'a'));
	expect(item).toEqual({
		statusCode: 200,
		headers: expect.objectContaining({ 'content-type': expect.stringContaining('/') }),
	});
	expect(await fixture.sandbox.requests({ method })).toHaveLength(1);
});

it('gives anything else as a binary file, byte for byte', async () => {
	const run = await forward('GET', 'binary');
	const file = run.outputs[0]?.[0]?.binary?.data;
	expect(jsonOf(run)).toEqual([
		{ file_name: 'backend.gz', mime_type: 'application/gzip', file_size: expect.any(Number) },
	]);
	expect(file).toMatchObject({ fileName: 'backend.gz', mimeType: 'application/gzip' });
	if (file === undefined) return;
	const bytes = await fixture.harness.readBinary(file);
	expect(gunzipSync(bytes).toString()).toBe('Binary from the CLI backend.');
});

it.each([
	['text as text', 'text', { text: 'Plain text from the CLI backend.\n' }],
	['a sign of success for an empty answer', 'empty', { success: true }],
])('gives %s', async (_, path, json) => {
	expect(jsonOf(await forward('GET', path))).toEqual([json]);
});

it('gives one item for each element of a list', async () => {
	const answer = { contentType: 'application/json', body: '[{"a":1},2,null]' };
	await fixture.sandbox.addFault({ kind: 'answer', status: 200, ...answer, times: 1 });
	expect(jsonOf(await forward('GET', 'a'))).toEqual([{ a: 1 }, { value: 2 }, {}]);
});

it.each([
	['fail400', 'The service refused the request: the CLI backend refused the request (code 40001)'],
	['fail500', expect.stringContaining('the CLI backend failed (code 50001)')],
])('makes an error of the envelope behind %s, sending what is no read once', async (path, said) => {
	const { error } = await forward('POST', path);
	expect(error?.message).toEqual(said);
	expect(error).toHaveProperty('description', expect.stringMatching(/Trace ID: \w+/));
	expect(await fixture.sandbox.requests()).toHaveLength(1);
});

it('refuses a path that leads elsewhere before a request', async () => {
	const { error } = await forward('GET', '%2e%2e/x');
	expect(error?.message).toMatch(/^'Path' /);
	expect(await fixture.sandbox.requests()).toEqual([]);
});

describe('with Include Headers and Status', () => {
	const options = { fullResponse: true };

	it.each([
		['text', { body: 'Plain text from the CLI backend.\n' }],
		['empty', {}],
		['a', { body: expect.objectContaining({ method: 'GET', path: 'a' }) }],
		['binary', { file_name: 'backend.gz', mime_type: 'application/gzip' }],
	])('gives all of the answer in one item: %s', async (path, content) => {
		const run = await forward('GET', path, { options });
		const [item] = jsonOf(run);
		expect(item).toMatchObject({ statusCode: 200, ...content });
		expect(item?.headers).toHaveProperty('date');
		expect(run.outputs[0]?.[0]?.binary !== undefined).toBe(path === 'binary');
	});

	it('tells a failure with Never Error, too, and asks once', async () => {
		const run = await forward('GET', 'fail500', { options: { ...options, neverError: true } });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toEqual([
			expect.objectContaining({ statusCode: 500, body: expect.objectContaining({ code: 50001 }) }),
		]);
		expect(await fixture.sandbox.requests()).toHaveLength(1);
	});
});

it('asks for nothing with options that it cannot read', async () => {
	for (const name of ['neverError', 'fullResponse']) {
		const run = await forward('POST', 'a', { options: { [name]: '={{ "yes" }}' } });
		expect(run.error?.message).toMatch(/is neither true nor false$/);
	}
	expect(await fixture.sandbox.requests()).toEqual([]);
});

it('with Never Error gives what a refusal holds, and calls no empty one a success', async () => {
	const options = { neverError: true };
	expect(jsonOf(await forward('POST', 'fail400', { options }))).toMatchObject([{ code: 40001 }]);
	for (const status of [302, 404]) {
		const headers = { location: '/elsewhere' };
		await fixture.sandbox.addFault({ kind: 'answer', status, headers, times: 1 });
		expect(jsonOf(await forward('GET', 'a', { options }))).toEqual([{ success: false }]);
	}
});
