import { randomUUID } from 'node:crypto';

import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { press } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage';
import { ledgerOf } from '../ledgerOf';
import { node } from './node';

const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;

/** An execution with two open runs, one that has ended, and an item whose start is still to be sent. */
function asleep() {
	const entries: Entry[] = [
		{ taskId: '1', status: 'running' },
		{ taskId: '2' },
		{ taskId: '3', status: 'finished' },
		{ request },
	];
	return ledgerOf(entries, { executionId: randomUUID(), deadline: Number.MAX_VALUE });
}

/** A service that refuses what is asked about some runs; it notes what it is asked. */
function serviceThatRefuses(...taskIds: string[]) {
	const asked: string[] = [];
	const client = {
		baseUrl: 'https://service.example.com',
		send: async ({ path }: { path: string }) => {
			const [taskId = '', what = ''] = path.split('/').slice(-2);
			asked.push(`${what} ${taskId}`);
			if (taskIds.includes(taskId)) throw new Error(`Run ${taskId} is busy`);
			return {};
		},
	};
	return { asked, connect: async () => client };
}

it.each([
	['cancel', '2', 'Run 2 was canceled.'],
	['resume', '1', 'Run 1 was resumed.'],
])('%s does so with the run of the button', async (button, taskId, notice) => {
	const { asked, connect } = serviceThatRefuses();
	const ledger = asleep();

	expect(await press(node, ledger, { [button]: taskId }, connect)).toBe(notice);
	expect(asked).toEqual([`${button} ${taskId}`]);
	expect(ledger.entries.at(-1)).toEqual({ request });
});

it.each([
	['cancel', 'Run 1 was not canceled. Run 1 is busy'],
	['resume', 'Run 1 was not resumed. Run 1 is busy'],
])('tells of a run with which %s could not be done, and why', async (button, notice) => {
	const { asked, connect } = serviceThatRefuses('1');

	expect(await press(node, asleep(), { [button]: '1' }, connect)).toBe(notice);
	expect(asked).toEqual([`${button} 1`]);
});

it('tells why the service cannot be asked at all', async () => {
	const connect = async () => await Promise.reject(new Error('The credential is gone'));

	expect(await press(node, asleep(), { cancel: '1' }, connect)).toBe(
		'Run 1 was not canceled. The credential is gone',
	);
});

it.each([
	['that has ended', { cancel: '3' }],
	['of another execution', { cancel: '4' }],
	['of another execution', { resume: '4' }],
])('leaves a run alone %s: %j', async (_, form) => {
	const { asked, connect } = serviceThatRefuses();
	const [taskId] = Object.values(form);

	expect(await press(node, asleep(), form, connect)).toBe(
		`Run ${taskId} is not one of the open runs.`,
	);
	expect(asked).toEqual([]);
});

it.each(['look', 'cancelAll'])('leaves all runs alone for another button: %s', async (action) => {
	const { asked, connect } = serviceThatRefuses();
	const ledger = asleep();

	expect(await press(node, ledger, { action }, connect)).toBe('');
	expect(asked).toEqual([]);
	expect(ledger).toEqual({ ...asleep(), executionId: ledger.executionId });
});
