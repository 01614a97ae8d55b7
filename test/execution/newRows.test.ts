import { randomUUID } from 'node:crypto';
import type { IExecuteFunctions, INodeParameters } from 'n8n-workflow';

import { giveHints } from '../../nodes/BrowserAutomation/execution/hints';
import { onlyNewRows, toRows } from '../../nodes/BrowserAutomation/execution/newRows';
import { HISTORY, isFirstToRecord } from '../../nodes/BrowserAutomation/execution/sharedRecord';
import { MAX_EVENT_RECORDS } from '../../nodes/BrowserAutomation/execution/sharedRecord';
import { resultItems } from '../../nodes/BrowserAutomation/execution/runResult';
import type { JsonObject, JsonValue } from '../../nodes/BrowserAutomation/service/json/json';
import { V3_RUNS } from '../../nodes/BrowserAutomation/service/runs/runApi';
import type { Run, RunOptions } from '../core/harness';
import { actionNode, ActionFixture, chosen, forAllTests, inGroups, jsonOf } from '../fixture';
import { endTimeLapse, lapseTime, startTimeLapse, until } from '../timeLapse';
import { insideNode, type Otherwise } from './insideNode';
import { ProcessedData } from '../fixture/processedData';

const fixture = forAllTests(new ActionFixture());
let processed: ProcessedData;

lapseTime();

beforeEach(async () => {
	processed = ProcessedData.install();
	await fixture.sandbox.reset();
});

const BOT = '1011';
const OTHER_BOT = '1012';
const LAMP = { url: '/lamp', price: 20 };
const DESK = { url: '/desk', price: 90 };
const CHAIR = { url: '/chair', price: 60 };

async function give(output: JsonValue): Promise<void> {
	await fixture.sandbox.setOutput({ bot: BOT, output, outputSchema: null });
}

async function runBot(
	options: INodeParameters = {},
	{ items = [BOT], ...further }: Partial<Omit<RunOptions, 'items'>> & { items?: string[] } = {},
): Promise<Run> {
	const parameters: INodeParameters = {
		botId: '={{ { __rl: true, mode: "id", value: $json.bot } }}',
		inputMode: 'json',
		input: '{}',
		waitForCompletion: 'poll',
		output: 'rows',
		...inGroups({ onlyNewRows: 'all', ...options }),
	};
	const bots = items.map((bot) => ({ json: { bot } }));
	return await fixture.run('bot', 'run', parameters, { ...further, items: bots });
}

const FAILING_BOT = '1004';

