import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import * as core from 'n8n-core';
import { version as coreVersion } from 'n8n-core/package.json';
import { createHarness, toItems, type Harness } from './harness';
import {
	ACTION,
	exampleApi,
	exampleFunctionApi,
	ExampleAction,
	ExamplePoller,
	ExampleTrigger,
	POLLER,
	TRIGGER,
} from './harness/example-nodes';
import { interceptNetwork } from '../interceptedNetwork';

const nock = interceptNetwork();

const PARKED = { nodeType: ACTION, parameters: { operation: 'wait' } };

let harness: Harness;

beforeEach(() => {
	harness = createHarness({
		nodes: {
			[ACTION]: new ExampleAction(),
			[TRIGGER]: new ExampleTrigger(),
			[POLLER]: new ExamplePoller(),
		},
		credentialTypes: { exampleApi, exampleFunctionApi },
		credentials: { exampleApi: { apiKey: 'secret' } },
	});
});

describe('running a node', () => {
	const get = { operation: 'get', path: '=/things/{{ $json.id }}' };

	it('shows what the node returned, what was passed on and what it traces back to', async () => {
		nock('https://api.test', { reqheaders: { authorization: 'Bearer secret' } })
			.get('/things/a')
			.reply(200, { name: 'A' })
			.get('/things/b')
			.reply(200, { name: 'B' });

		const run = await harness.run({
			nodeType: ACTION,
			parameters: get,
			items: toItems({ id: 'a' }, { id: 'b' }),
			probe: "{{ $('Start').item.json.id }}",
		});

		expect(run.status).toBe('success');
		expect(run.outputs).toEqual([
			[
				{ json: { name: 'A' }, pairedItem: { item: 0 } },
				{ json: { name: 'B' }, pairedItem: { item: 1 } },
			],
		]);
		expect(run.passedOn[0]?.map(({ json }) => json)).toEqual([{ name: 'A' }, { name: 'B' }]);
		expect(run.probed).toEqual([['a', 'b']]);
		expect(harness.credentials.decryptions).toBeGreaterThan(0);
	});

	it('authenticates with a function too, and with the credentials of the call', async () => {
		nock('https://other.test', { reqheaders: { 'x-key': 'k2' } })
			.get('/things/a')
			.reply(200, { name: 'A' });

		const run = await harness.run({
			nodeType: ACTION,
			parameters: get,
			items: toItems({ id: 'a' }),
			credentials: { exampleFunctionApi: { apiKey: 'k2', baseUrl: 'https://other.test' } },
		});

		expect(run.error).toBeUndefined();
		expect(run.outputs[0]).toHaveLength(1);
	});

	it('fails without the credential it needs', async () => {
		const run = await harness.run({
			nodeType: ACTION,
			parameters: { operation: 'download' },
			credentials: {},
		});

		expect(run.status).toBe('error');
		expect(run.error?.message).toBe('Node does not have any credentials set');
	});

	it.each([
		['stopWorkflow', 'error', []],
		['continueRegularOutput', 'success', [[{ error: 'It broke' }]]],
		['continueErrorOutput', 'success', [[], [{ id: 'a', error: 'It broke' }]]],
	] as const)('treats an error as set: %s', async (onError, status, outputs) => {
		nock('https://api.test').get('/things/a').reply(500);

		const run = await harness.run({
			nodeType: ACTION,
			parameters: get,
			items: toItems({ id: 'a' }),
			onError,
		});

		expect(run.status).toBe(status);
		expect(run.outputs.map((items) => items.map(({ json }) => json))).toEqual(outputs);
		expect(run.error?.message).toBe(onError === 'stopWorkflow' ? 'It broke' : undefined);
	});

	it('tries again when the node is set to', async () => {
		nock('https://api.test').get('/things/a').reply(500).get('/things/a').reply(200, { name: 'A' });

		const run = await harness.run({
			nodeType: ACTION,
			parameters: get,
			items: toItems({ id: 'a' }),
			settings: { retryOnFail: true, maxTries: 2, waitBetweenTries: 1 },
		});

		expect(run.outputs[0]?.[0]?.json).toEqual({ name: 'A' });
		expect(nock.isDone()).toBe(true);
	});

	it('keeps static data of production runs alone, by workflow', async () => {
		const count = { nodeType: ACTION, parameters: { operation: 'count' } };

		await harness.run(count);
		await harness.run({ ...count, mode: 'manual' });
		const third = await harness.run(count);
		await harness.run({ ...count, workflowId: 'other' });

		expect(third.outputs[0]?.[0]?.json).toEqual({ count: 2 });
		expect(harness.staticData()).toEqual({ global: { count: 2 } });
	});
});

