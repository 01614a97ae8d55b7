import { isToRetry } from '../../tools/scale/tally';

it.each([
	['that n8n marked as crashed', { status: 'crashed', errors: [] }, true],
	['that n8n’s database failed', { status: 'error', errors: ['timeout exceeded'] }, true],
	['whose run had ended well', { status: 'error', errors: ['Run 11 was still finished'] }, false],
	['that has its results', { status: 'success', errors: [] }, false],
])('an execution %s: whether it is retried', (_, execution, isRetried) => {
	expect(isToRetry(execution, [{ taskId: '11' }, { taskId: '12' }])).toBe(isRetried);
});
