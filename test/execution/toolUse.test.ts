import type { INodeParameters } from 'n8n-workflow';

import { toNodeError } from '../../nodes/BrowserAutomation/execution/failures';
import type { ExecutableOperation } from '../../nodes/BrowserAutomation/execution/executable';
import { failureForAgent, leanItems } from '../../nodes/BrowserAutomation/execution/toolUse';
import { attempt } from '../../nodes/BrowserAutomation/service/attempt';
import { HelpfulError } from '../../nodes/BrowserAutomation/service/errors';
import { V3_RUNS } from '../../nodes/BrowserAutomation/service/runs/runApi';
import { toItems, type Run } from '../core/harness';
import { isJsonObject, type JsonObject } from '../../nodes/BrowserAutomation/service/json/json';
import { ActionFixture, actionNode, chosen, forAllTests, TOOL } from '../fixture';
import { lapseTime, until } from '../timeLapse';
import { insideNode, type Otherwise } from './insideNode';

const fixture = forAllTests(new ActionFixture());

lapseTime();

const request = V3_RUNS.detailRequest('9');

const STARTS: ExecutableOperation = { fields: [], run: { api: V3_RUNS, start: () => request } };
const WAITS: ExecutableOperation = { fields: [], run: { api: V3_RUNS, attach: () => '9' } };
const READS: ExecutableOperation = { fields: [], request: () => request, answer: async () => [] };

async function useAsTool(parameters: INodeParameters, toolArguments: object): Promise<Run> {
	const set = { waitForCompletion: 'automatic', ...parameters };
	const items = toItems({ ...toolArguments });
	return await fixture.harness.runAsTool(actionNode('bot', 'run', set, { items }));
}

function answerOf(run: Run): unknown {
	expect(run.error).toBeUndefined();
	return run.outputs[0]?.[0]?.json.answer;
}

/** The objects of an answer that is a list, as the model reads them. */
function answersOf(run: Run): JsonObject[] {
	const answers: unknown = JSON.parse(JSON.stringify(answerOf(run)));
	return Array.isArray(answers) ? answers.filter(isJsonObject) : [];
}

const scraper = (max: string): INodeParameters => ({
	botId: chosen('1001'),
	inputMode: 'json',
	input: `={{ { keyword: $fromAI('keyword'), max_results: ${max} } }}`,
	options: {},
});

describe('a bot as the tool of an agent', () => {
	it('is given its input by the model, field by field', async () => {
		const value = {
			keyword: "={{ $fromAI('keyword', 'What to look for', 'string') }}",
			max_results: "={{ $fromAI('max', 'How many', 'number') }}",
		};
		const inputFields = { mappingMode: 'defineBelow', value, schema: [] };
		const parameters = { botId: chosen('1001'), inputFields, output: 'rows', options: {} };
		const run = await useAsTool(parameters, { keyword: 'lamp', max: 2 });
		expect(answerOf(run)).toMatchObject([
			{ title: expect.stringContaining('lamp') },
			{ title: expect.stringContaining('lamp') },
		]);
	});

	it('answers with what a model needs, and no nulls or steps', async () => {
		const run = await useAsTool({ ...scraper('2'), output: 'raw' }, { keyword: 'lamp' });
		const [answer] = answersOf(run);
		expect(answer).toMatchObject({
			status: 'finished',
			output: [{}, {}],
			output_files: { json: { download_url: expect.stringMatching(/^http/) } },
		});
		expect(answer).not.toHaveProperty('steps');
		expect(JSON.stringify(answer)).not.toContain('null');
	});

	it('is never longer than what a model can read, however many places are cut', async () => {
		const output = Object.fromEntries(
			Array.from({ length: 900 }, (_, index) => [`${'long'.repeat(20)}${index}`, 'x'.repeat(200)]),
		);
		const body = JSON.stringify({ task_id: '9', status: 'finished', output });
		const path = '/9$';
		await fixture.sandbox.addFault({ kind: 'answer', status: 200, body, path, times: 1 });
		const get = { resource: 'run', operation: 'get', taskId: chosen('9'), output: 'raw' };
		const answer = answerOf(await useAsTool(get, {}));
		expect(JSON.stringify(answer).length).toBeLessThan(40_000);
		expect(JSON.stringify(answer)).toMatch(/and \d+ more places/);
	});

	it('names downloaded files with their size, and leaves out the files themselves', async () => {
		const run = await useAsTool(
			{ ...scraper('1'), output: 'rows', files: { downloadFiles: ['csv'] } },
			{ keyword: 'lamp' },
		);
		expect(answerOf(run)).toMatchObject([
			{
				title: expect.stringContaining('lamp'),
				downloaded_files: [{ name: 'result.csv', size: expect.any(String), mime_type: 'text/csv' }],
			},
		]);
	});
});