describe('stopping a run', () => {
	const hang = { nodeType: ACTION, parameters: { operation: 'hang' } };

	it('is canceled by hand', async () => {
		const started = await harness.start(hang);
		started.abort();

		await expect(started.done).resolves.toMatchObject({ status: 'canceled', passedOn: [[]] });
	});

	it('is canceled by a signal', async () => {
		const stop = new AbortController();
		const run = harness.run({ ...hang, signal: stop.signal });
		stop.abort();

		await expect(run).resolves.toMatchObject({ status: 'canceled' });
	});

	it('is canceled when the workflow runs too long', async () => {
		await expect(harness.run({ ...hang, executionTimeout: 0.02 })).resolves.toMatchObject({
			status: 'canceled',
		});
	});
});

describe('waiting', () => {
	const items = toItems({ id: 'a' }, { id: 'b' });

	it('parks, stays while the callback is not the last, and resumes with what webhook() returns', async () => {
		const run = await harness.run({ ...PARKED, items, probe: "{{ $('Start').item.json.id }}" });

		expect(run).toMatchObject({
			status: 'waiting',
			passedOn: [[]],
			hints: [{ message: 'Waiting' }],
			metadata: { resumeUrl: run.resumeUrl },
		});
		const address = `https://n8n.example.com/webhook-waiting/${run.executionId}`;
		expect(run.resumeUrl?.split('?')).toEqual([
			address,
			expect.stringMatching(/^signature=\w{32,}$/),
		]);
		expect(run.waitTill).toBeInstanceOf(Date);

		const early = await harness.resumeByWebhook(run, { body: { say: 'early' } });
		expect(early).toMatchObject({ response: { status: 200, body: { heard: 'early' } } });
		expect(early.run).toBeUndefined();
		expect(harness.stored(run).status).toBe('waiting');

		const last = await harness.receive(`${run.resumeUrl}&item=1`, { body: { say: 'done' } });
		expect(last.response).toMatchObject({ status: 200, body: { accepted: true } });
		expect(last.run?.status).toBe('success');
		expect(last.run?.passedOn[0]?.map(({ json }) => json)).toEqual([
			{ id: 'a', say: 'done' },
			{ id: 'b', say: 'done' },
		]);
		expect(last.run?.probed).toEqual([['a', 'b']]);
		expect(last.run?.execution.data.resultData.runData['Example']).toHaveLength(1);

		const late = await harness.resumeByWebhook(run, { body: { say: 'done' } });
		expect(late.response).toMatchObject({ status: 409, body: { code: 409 } });
	});

	it.each([
		['a wrong signature', { query: { signature: 'x' } }, 401],
		['no signature', { query: { signature: '' } }, 401],
		['another method', { method: 'GET' }, 404],
		['another path', { suffix: 'other' }, 404],
		['broken JSON', { body: '{' }, 422],
		['a webhook() that says it is busy', { body: { say: 'busy' } }, 503],
		['more than 16 MiB', { body: Buffer.alloc(17 * 1024 * 1024) }, 500],
	] as const)('answers %s and goes on waiting', async (_name, request, status) => {
		const run = await harness.run(PARKED);

		const { response } = await harness.resumeByWebhook(run, request);

		expect(response.status).toBe(status);
		expect(harness.stored(run).status).toBe('waiting');
	});

	it('answers 404 for an execution that does not exist', async () => {
		const { response } = await harness.receive('https://n8n.example.com/webhook-waiting/99');

		expect(response.status).toBe(404);
	});

	it('answers 409 while the execution still runs, 500 in the editor', async () => {
		for (const [mode, status] of [
			['trigger', 409],
			['manual', 500],
		] as const) {
			const started = await harness.start({
				nodeType: ACTION,
				parameters: { operation: 'hang' },
				mode,
			});
			const { response } = await harness.resumeByWebhook(started, { body: { say: 'done' } });
			started.abort();
			await started.done;

			expect(response.status).toBe(status);
		}
	});

	it('lets one of two simultaneous callbacks win', async () => {
		const run = await harness.run(PARKED);

		const both = await Promise.all([
			harness.resumeByWebhook(run, { body: { say: 'done' } }),
			harness.resumeByWebhook(run, { body: { say: 'done' } }),
		]);

		// Whether the one that lost finds the execution running or already ended is a matter of luck.
		const [won, lost] = both.map(({ response }) => response.status).sort();
		expect(won).toBe(200);
		expect([409, 500]).toContain(lost);
		expect(both.filter((callback) => callback.run !== undefined)).toHaveLength(1);
	});

	it('loses the run when webhook() throws, as n8n does', async () => {
		const run = await harness.run({ ...PARKED, items });

		const { response, run: lost } = await harness.resumeByWebhook(run, { body: { say: 'throw' } });

		expect(response).toMatchObject({
			status: 500,
			body: { message: 'Workflow Webhook Error: Workflow could not be started!' },
		});
		expect(lost?.status).toBe('error');
		expect(lost?.passedOn).toEqual([[expect.objectContaining({ json: {} })]]);
	});

	it.each([
		['stopWorkflow', 'error', [[]]],
		['continueErrorOutput', 'success', [[], [{ id: 'a', error: 'The service failed' }]]],
	] as const)('fails from the callback, as set: %s', async (onError, status, passedOn) => {
		const run = await harness.run({ ...PARKED, items: toItems({ id: 'a' }), onError });

		const { run: failed } = await harness.resumeByWebhook(run, { body: { say: 'fail' } });

		expect(failed?.status).toBe(status);
		expect(failed?.passedOn.map((out) => out.map(({ json }) => json))).toEqual(passedOn);
	});

	it('resumes all outputs', async () => {
		const run = await harness.run(PARKED);

		const { run: split } = await harness.resumeByWebhook(run, { body: { say: 'split' } });

		expect(split?.outputs.map((out) => out.map(({ json }) => json))).toEqual([
			[{ good: true }],
			[{ good: false }],
		]);
	});

	it('passes its input on when the time limit comes', async () => {
		const run = await harness.run({ ...PARKED, items });

		const after = await harness.resumeByTimeout(run);

		expect(after.status).toBe('success');
		expect(after.passedOn[0]?.map(({ json }) => json)).toEqual([{ id: 'a' }, { id: 'b' }]);
	});

	it('survives a restart, unlike what runs and what is in memory', async () => {
		const waiting = await harness.run(PARKED);
		const running = await harness.start({ nodeType: ACTION, parameters: { operation: 'hang' } });

		harness.restart();
		await running.done;

		expect(harness.stored(running).status).toBe('crashed');
		expect(harness.stored(waiting).status).toBe('waiting');
		const { run } = await harness.resumeByWebhook(waiting, { body: { say: 'done' } });
		expect(run?.status).toBe('success');
	});
});

