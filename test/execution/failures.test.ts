import { NodeApiError, NodeOperationError } from 'n8n-workflow';
import { failureItem, failureText } from '../../nodes/BrowserAutomation/execution/failures';
import { toNodeError } from '../../nodes/BrowserAutomation/execution/failures';
import { HelpfulError, ServiceError } from '../../nodes/BrowserAutomation/service/errors';
import { recordSecret } from '../../nodes/BrowserAutomation/transport/secrets';
import type { Run, RunOptions } from '../core/harness';
import { actionNode, apiCredential, chosen, createNodes, signingCredential } from '../fixture';
import { interceptNetwork } from '../interceptedNetwork';
import { insideNode } from './insideNode';
import { node as other } from './waiting/ledgerOf';

const nock = interceptNetwork();

const SERVICE = 'https://api.example.com';
const KEY = 'app-4711+ä/"secret"';

/** The API key as it goes over the wire; a header takes no umlaut. */
const SENT_KEY = encodeURIComponent(KEY);

const login = { url: SERVICE, key: SENT_KEY };
const harness = createNodes(login, {
	credentials: { ...apiCredential(login), ...signingCredential(SERVICE, { signingSecret: KEY }) },
});

function download(further: Partial<RunOptions> = {}): RunOptions {
	return actionNode('run', 'downloadFiles', { taskId: chosen('9001') }, further);
}

/** The service knows one run, with a file on its own host, whose answer says something of the request's key. */
function serveFile(said: (authorization: string) => string): void {
	const file = { file_name: 'archive.bin', download_url: `${SERVICE}/files/1` };
	nock(SERVICE)
		.persist()
		.get('/v3/bots/runs/9001')
		.reply(200, { task_id: '9001', status: 'finished', download_files: [file] })
		.get('/files/1')
		.reply(function () {
			const { authorization } = this.req.headers;
			return [400, { code: 99001, msg: said(String(authorization)), data: null }];
		});
}

const echo = (authorization: string): string => `who is ${authorization}?`;

describe('a key that a file’s server says again', () => {
	function expectHidden({ outputs }: Run): void {
		const items = JSON.stringify(outputs.flat());
		expect(items).toContain('who is Bearer (hidden)?');
		expect(items).not.toContain(SENT_KEY);
	}

	it('is in no error', async () => {
		serveFile(echo);
		const { error } = await harness.run(download());
		expect(error?.message).toContain('who is Bearer (hidden)?');
		expect(JSON.stringify({ ...error, stack: error?.stack })).not.toContain(SENT_KEY);
	});

	it('is in no answer to an agent', async () => {
		serveFile(echo);
		expectHidden(await harness.runAsTool(download()));
	});

	it('is not shown in part where its words are cut for their length', async () => {
		serveFile(() => 'x'.repeat(490) + SENT_KEY);
		const { error } = await harness.run(download());
		expect(error?.message).toContain('x(hidden)… (code 99001)');
		expect(JSON.stringify({ ...error, stack: error?.stack })).not.toContain(SENT_KEY.slice(0, 6));
	});

	const goingOn = ['continueRegularOutput', 'continueErrorOutput'] as const;

	it.each(goingOn)('is in no item of a node that goes on with %s', async (onError) => {
		serveFile(echo);
		expectHidden(await harness.run(download({ onError })));
	});
});

const node = { ...other, id: 'node-of-the-gate' };
const MINE = { browserAutomationApi: { id: '2', name: 'Mine' } };

