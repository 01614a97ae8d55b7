import { stringify } from 'flatted';

import type { N8nClient } from '../../dev/n8n/client';
import { readExecutions } from '../../tools/soak/history';
import { isToRetry } from '../../tools/soak/storm';

/** An n8n that has one execution, whose node gave these items, a list for each of its runs. */
function clientWith(runs: object[][]): Pick<N8nClient, 'request'> {
	const taskData = runs.map((items) => ({
		executionStatus: 'success',
		data: { main: [items.map((json) => ({ json }))] },
	}));
	const data = stringify({ resultData: { runData: { Bot: taskData } } });
	const execution = { id: '1', workflowId: '1', status: 'success', mode: 'retry', data };
	return { request: async () => execution };
}

const result = { task_id: '7' };

it.each([
	['what n8n put in place of an end that it had not stored', 0, 'isArtificialRecoveredEventItem'],
	['an end of the node', 1, 'task_id'],
])('%s counts as %i, its result as one more', async (_, counted, name) => {
	const [facts] = await readExecutions(clientWith([[{ [name]: true }], [result]]), ['1']);
	expect(facts).toMatchObject({ rounds: counted + 1, results: [{ taskId: '7' }] });
});

it.each([
	['that n8n marked as crashed', { status: 'crashed', errors: [] }, true],
	['that n8n’s database failed', { status: 'error', errors: ['timeout exceeded'] }, true],
	['whose run had ended well', { status: 'error', errors: ['Run 11 was still finished'] }, false],
	['that has its results', { status: 'success', errors: [] }, false],
])('an execution %s: whether a storm retries it', (_, execution, isRetried) => {
	expect(isToRetry(execution, [{ taskId: '11' }, { taskId: '12' }])).toBe(isRetried);
});