describe('files', () => {
	it('are inside the items by default', async () => {
		nock('https://api.test').get('/file').reply(200, 'content');

		const run = await harness.run({
			nodeType: ACTION,
			parameters: { operation: 'download', path: '/file' },
		});

		expect(run.outputs[0]?.[0]?.binary?.['data']?.id).toBeUndefined();
		const binary = run.outputs[0]?.[0]?.binary?.['data'];
		expect(binary && (await harness.readBinary(binary)).toString()).toBe('content');
	});

	it('are written to a directory, and read from it, when the harness says so', async () => {
		harness = createHarness({
			nodes: { [ACTION]: new ExampleAction() },
			credentialTypes: { exampleApi },
			credentials: { exampleApi: {} },
			binaryData: 'filesystem',
		});
		nock('https://api.test').get('/file').reply(200, 'content');

		const run = await harness.run({
			nodeType: ACTION,
			parameters: { operation: 'download', path: '/file' },
		});
		const binary = run.outputs[0]?.[0]?.binary?.['data'];
		const folder = `filesystem-v2:workflows/workflow-1/executions/${run.executionId}/binary_data/`;
		expect(binary?.id).toContain(folder);
		expect(binary && (await harness.readBinary(binary)).toString()).toBe('content');

		const stored = await harness.writeBinary(Buffer.from('given'), { fileName: 'given.txt' });
		const upload = await harness.run({
			nodeType: ACTION,
			parameters: { operation: 'upload' },
			items: [{ json: {}, binary: { data: stored } }],
		});
		expect(upload.outputs[0]?.[0]?.json).toEqual({ text: 'given' });
	});
});