describe('only new or changed rows', () => {
	it('are those that no earlier execution has given, in any of its runs', async () => {
		await give([LAMP, DESK]);
		const first = await runBot();
		await give([LAMP, { ...DESK, price: 80 }, CHAIR]);
		const second = await runBot({}, { items: [BOT, BOT] });

		expect(jsonOf(first)).toEqual([LAMP, DESK]);
		expect(jsonOf(second)).toEqual([{ ...DESK, price: 80 }, CHAIR]);
		const paired = second.outputs[0]?.map(({ pairedItem }) => pairedItem);
		expect(paired).toEqual([{ item: 0 }, { item: 0 }]);
	});

	it('come once of two executions that end at the same moment, and none is forgotten', async () => {
		await give([LAMP, DESK]);
		await fixture.sandbox.setOutput({ bot: OTHER_BOT, output: [DESK, CHAIR], outputSchema: null });
		processed.writesWithin = 300;
		const runs = [runBot(), runBot({}, { items: [OTHER_BOT] })];
		const given = (await Promise.all(runs)).flatMap((run) => jsonOf(run));
		expect(given).toHaveLength(3);
		expect(given).toEqual(expect.arrayContaining([LAMP, DESK, CHAIR]));
		expect(jsonOf(await runBot({}, { items: [BOT, OTHER_BOT] }))).toEqual([]);
	});

	it('are the same whatever input they come from, and have its fields', async () => {
		await give([LAMP]);
		expect(jsonOf(await runBot({ includeInput: true }))).toEqual([{ bot: BOT, ...LAMP }]);
		await fixture.sandbox.setOutput({ bot: OTHER_BOT, output: [LAMP, DESK], outputSchema: null });
		const other = await runBot({ includeInput: true }, { items: [OTHER_BOT] });
		expect(jsonOf(other)).toEqual([{ bot: OTHER_BOT, ...DESK }]);
	});

	it('are the same in whatever order their fields are, also further within; a hint tells that none is new', async () => {
		await give([{ url: '/lamp', offers: [{ shop: 'a', price: 20 }] }]);
		await runBot();
		await give([{ offers: [{ price: 20, shop: 'a' }], url: '/lamp' }]);
		const again = await runBot();
		expect(again.error).toBeUndefined();
		expect(jsonOf(again)).toEqual([]);
		expect(again.hints.map(({ message }) => message)).toEqual([
			'None of the 1 rows is new or changed since the last execution, tests included.',
		]);
		expect(jsonOf(await runBot({ compareFields: ['offers'] }))).toHaveLength(1);
		await give([{ offers: [{ shop: 'a', price: 20 }], url: '/lamp' }]);
		expect(jsonOf(await runBot({ compareFields: ['offers'] }))).toEqual([]);
	});

	it('may be none, which a note tells an agent', async () => {
		await give([LAMP]);
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 1, bot: BOT });
		const options = { output: 'rows', outputOptions: { onlyNewRows: 'all' } };
		const get = { taskId: chosen(taskIds[0] ?? ''), ...options };
		const items = [{ json: {} }, { json: {} }];
		const run = await fixture.harness.runAsTool(actionNode('run', 'get', get, { items }));
		const none = { hint: expect.stringContaining('None of the 1 rows') };
		expect(jsonOf(run).map(({ answer }) => answer)).toEqual([[LAMP], [none]]);
	});

	it('go on beside items that are no rows, which n8n compares with nothing', async () => {
		await give([LAMP]);
		const runBoth = async (items: string[]): Promise<unknown[]> =>
			jsonOf(await runBot({}, { items, onError: 'continueRegularOutput' }));
		const failed = expect.objectContaining({ error: expect.any(String) });
		expect(await runBoth([FAILING_BOT, BOT])).toEqual([failed, LAMP]);
		expect(await runBoth([BOT, FAILING_BOT])).toEqual([failed]);
		processed.isBroken = true;
		expect(jsonOf(await runBot({ onlyNewRows: undefined }))).toEqual([LAMP]);
	});

	it('are told apart by the fields that the user names', async () => {
		await give([LAMP, DESK]);
		await runBot({ compareFields: ['url'] });
		const unnamed = [{ price: 5 }, { url: null, price: 5 }, { url: null, price: 6 }, { url: '' }];
		await give([{ ...LAMP, price: 1 }, CHAIR, ...unnamed]);
		expect(jsonOf(await runBot({ compareFields: ['url'] }))).toEqual([CHAIR, ...unnamed]);
	});

	it('are compared whole where the first of these fields has no value', async () => {
		const unnamed = [LAMP, DESK].map(({ url }) => ({ url: null, price: 20, title: url }));
		await give([...unnamed, { ...LAMP, price: null }]);
		const options = { compareFields: ['url', 'price'] };
		expect(jsonOf(await runBot(options))).toHaveLength(3);
		await give([
			{ ...unnamed[0], title: '/sofa' },
			{ ...LAMP, price: null, title: 'Lamp' },
		]);
		expect(jsonOf(await runBot(options))).toEqual([{ ...unnamed[0], title: '/sofa' }]);
		// A name that means something to JavaScript.
		const others: JsonObject[] = [{ ['toString']: 'a' }, { title: 'b' }, { title: 'c' }];
		const rows = toRows(others, '1', { compare: ['toString'], firstTime: 'all' });
		expect(new Set(rows.map(({ row }) => row?.identity)).size).toBe(3);
	});

	it('are compared whole where no field is named, also with a column that has no name', () => {
		const unnamed = [LAMP, DESK].map((row) => ({ '': 'x', ...row }));
		const rows = toRows(unnamed, '1', { compare: [], firstTime: 'all' });
		expect(new Set(rows.map(({ row }) => row?.identity)).size).toBe(2);
	});

	it('are those after the first time, if the user likes', async () => {
		await give([LAMP, DESK]);
		const first = await runBot({ onlyNewRows: 'none' });
		await give([LAMP, DESK, CHAIR]);
		const second = await runBot({ onlyNewRows: 'none' });
		expect(jsonOf(first)).toEqual([]);
		expect(first.hints[0]?.message).toMatch(/^Remembered 2 rows\. /);
		expect(jsonOf(second)).toEqual([CHAIR]);
	});

	describe.each(['all', 'none'] as const)('the first time: %s', (firstTime) => {
		const roundWith = async (...rows: JsonObject[]) =>
			await insideNode(async (context) => {
				const items = toRows(rows, '1', { firstTime, compare: [] }).map((item) => ({ ...item }));
				return await onlyNewRows(context, items);
			});
		const recordOthers = async (count: number) =>
			await insideNode(async (context) => {
				const others = Array.from({ length: count }, () => randomUUID());
				await context.helpers.checkProcessedAndRecord(others, 'node', HISTORY);
				return [];
			});

		it('they stay remembered whatever events are recorded of the node', async () => {
			await roundWith(LAMP);
			await insideNode(async (context) => {
				for (let event = 0; event < MAX_EVENT_RECORDS / 2; event++)
					await isFirstToRecord(context, `event ${event}`, `event ${event} of this call`);
				return [];
			});
			expect(await roundWith(LAMP, DESK)).toEqual([{ json: DESK }]);
		});

		it('those that are still there stay remembered, however many others were given since', async () => {
			await roundWith(LAMP);
			await recordOthers(HISTORY.maxEntries - 2 * MAX_EVENT_RECORDS);
			await roundWith(LAMP);
			await recordOthers(10);
			expect(await roundWith(LAMP, DESK)).toEqual([{ json: DESK }]);
			await recordOthers(HISTORY.maxEntries / 2);
			expect(await roundWith(LAMP, CHAIR)).toEqual([{ json: CHAIR }]);
		});
	});

	it('are not taken for given where the node fails afterwards', async () => {
		await give([LAMP]);
		const failed = await runBot({}, { items: [BOT, FAILING_BOT] });
		expect(failed.error?.message).toContain('the site refused the password');
		expect(jsonOf(await runBot())).toEqual([LAMP]);
	});

	it('are not taken for given where the execution is stopped, whatever the node does after failures', async () => {
		await give([LAMP]);
		const { taskIds } = await fixture.sandbox.seedRuns({ count: 2, bot: BOT });
		const [, slow] = taskIds;
		await fixture.sandbox.addFault({ kind: 'latency', ms: 600_000, path: `/${slow}$` });
		const reading = {
			taskId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			output: 'rows',
			outputOptions: { onlyNewRows: 'all' },
		};
		const items = taskIds.map((id) => ({ json: { id } }));
		const further = { items, onError: 'continueRegularOutput' } as const;
		const started = await fixture.harness.start(actionNode('run', 'get', reading, further));
		const asked = async () => await fixture.sandbox.requests({ operation: 'run.get' });
		await until(async () => (await asked()).length === 2, 'both reads');
		started.abort();
		expect((await started.done).status).toBe('canceled');
		await endTimeLapse();
		startTimeLapse();
		await fixture.sandbox.clearFaults();

		expect(jsonOf(await fixture.run('run', 'get', reading, { items }))).toEqual([LAMP]);
	});

	describe('where n8n executes the node again for a failure', () => {
		const again: Partial<Omit<RunOptions, 'items'>> = {
			onError: 'continueRegularOutput',
			settings: { retryOnFail: true, maxTries: 3, waitBetweenTries: 1 },
		};
		const failed = expect.objectContaining({ error: expect.any(String) });

		it('are those that this execution had found new', async () => {
			await give([LAMP]);
			await runBot();
			await give([LAMP, DESK]);
			const run = await runBot({}, { ...again, items: [FAILING_BOT, BOT] });
			expect(jsonOf(run)).toEqual([failed, DESK]);
			expect(jsonOf(await runBot({}, again))).toEqual([]);
		});

		it.each([
			['not given again', 'all', [[LAMP], [DESK], [DESK]]],
			['none the first time, if the user likes,', 'none', [[], [], []]],
		] as const)('are %s in the next round of a loop', async (_, firstTime, expected) => {
			let $runIndex = 0;
			const round = async (context: IExecuteFunctions, ...rows: JsonObject[]) => {
				const items = toRows(rows, '1', { firstTime, compare: [] }).map((item) => ({ ...item }));
				return await onlyNewRows(context, items);
			};
			const given = await insideNode(
				async (context) => {
					const first = await round(context, LAMP);
					$runIndex = 1;
					return [first, await round(context, LAMP, DESK), await round(context, LAMP, DESK)];
				},
				again,
				{ getWorkflowDataProxy: () => ({ $runIndex }) },
			);
			expect(given.map((items) => items.map(({ json }) => json))).toEqual(expected);
		});

		it('are none the first time, if the user likes', async () => {
			await give([LAMP, DESK]);
			const bots = { ...again, items: [FAILING_BOT, BOT] };
			const first = await runBot({ onlyNewRows: 'none' }, bots);
			expect(jsonOf(first)).toEqual([failed]);
			await give([LAMP, DESK, CHAIR]);
			expect(jsonOf(await runBot({ onlyNewRows: 'none' }, bots))).toEqual([failed, CHAIR]);
		});
	});

	it('bring along the files of their run', async () => {
		await give([LAMP]);
		await runBot();
		await give([LAMP, DESK, CHAIR]);
		const run = await runBot({ downloadFiles: ['json'] });
		expect(jsonOf(run)).toEqual([DESK, CHAIR]);
		expect(run.outputs[0]?.map(({ binary }) => Object.keys(binary ?? {}))).toEqual([['json'], []]);
	});

	it('bring along which file of their run could not be downloaded', async () => {
		await give([LAMP, CHAIR]);
		await runBot();
		await give([LAMP, CHAIR, DESK]);
		const options = {
			downloadFiles: ['json'],
			maxFileSize: 1 / 1024 ** 2,
			ifFileFails: 'continue',
		};
		const files = [expect.objectContaining({ error: expect.any(String) })];
		expect(jsonOf(await runBot(options))).toEqual([{ ...DESK, files }]);
	});

	it('do not take over the files of another run that has none of them', async () => {
		await give([LAMP]);
		await runBot();
		await fixture.sandbox.setOutput({ bot: OTHER_BOT, output: [DESK], outputSchema: null });
		const known = await fixture.sandbox.seedRuns({ count: 1, bot: BOT });
		const fresh = await fixture.sandbox.seedRuns({ count: 1, bot: OTHER_BOT });
		const parameters = {
			taskId: { __rl: true, mode: 'id', value: '={{ $json.id }}' },
			output: 'rows',
			...inGroups({ onlyNewRows: 'all', downloadFiles: '={{ $json.files }}' }),
		};
		const items = [
			{ json: { id: known.taskIds[0] ?? '', files: ['json'] } },
			{ json: { id: fresh.taskIds[0] ?? '', files: [] } },
		];
		const run = await fixture.run('run', 'get', parameters, { items });
		expect(run.outputs[0]?.map(({ json, binary }) => [json, binary])).toEqual([[DESK, undefined]]);
	});

	it('may be none because the run has none, whatever is compared', async () => {
		await give([]);
		const run = await runBot({ compareFields: ['url'] });
		expect(run.error).toBeUndefined();
		expect(jsonOf(run)).toEqual([]);
		expect(run.hints[0]?.message).toContain('brought no rows');
	});

	it('cannot be told apart by what no row has, which names the run', async () => {
		await give([LAMP]);
		const { error } = await runBot({ compareFields: ['link'] });
		expect(error?.message).toMatch(/^No row of run \d+ has a field named link$/);
		expect(error?.description).toContain('There are url, price.');
	});

	it('name their runs where n8n cannot compare them', async () => {
		await give([LAMP]);
		processed.isBroken = true;
		const { error } = await runBot();
		const taskId = (await fixture.sandbox.runs()).at(-1)?.taskId;
		const message = 'n8n could not compare the rows with earlier ones: the database is down';
		expect(error?.message).toBe(message);
		expect(error).toHaveProperty('context.data.task_ids', [taskId]);
		expect(error?.description).toContain(`Their runs: ${taskId}.`);

		const { outputs } = await runBot({}, { onError: 'continueRegularOutput' });
		expect(outputs[0]).toEqual([
			{ json: expect.objectContaining({ error: error?.message }), pairedItem: { item: 0 } },
		]);
	});
});

