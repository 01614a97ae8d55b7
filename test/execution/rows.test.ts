import type { INodeParameters } from 'n8n-workflow';

import type { JsonObject, JsonValue } from '../../nodes/BrowserAutomation/service/json/json';
import type { FixedOutput } from '../../dev/sandbox/results';
import type { Run } from '../core/harness';
import { ActionFixture, actionNode, chosen, forAllTests, jsonOf } from '../fixture';
import { lapseTime } from '../timeLapse';

const fixture = forAllTests(new ActionFixture());

lapseTime();

beforeEach(async () => await fixture.sandbox.reset());

const BOT = '1011';
const RECORD = { title: 'a', price: 1, reviews: [{ stars: 5 }, { stars: 4 }] };
const LEADS = { leads: [{ a: 1 }, { a: 2 }], took: '3 s' };
const object = (properties: JsonObject): JsonObject => ({ type: 'object', properties });
const LIST = { type: 'array', items: object({ a: { type: 'number' }, b: {} }) };

async function give(output: JsonValue, further: Partial<FixedOutput> = {}): Promise<void> {
	await fixture.sandbox.setOutput({ bot: BOT, output, outputSchema: null, ...further });
}

const botRun = (parameters: INodeParameters): INodeParameters => ({
	botId: chosen(BOT),
	inputMode: 'json',
	input: '{}',
	waitForCompletion: 'poll',
	output: 'rows',
	...parameters,
});

async function runBot(parameters: INodeParameters = {}): Promise<Run> {
	return await fixture.run('bot', 'run', botRun(parameters));
}

function hintsOf({ hints }: Run): string[] {
	return hints.map(({ message }) => message);
}

describe('rows of a run', () => {
	it('are found by the schema of the bot’s output, which is read once', async () => {
		await give(LEADS, { outputSchema: object({ leads: LIST }) });
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 3, bot: BOT });
		await fixture.sandbox.clearRequests();
		const taskId = '={{ { __rl: true, mode: "id", value: $json.id } }}';
		const items = taskIds.map((id) => ({ json: { id } }));
		const run = await fixture.run('run', 'get', { taskId, output: 'rows' }, { items });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toHaveLength(6);
		expect(await fixture.sandbox.requests({ operation: 'bot.get' })).toHaveLength(1);
	});

	it('are none where the schema has a list in the place of a null', async () => {
		await give({ leads: null, status: 'success' }, { outputSchema: object({ leads: LIST }) });
		expect(jsonOf(await runBot())).toEqual([]);
	});

	it('are not guessed while the bot cannot be read, and a run of no bot is one record', async () => {
		await give(LEADS, { outputSchema: object({ leads: LIST }) });
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, bot: BOT });
		const get = async () =>
			await fixture.run('run', 'get', { taskId: chosen(taskIds[0] ?? ''), output: 'rows' });
		await fixture.sandbox.addFault({ kind: 'serverError', path: `/v3/bots/${BOT}$` });
		expect((await get()).error?.message).toContain('internal error');
		await fixture.sandbox.clearFaults();
		const refusal = { kind: 'envelopeError', code: 10111, msg: 'no bot' } as const;
		await fixture.sandbox.addFault({ ...refusal, path: `/v3/bots/${BOT}$` });
		expect(jsonOf(await get())).toEqual([LEADS]);
	});

	it('come from the list that the user names, with what stands beside it', async () => {
		await give(RECORD);
		const rowsFrom = { mode: 'list', value: 'reviews', __rl: true };
		const run = await runBot({ outputOptions: { rowsFrom, includeBeside: true } });
		expect(jsonOf(run)).toEqual([5, 4].map((stars) => ({ stars, title: 'a', price: 1 })));
		expect(run.hints).toEqual([]);
	});

	it.each<[string, JsonValue, INodeParameters]>([
		['an empty list', [], {}],
		['an empty page', { products: [], total: 0 }, {}],
		['an empty page', { products: [], total: 0 }, { output: 'selected', fieldNames: ['task_id'] }],
	])('are none for %s, which a hint tells', async (_, output, parameters) => {
		await give(output);
		const run = await runBot(parameters);
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toEqual([]);
		const hint = expect.stringMatching(/^Run \d+ is finished and brought no rows/);
		expect(hintsOf(run)).toEqual([hint]);
	});

	it.each([
		['come from the JSON file', {}, 200, [{ a: 1 }, { a: 2 }], 0],
		['are missing', { output_files: null }, 200, [{ output: '[{"a":1},{"' }], 1],
		['are missing, as is its JSON file', {}, 404, [{ output: '[{"a":1},{"' }], 1],
	])('%s where the output in the run is cut off', async (_, further, status, items, hints) => {
		await give([{ a: 1 }, { a: 2 }]);
		const members = { output: '[{"a":1},{"', ...further };
		await fixture.sandbox.addFault({ kind: 'members', members, path: '^/v3/bots/runs/\\d+$' });
		if (status !== 200)
			await fixture.sandbox.addFault({ kind: 'answer', status, path: '^/files/' });
		const run = await runBot();
		expect(jsonOf(run)).toEqual(items.map((item) => expect.objectContaining(item)));
		expect(hintsOf(run).filter((hint) => hint.includes('cut off'))).toHaveLength(hints);
	});

	it('that are missing for many runs are told of once', async () => {
		await give([]);
		const items = Array.from({ length: 5 }, () => ({ json: {} }));
		const run = await fixture.run('bot', 'run', botRun({}), { items });
		expect(hintsOf(run)).toEqual([
			expect.stringMatching(/^5 runs, \d+ credits$/),
			expect.stringMatching(/^Run \d+ is .* brought no rows. The same goes for: (\d+(, )?){4}.$/),
		]);
	});

	it('are waited for a few seconds where the output of a V2 task lags behind', async () => {
		await fixture.sandbox.setOutput({ bot: '1001', output: [{ a: 1 }], outputSchema: null });
		const set = botRun({ workflowId: chosen('1001'), input: '{"keyword":"a"}' });
		const members = { output: { string: null, files: null } };
		await fixture.sandbox.addFault({ kind: 'members', members, path: 'get-task', times: 3 });
		const late = await fixture.run('workflow', 'run', set);
		expect(late.error).toBeUndefined();
		expect(jsonOf(late)).toEqual([{ a: 1 }]);
		expect(late.hints).toEqual([]);
	});
});