describe('a file that is still being sent', () => {
	// nock stands in the way of real connections even where it lets them pass.
	beforeEach(() => nock.restore());
	afterEach(() => nock.activate());

	it('is on disk in part already: n8n streams it', async () => {
		harness = createHarness({
			nodes: { [ACTION]: new ExampleAction() },
			credentialTypes: { exampleApi },
			binaryData: 'filesystem',
		});
		const folder = join(String(process.env['N8N_USER_FOLDER']), 'binary-data');
		const readSizes = (): number[] =>
			readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map((entry) => statSync(join(entry.parentPath, entry.name)).size);
		const half = Buffer.alloc(1024 * 1024, 'x');
		const server = createServer((_request, response) => {
			response.write(half);
			const timer = setInterval(() => {
				if (!readSizes().includes(half.length)) return;
				clearInterval(timer);
				response.end(half);
			}, 5);
		});
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		const address = server.address();
		const port = typeof address === 'object' ? address?.port : undefined;

		const run = await harness.run({
			nodeType: ACTION,
			parameters: { operation: 'download', path: '/file' },
			credentials: { exampleApi: { baseUrl: `http://127.0.0.1:${port}` } },
		});
		await new Promise((resolve) => server.close(resolve));

		expect(run.error).toBeUndefined();
		expect(run.outputs[0]?.[0]?.binary?.['data']?.bytes).toBe(2 * half.length);
	});
});

describe('the node as a tool', () => {
	it('knows that it is one and gets the arguments of the agent', async () => {
		const run = await harness.runAsTool({
			nodeType: ACTION,
			parameters: { operation: 'describe', mapped: "={{ $fromAI('mapped') }}" },
			items: toItems({ mapped: 'from the agent' }),
		});

		expect(run.error).toBeUndefined();
		expect(run.outputs[0]?.[0]?.json).toEqual({
			tool: { name: 'Example_Tool', description: 'Does an example' },
			answer: [{ isTool: true, mapped: 'from the agent' }],
		});
	});

	it('is none in an ordinary run', async () => {
		const run = await harness.run({ nodeType: ACTION, parameters: { operation: 'describe' } });

		expect(run.outputs[0]?.[0]?.json).toMatchObject({ isTool: false });
	});

	it('fails the agent with its error', async () => {
		const run = await harness.runAsTool({ nodeType: ACTION, parameters: { operation: 'none' } });

		expect(run.status).toBe('error');
		expect(run.error?.message).toBe('No "none"');
	});
});