describe('what a node has used as a secret', () => {
	beforeAll(() => recordSecret(node, KEY));

	it.each([
		['as it is', KEY],
		['percent-encoded', encodeURIComponent(KEY)],
		['inside of JSON text', JSON.stringify({ key: KEY })],
		['cut off at the end of a long text', `${'x'.repeat(480)}${KEY.slice(0, 10)}…`],
	])('is hidden %s', (_, text) => {
		const { message, description, context } = toNodeError(
			node,
			new ServiceError(`no: ${text}`, `see ${text}`, { msg: text, traceId: text }),
			0,
		);
		for (const reported of [message, description, JSON.stringify(context)]) {
			expect(reported).toContain('(hidden)');
			expect(reported).not.toContain(KEY.slice(0, 8));
		}
	});

	it.each([
		(cause: Error) => new NodeOperationError(node, cause, { description: `try ${KEY}` }),
		(cause: Error) => new NodeApiError(node, { message: cause.message, description: `try ${KEY}` }),
	])('is hidden in n8n’s own errors, which may hold whole requests: %#', (errorOf) => {
		const request = { headers: { Authorization: `Bearer ${KEY}` } };
		const own = errorOf(Object.assign(new Error(`sent ${KEY}`), { request }));
		own.context.data = { said: KEY };
		expect(own.stack).toContain(KEY);
		const { message, messages, description, stack, cause, context } = toNodeError(node, own, 0);
		expect(message).toBe('sent (hidden)');
		expect(description).toBe('try (hidden)');
		expect(context.data).toEqual({ said: '(hidden)' });
		expect(stack).toContain('sent (hidden)');
		expect(JSON.stringify({ ...own, messages, stack, cause })).not.toContain('secret');
	});

	it('is hidden in a bug’s words, in what is logged, and in its stack, which leads to its line', () => {
		const bug = new TypeError(`cannot read ${KEY}`);
		const reported = toNodeError(node, bug, 2);
		expect(reported.message).toBe('cannot read (hidden)');
		expect(reported.stack).toBe(bug.stack?.replaceAll(KEY, '(hidden)'));
		expect(reported.stack).toContain('failures.test');
		expect(failureText(node, bug)).toBe('cannot read (hidden)');
	});

	it.each([
		['of one node stays legible in the errors of another', { id: 'another-node' }],
		['stays legible in the editor of a user with other credentials', { credentials: MINE }],
	])('%s', (_, otherwise) => {
		expect(toNodeError({ ...node, ...otherwise }, new Error(KEY), 0).message).toBe(KEY);
	});
});

it('a message without end is cut after 4,000 characters, and tells no key where it is', () => {
	recordSecret(node, KEY);
	const longest = 'x'.repeat(4_000);
	const endless = `${'x'.repeat(3_995)}${KEY}${'…x'.repeat(1_000_000)}`;
	const error = new HelpfulError(endless, endless.slice(1));
	const { message, description } = toNodeError(node, error, 0);
	expect(toNodeError(node, new Error(longest), 0).message).toBe(longest);
	expect(toNodeError(node, new Error(`${longest}y`), 0).message).toBe(`${longest}…`);
	for (const text of [message, description, failureText(node, new Error(endless))]) {
		expect(text?.length).toBeLessThan(4_100);
		expect(text).not.toContain(KEY.slice(0, 6));
	}
});

it('nobody begins a line of their own in the log, or gives a terminal orders', () => {
	const forged = 'no\r\n2026-01-01 error: forged\u2028\u2029more \u001b[2J\u009b31m\u202Etxt.exe';
	const shown = 'no 2026-01-01 error: forged more  [2J 31m txt.exe';
	expect(failureText(node, new Error(forged))).toBe(shown);
});

it('an item in the place of one of n8n’s own errors says what n8n says to do, and nothing where nobody does', async () => {
	const itemFor = async (error: Error): Promise<unknown> =>
		await insideNode((context) => failureItem(context, error, 0).json);
	const told = { message: 'It failed', description: 'Do this' };
	const own = new NodeOperationError(node, told.message, told);
	for (const error of [own, new NodeApiError(node, {}, told)]) {
		expect(await itemFor(error)).toEqual({ error: 'It failed', message: 'Do this', details: {} });
	}
	const bug = Object.assign(new TypeError('no x of undefined'), { description: 'not ours' });
	for (const error of [new NodeOperationError(node, 'It failed'), bug]) {
		expect(await itemFor(error)).toEqual({ error: error.message, details: {} });
	}
});