describe('the next step', () => {
	interface Step {
		mode?: 'manual' | 'trigger';
		id?: string;
		children?: object[];
		items?: object[];
		includeInput?: boolean;
	}

	const hintsOf = async (
		output: JsonValue,
		{ mode = 'manual', id = randomUUID(), children = [], items = [{}], ...settings }: Step = {},
	): Promise<string[]> => {
		const hints: string[] = [];
		const editor: Otherwise = {
			getChildNodes: () => children,
			getInputData: () => items.map((json) => ({ json })),
			addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		};
		const run = { task_id: '1', status: 'finished', output };
		const request = V3_RUNS.detailRequest('1');
		const client = { baseUrl: '', send: async () => undefined };
		const work = async (context: IExecuteFunctions): Promise<unknown> => {
			const reading = { context, client, request, run };
			const given = await resultItems(reading, { output: 'rows', ...settings });
			giveHints(context);
			return given;
		};
		await insideNode(work, { mode, id }, editor);
		return hints;
	};

	it('is shown once, in the editor, while nothing is connected behind the node', async () => {
		const id = randomUUID();
		expect(await hintsOf([LAMP], { id, mode: 'trigger' })).toEqual([]);
		expect(await hintsOf([LAMP], { id, children: [{ name: 'Data Table' }] })).toEqual([]);
		expect(await hintsOf([LAMP], { id })).toEqual([expect.stringMatching(/^Next: keep the rows/)]);
		expect(await hintsOf([LAMP], { id })).toEqual([]);
	});

	it('is how to find the item of a row, where there were several', async () => {
		const items = [{ keyword: 'a' }, { keyword: 'b' }];
		expect(await hintsOf([LAMP], { items })).toEqual([
			expect.stringMatching(/^Next: .*Include Other Input Fields/),
		]);
		expect(await hintsOf([LAMP], { items, includeInput: true })).toEqual([
			expect.stringMatching(/^Next: keep the rows/),
		]);
	});

	it('is not shown where there is something else to say', async () => {
		const id = randomUUID();
		expect(await hintsOf([], { id })).toEqual([expect.stringContaining('brought no rows')]);
		expect(await hintsOf([LAMP], { id })).toHaveLength(1);
	});
});