describe('a webhook trigger', () => {
	it('registers, is called and unregisters, with its static data stored in between', async () => {
		const trigger = harness.hooks({ nodeType: TRIGGER });
		expect(await trigger.checkExists()).toBe(false);

		await trigger.activate();
		expect(trigger.staticData).toEqual({
			'node:Example Trigger': { url: trigger.url() },
			global: { activation: 'activate' },
		});
		expect(trigger.url()).toMatch(/^https:\/\/n8n\.example\.com\/webhook\/[\w-]{36}\/events$/);
		expect(await trigger.checkExists()).toBe(true);

		const ignored = await trigger.callWebhook({ body: { start: false } });
		expect(ignored.response).toMatchObject({
			status: 200,
			body: { message: 'Webhook call received' },
		});
		expect(ignored.run).toBeUndefined();

		await trigger.callWebhook({ body: { start: true } });
		const second = await trigger.callWebhook({ body: { start: true } });
		expect(second.response.body).toEqual({ message: 'Workflow was started' });
		expect(second.run?.passedOn[0]?.[0]?.json).toEqual({ calls: 2, raw: '{"start":true}' });

		await trigger.deactivate();
		expect(await trigger.checkExists()).toBe(false);
	});

	it('is cleaned up when registering fails', async () => {
		const trigger = harness.hooks({ nodeType: TRIGGER, parameters: { fail: true } });

		await expect(trigger.activate()).rejects.toThrow('The service said no');
		expect(trigger.staticData).toMatchObject({ 'node:Example Trigger': {} });
	});

	it('has a URL and static data of its own while the editor listens', async () => {
		const trigger = harness.hooks({ nodeType: TRIGGER, isTest: true });

		await trigger.activate();

		expect(trigger.url()).toContain('/webhook-test/');
		expect(trigger.staticData).toMatchObject({ global: { activation: 'manual' } });
		expect(harness.staticData()).toEqual({});
	});
});

describe('a polling trigger', () => {
	it('keeps its static data when it brings items in production, and only then', async () => {
		const first = await harness.poll({ nodeType: POLLER });
		expect(first.items?.[0]?.[0]?.json).toEqual({ number: 1, mode: 'trigger' });

		const { staticData } = first;
		const empty = await harness.poll({ nodeType: POLLER, parameters: { empty: true }, staticData });
		expect(empty).toEqual({ items: null, error: undefined, failures: [], staticData });
		const manual = await harness.poll({ nodeType: POLLER, mode: 'manual', staticData });
		expect(manual.items?.[0]?.[0]?.json).toEqual({ number: 2, mode: 'manual' });
		expect(manual.staticData).toEqual(staticData);

		const next = await harness.poll({ nodeType: POLLER, staticData });
		expect(next.items?.[0]?.[0]?.json).toMatchObject({ number: 2 });
	});
});

describe('methods for the editor', () => {
	it('search with credentials, filter and page, and map fields without doubles', async () => {
		const methods = harness.methods({ nodeType: ACTION, parameters: { path: '/p' } });

		await expect(methods.listSearch('searchThings', 'word', '2')).resolves.toEqual({
			results: [{ name: '/p word secret', value: '1' }],
			paginationToken: 'after 2',
		});
		const { fields } = await methods.resourceMapping('getFields');
		expect(fields.map(({ id, displayName }) => [id, displayName])).toEqual([
			['a', '/p'],
			['b', '/p'],
		]);
	});
});

describe('the harness itself', () => {
	const folder = join(__dirname, 'harness');
	const sources = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'));

	it('uses only what n8n-core 2.41.1 exports', () => {
		expect(coreVersion).toBe('2.41.1');
		const imports = sources.flatMap((source) => [
			...source.matchAll(/import (type )?\{([^}]*)\} from '(n8n-core[^']*)'/g),
		]);
		expect(imports.map(([, , , path]) => path)).toEqual(['n8n-core']);
		const names = imports.flatMap(([, , list]) => (list ?? '').split(/[\s,]+/).filter(Boolean));
		expect(names.filter((name) => !(name in core))).toEqual([]);
	});

	it('does not touch the home directory and runs a small node within 50 ms of CPU time', async () => {
		expect(process.env['N8N_USER_FOLDER']).toContain('n8n-core-harness-');
		const describeRun = { nodeType: ACTION, parameters: { operation: 'describe' } };
		await harness.run(describeRun);
		const durations: number[] = [];
		for (let run = 0; run < 5; run += 1) {
			const begun = process.cpuUsage();
			await harness.run(describeRun);
			const { user, system } = process.cpuUsage(begun);
			durations.push((user + system) / 1_000);
		}
		expect(Math.min(...durations)).toBeLessThan(50);
	});
});
