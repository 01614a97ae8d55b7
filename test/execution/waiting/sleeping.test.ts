import { stringify } from 'flatted';

import { watcherOf } from '../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import { chosen } from '../../fixture';
import { asleepWith } from './ledgerOf';
import { finished, idsOf, keywords, PAIRED, passedOn, scrape, useScene } from './scene';
import { holdPauses, until } from '../../timeLapse';

const scene = useScene();

it.each([
	'Scrape.constructor',
	'getOwnPropertyDescriptor',
	'line\u2028break',
	'My "best" {{ $json.node }} \\ }}',
])('a node named %p is resumed by its callback', async (name) => {
	const asleep = await scene.run({ name, items: keywords('a') });
	const run = await scene.end(asleep, 'a');

	expect(run.status).toBe('success');
	expect(passedOn(run)).toHaveLength(1);
	expect(await scene.asked('bot.run')).toBe(1);
});

it('one that n8n had stored by half when it died, as it saves progress, goes on by Retry', async () => {
	const half = await scene.run({ items: keywords('a') });
	scene.harness.endWaiting(half, 'half stored');
	await scene.finish('a');
	const run = await scene.harness.retry(half);

	const { taskId } = await scene.runFor('a');
	expect(passedOn(run)).toMatchObject([{ task_id: taskId }]);
	expect(await scene.runs()).toHaveLength(1);
});

it.each(['deleted', 'stopped'] as const)('one that was %s is forgotten in the end', async (how) => {
	const gone = await scene.run({ items: keywords('a') });
	const other = await scene.run({ items: keywords('b') });
	const ledgerAt = (run: typeof gone) => ({ ...asleepWith(), ...scene.ledgerOf(run) });
	const [ledger, others] = [ledgerAt(gone), ledgerAt(other)];
	scene.harness.endWaiting(gone, how);
	await scene.finish('a');
	await until(() => watcherOf(ledger) === undefined, 'it to be forgotten');
	expect(watcherOf(others)).toBeDefined();

	expect((await scene.end(other, 'b')).status).toBe('success');
	expect(scene.resumesOf(gone)).toEqual([]);
});

describe('a batch of runs', () => {
	it('sleeps until the last one has ended; results come in input order, paired, with what they cost together', async () => {
		const asleep = await scene.run({ items: keywords('a', 'b', 'c'), ...PAIRED });
		expect(asleep.status).toBe('waiting');

		await scene.finish('c', 'a');
		await scene.sandbox.callbacksSettled();
		expect(scene.harness.stored(asleep).status).toBe('waiting');
		const run = await scene.end(asleep, 'b');

		expect(run.status).toBe('success');
		expect(idsOf(run)).toEqual(await scene.idsFor('a', 'b', 'c'));
		expect(run.probed[0]).toEqual(['a', 'b', 'c']);
		expect(await scene.asked('bot.run')).toBe(3);
		expect(await scene.asked('run.get')).toBe(3);
		const message = expect.stringMatching(/^3 runs, \d+ credits$/);
		expect(run.hints).toEqual([expect.objectContaining({ message })]);
	});

	it('becomes rows: each paired with the item that its run was started for, and with its fields and files', async () => {
		const input = '={{ { keyword: $json.keyword, max_results: $json.keyword.length } }}';
		const file = { data: Buffer.from('photo').toString('base64'), mimeType: 'text/plain' };
		const [a, b] = keywords('a', 'bbb');
		const options = { includeInput: true, includeInputFiles: true };
		const asleep = await scene.run({
			parameters: scrape({ output: 'rows', input }, options),
			items: [{ json: { ...a?.json }, binary: { photo: file } }, { json: { ...b?.json } }],
			...PAIRED,
		});
		const run = await scene.end(asleep, 'bbb', 'a');

		expect(run.probed[0]).toEqual(['a', 'bbb', 'bbb', 'bbb']);
		expect(passedOn(run).map(({ keyword }) => keyword)).toEqual(['a', 'bbb', 'bbb', 'bbb']);
		const files = run.outputs[0]?.map(({ binary }) => binary);
		expect(files).toEqual([{ photo: file }, undefined, undefined, undefined]);
	});

	it.each<[string, string[], object]>([
		['on the first item with Execute Once', ['a', 'b'], { settings: { executeOnce: true } }],
		['with Always Output Data', ['a'], { settings: { alwaysOutputData: true } }],
	])('sleeps %s, and passes on its results alone', async (_, words, how) => {
		const asleep = await scene.run({ items: keywords(...words), ...how });

		expect(passedOn(await scene.end(asleep, 'a'))).toEqual([finished]);
		expect(await scene.runs()).toHaveLength(1);
	});
});

it('one run is read once when its callback has come', async () => {
	// The callback comes well before the second poll.
	holdPauses(() => scene.callbacks.length === 0);
	const asleep = await scene.run({ items: keywords('a') });
	await scene.sandbox.clearRequests();

	expect(passedOn(await scene.end(asleep, 'a'))).toEqual([finished]);
	expect((await scene.sandbox.load()).byOperation).toEqual({ 'run.get': 1 });
});