describe('rows of a run that failed', () => {
	const failure = { code: 20031, message: expect.stringContaining('refused the password') };
	const rows = [{ a: 1 }, { a: 2 }];
	const FAILING = '1004';
	const fields = { output: 'selected', fieldNames: ['a', 'credit'] };

	it.each<[string, JsonValue, INodeParameters & { options?: INodeParameters }, object]>([
		['rows', rows, { output: 'rows' }, { output: rows }],
		['none', [], { output: 'rows', outputOptions: { onlyNewRows: 'all' } }, { output: [] }],
		['text', 'Oops', { output: 'rows' }, { output: 'Oops' }],
		['fields', rows, fields, { credit: 1, output: rows }],
	])('are in an item that tells of the failure: %s', async (_, output, parameters, expected) => {
		const path = '^/v3/bots/runs/\\d+$';
		await fixture.sandbox.addFault({ kind: 'members', members: { output, credit: 1 }, path });
		const string = typeof output === 'string' ? output : JSON.stringify(output);
		const members = { output: { string, files: [] }, credit: 1 };
		await fixture.sandbox.addFault({ kind: 'members', path: 'get-task', members });
		const outputOptions = { ...Object(parameters.outputOptions), failedAsOutput: true };
		const set = botRun({ ...parameters, botId: chosen(FAILING), outputOptions });
		const asOutput = await fixture.run('bot', 'run', set);
		const taskId = chosen((await fixture.sandbox.runs()).at(-1)?.taskId ?? '');
		const results = [asOutput];
		for (const resource of ['run', 'task']) {
			results.push(await fixture.run(resource, 'get', { taskId, ...parameters }));
		}
		for (const run of results) {
			const failed = { task_id: taskId.value, status: 'failed', task_failure_info: failure };
			expect(jsonOf(run)).toEqual([expect.objectContaining({ ...failed, ...expected })]);
			expect(hintsOf(run)).toEqual([]);
		}
	});
});

