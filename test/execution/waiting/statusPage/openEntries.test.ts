import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { openEntries } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/openEntries';
import { ledgerOf } from '../ledgerOf';

const refusal = { message: 'No such bot', advice: '', facts: {} };

it.each<[string, boolean, Entry]>([
	['goes on', true, { taskId: '7', status: 'running' }],
	['is paused', true, { taskId: '7', status: 'paused' }],
	['is not known yet', true, { taskId: '7' }],
	['has ended', false, { taskId: '7', status: 'finished' }],
	['the service does not know', false, { taskId: '7', status: 'running', refusal }],
	['was refused', false, { refusal }],
	['is still to be started', false, { request: { method: 'POST', path: '/v3/bots/1/runs' } }],
])('a run that %s counts as open: %s', (_, isOpen, entry) => {
	expect(openEntries(ledgerOf([entry]))).toEqual(isOpen ? [entry] : []);
});