it('a run is not polled before the execution sleeps, as the answer to a quick start has said how it stands', async () => {
	holdPauses(() => true);
	await scene.run({ items: keywords('a') });

	expect((await scene.sandbox.load()).byOperation).not.toHaveProperty(['run.getStatus']);
});

it('a run that failed fails the node with what happened, what to do, the run and its log', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	const failure = { code: 4711, message: 'the page canceled the login' };
	const taskId = await scene.move('a', 'failed', { failure });
	const run = await scene.end(asleep);

	expect(run.status).toBe('error');
	const said = `Run ${taskId} failed: the page cancelled the login (code 4711)`;
	const descriptionTemplate = expect.stringMatching(/log: <a href="http/);
	const context = { data: { task_ids: [taskId] }, descriptionTemplate };
	expect(run.error).toMatchObject({ message: expect.stringContaining(said), context });
	expect(run.error?.description).toMatch(/log: http/);
	expect(run.error?.description).not.toContain('Runs started');
});

it('a service that stays broken for half a minute or more while results are read fails the node with the run', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	const { taskId } = await scene.runFor('a');
	await scene.sandbox.addFault({ kind: 'serverError', path: `runs/${taskId}$` });
	const begun = Date.now();
	const run = await scene.end(asleep, 'a');
	const waited = Date.now() - begun;
	expect(waited).toBeGreaterThan(35_000);
	expect(waited).toBeLessThan(120_000);
	expect(run.status).toBe('error');
	expect(run.error).toMatchObject({ description: expect.stringContaining(taskId) });
});

it('what n8n stores of a sleeping execution holds each input item once, each run ID once beside the list by which n8n finds executions, and one secret for all callbacks', async () => {
	const words = Array.from({ length: 10 }, (_, index) => `keyword-${1_000 + index}`);
	const parameters = scrape({ output: 'raw' });
	const asleep = await scene.run({ items: keywords(...words), parameters });
	await scene.started(words.length);
	const stored = await until(() => {
		const { status, data } = scene.harness.stored(asleep);
		const text = stringify(data);
		return status === 'waiting' && !text.includes('"request":') && text;
	}, 'the sleep after the last start to be stored');
	const values: unknown[] = JSON.parse(stored);
	const texts = values.filter((value) => typeof value === 'string');
	const runs = await scene.runs();
	const urls = runs.map(({ callbackUrl }) => new URL(callbackUrl ?? ''));
	const tokens = urls.map(({ searchParams }) => searchParams.get('token'));

	expect(values.filter((value) => Object.hasOwn(Object(value), 'keyword'))).toHaveLength(10);
	for (const { taskId } of runs) {
		expect(texts.filter((text) => text === taskId)).toHaveLength(1);
		expect(texts.filter((text) => text.includes(taskId)).length).toBeLessThanOrEqual(2);
	}
	expect(new Set(tokens).size).toBe(10);
	for (const token of tokens) expect(stored).not.toContain(token);
});

/** So many reads of runs, or of tasks, show them as they were before their end. */
async function lag(times: number): Promise<void> {
	const path = '^/v3/bots/runs/\\d+$|^/v2/workflow/get-task$';
	await scene.sandbox.addFault({ kind: 'lagging', path, times });
}

const row = expect.objectContaining({ title: expect.any(String) });
const FIVE = ['a', 'b', 'c', 'd', 'e'];

const input = '={{ { keyword: $json.keyword, max_results: "1" } }}';
const TASKS = { resource: 'workflow', workflowId: chosen('1001'), input };

describe('a run that has ended, and whose details still show it running', () => {
	it.each<[string, string[], object]>([
		['polled', ['a'], { waitForCompletion: 'poll' }],
		['asleep', ['a'], {}],
		['asleep for tasks', FIVE, TASKS],
	])('is read again: %s', async (_, words, further) => {
		const parameters = scrape({ output: 'rows', ...further });
		const begun = scene.run({ parameters, items: keywords(...words) });
		await scene.started(words.length);
		await lag(2);
		await scene.finish(...words);

		expect(passedOn(await scene.end(await begun))).toEqual(words.map(() => row));
	});

	it('is an error that names it and both statuses, if that stays so', async () => {
		const asleep = await scene.run({ items: keywords(...FIVE) });
		await scene.started(FIVE.length);
		await lag(1_000);
		const { error } = await scene.end(asleep, ...FIVE);

		const taskId = /run (\d+) is/.exec(error?.message ?? '')?.[1];
		expect((await scene.runs()).map((run) => run.taskId)).toContain(taskId);
		const said = `run ${taskId} is finished, but its details still say running`;
		expect(error?.message).toBe(`The service says that ${said}`);
		expect(error).toHaveProperty('context.data.task_ids.length', FIVE.length);
	});
});