describe('the fields of the input item', () => {
	const items = [{ json: { keyword: 'lamp', a: 'input' } }, { json: { keyword: 'desk' } }];
	const withInput = async (parameters: INodeParameters): Promise<unknown> => {
		const set = botRun({ ...parameters, outputOptions: { includeInput: true } });
		const run = await fixture.run('bot', 'run', set, { items });
		expect(run.error).toBeUndefined();
		return jsonOf(run);
	};

	it('are in each of its rows, where the row has none of that name', async () => {
		await give([{ a: 1 }, { b: 2 }]);
		expect(await withInput({})).toEqual([
			{ keyword: 'lamp', a: 1 },
			{ keyword: 'lamp', a: 'input', b: 2 },
			{ keyword: 'desk', a: 1 },
			{ keyword: 'desk', b: 2 },
		]);
	});

	it.each([
		['selected fields', { output: 'selected', fieldNames: ['a'] }],
		['runs', { output: 'simplified' }],
		['runs as they are', { output: 'raw' }],
	])('are in its %s, too', async (_, parameters) => {
		await give([{ a: 1 }]);
		const task_id = expect.stringMatching(/^\d+$/);
		expect(await withInput(parameters)).toMatchObject([
			{ keyword: 'lamp', task_id },
			{ keyword: 'desk', task_id },
		]);
	});
});

describe('fields that a user selects', () => {
	it.each<[string, string | string[], string]>([
		['as a text', 'a, task_id', 'a'],
		['as names', ['a', 'task_id'], 'a'],
		['with commas in their names', ['price, net'], 'price, net'],
		// As headings of tables on web pages have them.
		['with spaces at their ends', ['Price\u00a0'], 'Price\u00a0'],
		['with such spaces, by an expression', '={{ ["Price\u00a0"] }}', 'Price\u00a0'],
	])('are those of the rows and of the run: %s', async (_, fieldNames, name) => {
		await give([{ [name]: 1, b: 2 }]);
		const run = await runBot({ output: 'selected', fieldNames });
		expect(jsonOf(run)).toEqual([{ [name]: 1, task_id: expect.any(String) }]);
		expect(run.hints).toEqual([]);
	});

	it.each([
		[[], "Nothing is chosen under 'Field Names or IDs'"],
		['', "'Field Names or IDs' is missing"],
		['a,,b', "'Field Names or IDs' has an empty name"],
		[['a', ''], "'Field Names or IDs' has an empty name"],
	])('are refused before a start: %j', async (fieldNames, message) => {
		const run = await runBot({ output: 'selected', fieldNames });
		expect(run.error?.message).toBe(message);
		expect(await fixture.sandbox.runs()).toEqual([]);
	});
});

describe('an agent gets', () => {
	const answerOf = async (resource: string, operation: string, parameters: INodeParameters) => {
		const setup = actionNode(resource, operation, parameters, { items: [{ json: {} }] });
		const run = await fixture.harness.runAsTool(setup);
		return run.outputs[0]?.[0]?.json.answer;
	};

	it('that a list has nothing', async () => {
		expect(await answerOf('run', 'getAll', { listOutput: 'simplified' })).toEqual([
			{ hint: 'There is nothing: no results were found.' },
		]);
	});

	it('that some of the fields are in no row, and nothing of options', async () => {
		await give([{ a: 1, list: [{ b: 1 }] }]);
		const asleep = { waitForCompletion: 'automatic' };
		const parameters = botRun({ ...asleep, output: 'selected', fieldNames: ['a', 'c'] });
		const hint = expect.stringMatching(/^No row of run \d+ has a field named c\. There are a, /);
		const row = { a: 1, task_id: expect.any(String) };
		expect(await answerOf('bot', 'run', parameters)).toEqual([row, { hint }]);
		await give(RECORD);
		const rows = await answerOf('bot', 'run', botRun(asleep));
		expect(JSON.stringify(rows)).not.toContain('List to Split');
	});
});
