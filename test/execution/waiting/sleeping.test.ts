import { watcherOf } from '../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import { chosen } from '../../fixture';
import { ledgerOf } from './ledgerOf';
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

it.each(['deleted', 'stopped'] as const)(
	'one that was %s in n8n is forgotten once its runs have ended',
	async (how) => {
		const gone = await scene.run({ items: keywords('a') });
		const other = await scene.run({ items: keywords('b') });
		const [ledger, others] = [gone, other].map((one) => scene.ledgerOf(one) ?? ledgerOf());
		scene.harness.endWaiting(gone, how);
		await scene.finish('a');
		await until(() => watcherOf(ledger ?? {}) === undefined, 'it to be forgotten');
		expect(watcherOf(others ?? {})).toBeDefined();

		expect((await scene.end(other, 'b')).status).toBe('success');
		expect(scene.resumesOf(gone)).toEqual([]);
	},
);

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

	it('says at its end what of its input the bot may have ignored', async () => {
		const inputSchema = { properties: { keyword: { type: 'string' } } };
		await scene.sandbox.addBot({ id: '4711', name: 'Changed', inputSchema });
		const parameters = scrape({ botId: chosen('4711') });
		const asleep = await scene.run({ parameters, items: keywords('a') });
		const run = await scene.end(asleep, 'a');

		const message = expect.stringMatching(/^The bot has no field .*max_results.* \(any more\);/);
		expect(run.hints).toEqual([expect.objectContaining({ message })]);
	});

	it('becomes rows: each paired with the item that its run was started for, and with its fields and files', async () => {
		const input = '={{ { keyword: $json.keyword, max_results: $json.keyword.length } }}';
		const file = { data: Buffer.from('photo').toString('base64'), mimeType: 'text/plain' };
		const [a, b] = keywords('a', 'bbb');
		const asleep = await scene.run({
			parameters: scrape(
				{ output: 'rows', input },
				{ includeInput: true, includeInputFiles: true },
			),
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
	expect(run.error?.message).toContain(
		`Run ${taskId} failed: the page cancelled the login (code 4711)`,
	);
	expect(run.error).toMatchObject({
		description: expect.stringMatching(/log: http/),
		context: {
			data: { task_ids: [taskId] },
			descriptionTemplate: expect.stringMatching(/log: <a href="http/),
		},
	});
	expect(run.error).toHaveProperty('description', expect.not.stringContaining('Runs started'));
});

it('a service that stays broken for half a minute or more while results are read fails the node with the run', async () => {
	const asleep = await scene.run({ items: keywords('a') });
	const { taskId } = await scene.runFor('a');
	await scene.sandbox.addFault({ kind: 'serverError', path: `runs/${taskId}$` });
	const begun = Date.now();
	const run = await scene.end(asleep, 'a');
	const waited = Date.now() - begun;

	expect(waited).toBeGreaterThan(35_000);
	expect(waited).toBeLessThan(75_000);

	expect(run.status).toBe('error');
	expect(run.error).toMatchObject({ description: expect.stringContaining(taskId) });
});
