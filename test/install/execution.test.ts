import { stringify } from 'flatted';
import { Execution } from '../../dev/n8n/execution';

function execution(status: string, data: object): Execution {
	return new Execution({ id: '7', status, mode: 'manual', workflowId: 'w', data: stringify(data) });
}

const asleep = {
	resultData: { runData: {}, lastNodeExecuted: 'Bot' },
	executionData: { nodeExecutionStack: [{ node: { name: 'Bot' } }] },
};

it('an execution read from n8n knows when its data is older than its status', () => {
	expect(execution('success', asleep).isConsistent).toBe(false);
	expect(execution('error', asleep).isConsistent).toBe(false);
	expect(execution('waiting', asleep).isConsistent).toBe(true);
	expect(execution('canceled', asleep).isConsistent).toBe(true);
});
