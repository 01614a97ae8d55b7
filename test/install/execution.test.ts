import { stringify } from 'flatted';
import { Execution } from '../../dev/n8n/execution';

function execution(status: string, data: object): Execution {
	return new Execution({ id: '7', status, mode: 'manual', workflowId: 'w', data: stringify(data) });
}

const asleep = {
	resultData: { runData: {}, lastNodeExecuted: 'Bot' },
	executionData: { nodeExecutionStack: [{ node: { name: 'Bot' } }] },
};

describe('an execution read from n8n', () => {
	it('gives the items of the latest run of a node', () => {
		const run = (value: number) => ({
			executionStatus: 'success',
			startTime: 1,
			executionTime: 2,
			data: { main: [[{ json: { value }, pairedItem: { item: 0 } }], []] },
		});
		const read = execution('success', {
			resultData: { runData: { Bot: [run(1), run(2)] }, lastNodeExecuted: 'Bot' },
		});

		expect(read.json('Bot')).toEqual([{ value: 2 }]);
		expect(read.items('Bot')[0]?.pairedItem).toBe(0);
		expect(read.json('Bot', 1)).toEqual([]);
		expect(read.runs('Bot')).toHaveLength(2);
		expect(read.json('Another')).toEqual([]);
	});

	it('tells the failure', () => {
		const error = { message: 'Run 1 failed', description: 'Try again' };
		const read = execution('error', { resultData: { error, runData: {} } });

		expect(read.failure).toEqual(error);
		expect(read.isOver).toBe(true);
	});

	it('knows when its data is older than its status', () => {
		expect(execution('success', asleep).isConsistent).toBe(false);
		expect(execution('error', asleep).isConsistent).toBe(false);
		expect(execution('waiting', asleep).isConsistent).toBe(true);
		expect(execution('canceled', asleep).isConsistent).toBe(true);
	});
});
