import { stringify } from 'flatted';

import {
	describe as inWords,
	faultsOf,
	isToRetry,
	readOutcomes,
	type Outcome,
} from '../../tools/scale/tally';

const BATCH = 'batch';

const runs = [
	{ taskId: '11', input: { keyword: 's0' } },
	{ taskId: '12', input: { keyword: 's1' } },
	{ taskId: '20', input: { keyword: 'w0' } },
	{ taskId: '21', input: { keyword: 'w1' } },
];

const expected = { starts: 4, started: 4, batchWorkflowId: BATCH, retried: [] };

function outcome(
	executionId: string,
	results: string[][],
	further: Partial<Outcome> = {},
): Outcome {
	const [workflowId, status] = ['single', 'success'];
	return {
		...{ executionId, workflowId, status, results, stoppedAt: '', keyword: undefined },
		...{ data: '', error: '' },
		...further,
	};
}

const single = outcome('1', [['11']], { keyword: 's0' });
const another = outcome('4', [['12']], { keyword: 's1' });
const batch = outcome('2', [['20', '21']], { workflowId: BATCH });

describe('the audit of many executions', () => {
	it('are right when each run has one result, in the order of the items', () => {
		expect(faultsOf([single, another, batch], runs, expected)).toEqual([]);
	});

	it.each([
		['a start too many', [single, another, batch], { started: 5 }, '5 starts for 4 items'],
		['a lost result', [another, batch], {}, 'no result of 1 runs: 11'],
		[
			'a result twice',
			[single, another, batch, outcome('3', [['11']])],
			{},
			'several results of 1 runs: 11',
		],
		[
			'a node that ran twice',
			[outcome('1', [['11'], []]), another, batch],
			{},
			'execution 1 went on 2 times',
		],
		[
			'results in another order',
			[single, another, { ...batch, results: [['21', '20']] }],
			{},
			'execution 2 has results in another order than its items',
		],
	])('show %s', (_, outcomes, further, fault) => {
		expect(faultsOf(outcomes, runs, { ...expected, ...further })).toEqual([fault]);
	});

	it('show two executions that swapped their results', () => {
		const swapped = [
			{ ...single, results: another.results },
			{ ...another, results: single.results },
		];
		expect(faultsOf([...swapped, batch], runs, expected)).toEqual([
			'execution 1 has results of another: 12',
			'execution 4 has results of another: 11',
		]);
	});

	it('name an execution that did not end well, and say whether its runs can be found in it', () => {
		const asleep = outcome('1', [], { status: 'waiting', data: '["11"]' });

		expect(faultsOf([asleep, another, batch], runs, expected)).toEqual([
			'execution 1 is waiting since  and names 1 runs',
			'no result of 1 runs: 11',
		]);
		expect(inWords({ ...asleep, status: 'crashed', stoppedAt: 'noon' }, runs)).toBe(
			'crashed since noon and names 1 runs',
		);
		expect(inWords({ ...asleep, status: 'error', error: 'Too many times' }, runs)).toBe(
			'error since  and names 1 runs (Too many times)',
		);
	});

	it('leave out what was retried: its retry has the results', () => {
		const crashed = outcome('1', [], { status: 'crashed' });
		const retry = outcome('3', [['11']]);

		expect(
			faultsOf([crashed, another, batch, retry], runs, { ...expected, retried: ['1'] }),
		).toEqual([]);
	});
});

it.each([
	['that n8n marked as crashed', { status: 'crashed' }, true],
	['that n8n’s database failed', { status: 'error', error: 'timeout exceeded' }, true],
	['whose run had ended well', { status: 'error', error: 'Run 11 was still finished' }, false],
	['that has its results', { status: 'success' }, false],
])('an execution %s: whether it is retried', (_, further, isRetried) => {
	expect(isToRetry(outcome('1', [], further), runs)).toBe(isRetried);
});

it('what an execution was called with, and what it gave, are read from what n8n keeps', async () => {
	const ran = (json: object) => [{ data: { main: [[{ json }]] } }];
	const runData = { Webhook: ran({ body: { keyword: 's0' } }), Next: ran({ task_id: '11' }) };
	const data = stringify({ resultData: { runData } });
	const failed = stringify({ resultData: { runData: {}, error: { message: 'Run 12 failed' } } });
	const answers = [
		[['1'], ['2']],
		[
			['1', 'single', 'success', 'noon', data],
			['2', 'single', 'error', 'noon', failed],
		],
	];
	const [first, second] = await readOutcomes({ query: async () => answers.shift() ?? [] });
	expect(first).toMatchObject({ executionId: '1', keyword: 's0', results: [['11']], error: '' });
	expect(second).toMatchObject({ executionId: '2', results: [], error: 'Run 12 failed' });
});
