import { describe as inWords, faultsOf, type Outcome } from '../../scale/tally';

const BATCH = 'batch';

const runs = [
	{ taskId: '11', input: { keyword: 's0' } },
	{ taskId: '20', input: { keyword: 'w0' } },
	{ taskId: '21', input: { keyword: 'w1' } },
];

const expected = { starts: 3, started: 3, batchWorkflowId: BATCH, retried: [] };

function outcome(
	executionId: string,
	results: string[][],
	further: Partial<Outcome> = {},
): Outcome {
	const [workflowId, status] = ['single', 'success'];
	return { executionId, workflowId, status, stoppedAt: '', data: '', results, ...further };
}

const single = outcome('1', [['11']]);
const batch = outcome('2', [['20', '21']], { workflowId: BATCH });

describe('the books of many executions', () => {
	it('are right when each run has one result, in the order of the items', () => {
		expect(faultsOf([single, batch], runs, expected)).toEqual([]);
	});

	it.each([
		['a start too many', [single, batch], { started: 4 }, '4 starts for 3 items'],
		['a lost result', [batch], {}, 'no result of 1 runs: 11'],
		[
			'a result twice',
			[single, batch, outcome('3', [['11']])],
			{},
			'several results of 1 runs: 11',
		],
		[
			'a node that ran twice',
			[outcome('1', [['11'], []]), batch],
			{},
			'execution 1 went on 2 times',
		],
		[
			'results in another order',
			[single, { ...batch, results: [['21', '20']] }],
			{},
			'execution 2 has results in another order than its items',
		],
	])('show %s', (_, outcomes, further, fault) => {
		expect(faultsOf(outcomes, runs, { ...expected, ...further })).toEqual([fault]);
	});

	it('name an execution that did not end well, and say whether its runs can be found in it', () => {
		const asleep = outcome('1', [], { status: 'waiting', data: '["11"]' });

		expect(faultsOf([asleep, batch], runs, expected)).toEqual([
			'execution 1 is waiting since  and names 1 runs',
			'no result of 1 runs: 11',
		]);
		expect(inWords({ ...asleep, status: 'crashed', stoppedAt: 'noon' }, runs)).toBe(
			'crashed since noon and names 1 runs',
		);
	});

	it('leave out what was retried: its retry has the results', () => {
		const crashed = outcome('1', [], { status: 'crashed' });
		const retry = outcome('3', [['11']]);

		expect(faultsOf([crashed, batch, retry], runs, { ...expected, retried: ['1'] })).toEqual([]);
	});
});