it('titles are ours, although n8n has sentences of its own for what is in them', () => {
	const title = 'Run 9001 failed: getaddrinfo ENOTFOUND (code 7)';
	for (const error of [new HelpfulError(title, 'x'), new ServiceError(title, 'x')]) {
		expect(toNodeError(node, error, 0)).toMatchObject({ message: title, messages: [] });
	}
	expect(toNodeError(node, new Error(title), 0).message).toBe(title);
});

it.each([
	[1, ''],
	[2, " Lower 'Requests at a Time' in the credential if it stays."],
])('a busy service is answered for %i items with advice for them', async (count, further) => {
	const advice = `Try again in a minute.${further} Its run: 9001.`;
	nock(SERVICE).persist().post('/v3/bots/runs/9001/cancel').reply(429, '');
	const items = Array.from({ length: count }, () => ({ json: {} }));
	const cancel = actionNode('run', 'cancel', { taskId: chosen('9001') }, { items });
	expect((await harness.run(cancel)).error).toHaveProperty('description', advice);
	const run = await harness.run({ ...cancel, onError: 'continueRegularOutput' });
	expect(run.outputs[0]?.[0]?.json.message).toBe(advice);
});

describe('a page that an error names', () => {
	const errorWith = (page: string): NodeApiError | NodeOperationError =>
		toNodeError(node, new HelpfulError('It failed', `Its <log>: ${page}`, page), 0);

	it('is a link in the editor, also without encryption, and plain text in the description', () => {
		const error = errorWith('https://example.com/log?run=1&x="2"');
		expect(error.description).toBe('Its <log>: https://example.com/log?run=1&x="2"');
		const address = 'https://example.com/log?run=1&#38;x=&#34;2&#34;';
		expect(error.context.descriptionTemplate).toBe(
			`Its &#60;log&#62;: <a href="${address}" target="_blank">${address}</a>`,
		);
		expect(errorWith('http://localhost/1').context).toHaveProperty('descriptionTemplate');
	});

	it.each([
		'javascript:alert(1)//http://example.com',
		'ftp://example.com',
		'https://example.com/`a`',
	])('is no link where it is %s', (page) => {
		expect(errorWith(page).context).not.toHaveProperty('descriptionTemplate');
	});

	it('is no link where it holds a secret', () => {
		recordSecret(node, 'very-secret-key');
		const { context, description } = errorWith('https://example.com/very-secret-key');
		expect(description).toBe('Its <log>: https://example.com/(hidden)');
		expect(context).not.toHaveProperty('descriptionTemplate');
	});
});

describe('the error that n8n shows', () => {
	it('is n8n’s own one as it was where the node has used no secret', () => {
		const cause = new Error('no disk');
		const own = new NodeOperationError({ ...node, id: 'node-without-secrets' }, cause);
		const reported = toNodeError({ ...node, id: 'node-without-secrets' }, own, 0);
		expect(reported).toBe(own);
		expect(reported.cause).toBe(cause);
	});

	it('tells what was thrown, even if that is no error', () => {
		expect(toNodeError(node, 'no paper', 0).message).toBe('no paper');
	});

	it('names its run once', () => {
		const about = { data: { task_id: '9001' } };
		const named = toNodeError(node, new HelpfulError('Run 9001 failed', 'Look'), 0, about);
		expect(named.description).toBe('Look');
		const unnamed = toNodeError(node, new HelpfulError('It failed', 'Look'), 0, about);
		expect(unnamed.description).toBe('Look Its run: 9001.');
	});

	it('has no lines of code where it says what to do', () => {
		const known = new HelpfulError('It failed', 'Do this');
		expect(toNodeError(node, known, 0).stack).not.toBe(known.stack);
	});

	it('has the status of the answer', () => {
		const busy = new ServiceError('busy', 'Wait', { httpStatus: 429 });
		const unknown = new ServiceError('odd', 'Wait', {});
		expect(toNodeError(node, busy, 0)).toHaveProperty('httpCode', '429');
		expect(toNodeError(node, unknown, 0)).toHaveProperty('httpCode', null);
	});
});