describe('a failure, to an agent that shows its model nothing of an error', () => {
	afterEach(async () => {
		await fixture.sandbox.clearFaults();
		await fixture.sandbox.setDurations({ created: 0, running: 50 });
	});

	const failed = async (run: Run): Promise<string> => {
		const [answer] = answersOf(run);
		expect(answer).not.toHaveProperty('error');
		return String(answer?.failed);
	};

	it('is a text that says what to do, and that nothing was started', async () => {
		const text = await failed(await useAsTool(scraper('900'), { keyword: 'lamp' }));
		expect(text).toContain('max_results) is 900, more than 500');
		expect(text).toContain('Correct the fields named above');
		expect(text).toContain('No run was started, so this tool may be called again.');
	});

	it('says that another call may start a second run where the first is not known', async () => {
		const cut = { kind: 'cutConnection', after: true, method: 'POST', times: 1 } as const;
		await fixture.sandbox.addFault(cut);
		const before = (await fixture.sandbox.runs()).length;
		const text = await failed(await useAsTool(scraper('1'), { keyword: 'lamp' }));
		expect(text).toContain('Whether the run was started is not known');
		expect(text).toContain('Calling this tool again may start a second run.');
		expect(await fixture.sandbox.runs()).toHaveLength(before + 1);
	});

	it('names the run that did not do its work', async () => {
		await fixture.sandbox.setDurations({ created: 0, running: null });
		const started = useAsTool(scraper('1'), { keyword: 'doomed' });
		const { taskId } = await until(
			async () => (await fixture.sandbox.runs()).find(({ input }) => input.keyword === 'doomed'),
			'the start',
		);
		const failure = { code: 4711, message: 'the site was closed' };
		await fixture.sandbox.moveRun({ taskId, status: 'failed', failure });
		const [answer] = answersOf(await started);
		expect(answer?.failed).toContain(`Run ${taskId} failed: the site was closed (code 4711)`);
		expect(answer?.failed).toContain('Calling this tool again starts another run.');
		expect(answer?.task_ids).toEqual([taskId]);
	});
});

it('a failure, to an agent that shows its model the message of an error, is one that says it all', async () => {
	const parameters = { ...scraper('900'), waitForCompletion: 'automatic' };
	const setup = { ...actionNode('bot', 'run', parameters), nodeType: TOOL };
	const { error } = await fixture.harness.run(setup);
	expect(error?.message).toMatch(
		/max_results\) is 900, more than 500.* Correct the fields named above.* No run was started, so this tool may be called again\.$/s,
	);
	expect(error).toHaveProperty('context.itemIndex', 0);
});

