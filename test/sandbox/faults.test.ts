import type { Sandbox } from '../../dev/sandbox/server';
import { onSandbox, type Send } from './client';

/** Faults that the tests of whole nodes do not show: there is one for every kind that the nodes meet. */

let sandbox: Sandbox;
let send: Send;

onSandbox({ durations: { created: null } }, (opened) => ({ sandbox, send } = opened));

test('429 with Retry-After for the next requests only', async () => {
	await sandbox.addFault({ kind: 'rateLimit', retryAfter: '2', times: 2 });
	for (const expected of [429, 429, 200]) {
		const { status, headers } = await send('GET', '/v3/bots');
		expect(status).toBe(expected);
		expect(headers.get('retry-after')).toBe(expected === 429 ? '2' : null);
	}
});

test('faults can be meant for a method, a path and a key', async () => {
	await sandbox.setKey({ key: 'unlucky' });
	const scope = { key: 'unlucky', method: 'GET', path: '^/v3/bots$' };
	await sandbox.addFault({ kind: 'serverError', ...scope });
	expect((await send('GET', '/v3/bots', { key: 'unlucky' })).status).toBe(500);
	expect((await send('GET', '/v3/bots')).status).toBe(200);
	expect((await send('GET', '/v3/bots/1001', { key: 'unlucky' })).status).toBe(200);
	await sandbox.clearFaults({ key: 'unlucky' });
	expect((await send('GET', '/v3/bots', { key: 'unlucky' })).status).toBe(200);
});

test('fewer records a page than are asked for, and numbers that are not so', async () => {
	await sandbox.addFault({ kind: 'shortPages', size: 5, path: '^/v3/bots$', times: 1 });
	const { fields } = await send('GET', '/v3/bots?limit=20&page=2');
	expect(fields).toMatchObject({ page: 2, limit: 5, total_count: 54, total_pages: 11 });
	expect(fields['items']).toHaveLength(5);
	await sandbox.addFault({ kind: 'members', members: { total_count: 99 }, times: 1 });
	expect((await send('GET', '/v3/bots')).fields).toMatchObject({ total_count: 99, page: 1 });
});

test.each([
	{ kind: 'trickle', everyMs: 5 },
	{ kind: 'endless' },
	{ kind: 'endless', packed: true },
] as const)('an answer that goes on and on: %j', async (fault) => {
	await sandbox.addFault(fault);
	const controller = new AbortController();
	const headers = { authorization: `Bearer ${sandbox.key}` };
	const answer = await fetch(`${sandbox.url}/v3/bots`, { headers, signal: controller.signal });
	let size = 0;
	for await (const chunk of answer.body ?? []) {
		size += Buffer.from(chunk).length;
		if (size > (fault.kind === 'trickle' ? 3 : 3_000_000)) break;
	}
	controller.abort();
	expect(size).toBeGreaterThan(3);
});

test('a service that is down refuses connections, and is back with its runs', async () => {
	const { taskIds } = await sandbox.seedRuns({ count: 1, statuses: ['running'] });
	sandbox.goDown();
	await expect(send('GET', '/v3/bots')).rejects.toThrow('fetch failed');
	await expect(fetch(sandbox.filesUrl)).rejects.toThrow('fetch failed');
	await sandbox.comeBack();
	expect((await send('GET', `/v3/bots/runs/${taskIds[0]}`)).status).toBe(200);
	expect((await fetch(sandbox.filesUrl)).status).toBe(404);
});

test('a latency ends when all faults are cleared', async () => {
	await sandbox.addFault({ kind: 'latency', ms: 600_000 });
	const answer = send('GET', '/v3/bots');
	while ((await sandbox.requests()).length === 0) await new Promise(setImmediate);
	await sandbox.clearFaults();
	expect((await answer).status).toBe(200);
});