describe('the words of a failure', () => {
	const wordsOf = async (operation: ExecutableOperation, error: Error): Promise<unknown> =>
		await insideNode(
			(context) => failureForAgent(context, operation, error)[0]?.json,
			{},
			{ isToolExecution: () => true },
		);

	it.each([
		['It failed. Look', '.', new HelpfulError('It failed', 'Look')],
		['It failed. Look.', '', new HelpfulError('It failed', 'Look.')],
		['It failed. Look!', '', new HelpfulError('It failed', 'Look!')],
		['It failed. Look?', '', new HelpfulError('It failed', 'Look?')],
		['It failed', '.', new HelpfulError('It failed', '')],
		['It failed: Look', '.', new HelpfulError('It failed: Look', 'Look')],
		['It failed', '.', new Error('It failed')],
	])('are its own, and what to do, once; what is said of starting again: %s', async (...row) => {
		const [failed, end, error] = row;
		const again = 'No run was started, so this tool may be called again.';
		expect(await wordsOf(READS, error)).toEqual({ failed });
		expect(await wordsOf(WAITS, error)).toEqual({ failed });
		expect(await wordsOf(STARTS, error)).toEqual({ failed: `${failed}${end} ${again}` });
	});
});

describe('a failure of the second item', () => {
	/** What an agent gets, or the error that is thrown. */
	async function answerTo(agent: Otherwise, page?: string): Promise<unknown> {
		return await insideNode(
			async (context) => {
				const advice = page === undefined ? 'Look' : `Look: ${page}`;
				const failed = new HelpfulError('It failed', advice, page);
				const nodeError = toNodeError(context.getNode(), failed, 1);
				const attempted = await attempt(() => failureForAgent(context, READS, nodeError));
				return attempted.ok ? attempted.value : attempted.error;
			},
			{},
			agent,
		);
	}

	const older = { isToolExecution: () => true };

	it('is a text for an older agent, and an error about that item for another', async () => {
		const text = { json: { failed: 'It failed. Look' }, pairedItem: { item: 0 } };
		expect(await answerTo(older)).toEqual([text]);
		expect(await answerTo({ ...older, getExecutionCancelSignal: undefined })).toEqual([text]);
		const error = await answerTo({ isToolExecution: () => false });
		expect(error).toHaveProperty('context.itemIndex', 1);
	});

	it('is given once, also where the editor would show its advice with a link', async () => {
		const error = await answerTo({ isToolExecution: () => false }, 'https://service.test/log');
		expect(error).toHaveProperty('message', 'It failed. Look: https://service.test/log');
		expect(error).not.toHaveProperty('context.descriptionTemplate', expect.anything());
	});

	it('is an error for any agent where the execution was stopped', async () => {
		const stopped = { ...older, getExecutionCancelSignal: () => AbortSignal.abort() };
		expect(await answerTo(stopped)).toHaveProperty('context.itemIndex', 1);
	});
});

describe('the items that an agent gets', () => {
	it('end with a note on what was left out, paired with the last of them', () => {
		const long = (item: number) => ({ json: { text: 'x'.repeat(30_000) }, pairedItem: { item } });
		const [, ...notes] = leanItems([long(0), long(1), long(2)]);
		const shortened = expect.objectContaining({ shown: ['1 of 3 items'] });
		expect(notes).toEqual([{ json: { shortened }, pairedItem: { item: 2 } }]);
		const how = { to_get_the_rest: expect.stringContaining('does not give these rows again') };
		const [, note] = leanItems([long(0), long(1)], true);
		expect(note?.json.shortened).toEqual(expect.objectContaining(how));
	});

	it('are paired as they were, and name files as far as n8n knows of them', () => {
		const items = [{ json: { a: 1 }, pairedItem: { item: 0 } }, { json: { b: 2 } }];
		expect(leanItems(items)).toStrictEqual(items);
		const file = { data: '', mimeType: 'text/plain' };
		const json = { a: 1 };
		expect(leanItems([{ json, binary: {} }])).toStrictEqual([{ json }]);
		expect(leanItems([{ json, binary: { f: file } }])).toStrictEqual([
			{ json: { a: 1, downloaded_files: [{ name: 'f', mime_type: 'text/plain' }] } },
		]);
		const none = { json: { files: [] } };
		expect(leanItems([{ ...none, binary: { f: file } }])).toStrictEqual([none]);
	});
});
