import { randomUUID } from 'node:crypto';

import { activityOf } from '../../../../nodes/BrowserAutomation/execution/waiting/activity';
import type { Entry } from '../../../../nodes/BrowserAutomation/execution/waiting/ledger';
import { pressButton } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/buttons';
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

/** A service that refuses to cancel some runs; it notes those that it is asked to cancel. */
function serviceThatRefuses(...taskIds: string[]) {
	const asked: string[] = [];
	const client = {
		baseUrl: 'https://service.example.com',
		send: async ({ path }: { path: string }) => {
			const taskId = path.split('/').at(-2) ?? '';
			asked.push(taskId);
			if (taskIds.includes(taskId)) throw new Error(`Run ${taskId} is busy`);
			return {};
		},
	};
	return { asked, connect: async () => client };
}

it('cancels the run of the button', async () => {
	const { asked, connect } = serviceThatRefuses();
	const ledger = asleep();

	expect(await pressButton(node, ledger, { cancel: '2' }, connect)).toBe('1 of 1 run canceled.');
	expect(asked).toEqual(['2']);
	expect(ledger.entries.at(-1)).toEqual({ request });
	expect(activityOf(ledger)).toEqual({});
});

it('cancels all open runs, and starts nothing more', async () => {
	const { asked, connect } = serviceThatRefuses();
	const ledger = asleep();

	expect(await pressButton(node, ledger, { action: 'cancelAll' }, connect)).toBe(
		'2 of 2 runs canceled.',
	);
	expect(asked).toEqual(['1', '2']);
	expect(ledger.entries.at(-1)).toEqual({
		refusal: {
			message: 'No run was started: all were cancelled on the status page',
			advice: 'Run the workflow again if that was a mistake.',
			facts: {},
		},
	});
});

it('tells of a run that could not be cancelled, and why', async () => {
	const { asked, connect } = serviceThatRefuses('1');
	const ledger = asleep();

	expect(await pressButton(node, ledger, { action: 'cancelAll' }, connect)).toBe(
		'1 of 2 runs canceled. Run 1 is busy',
	);
	expect(asked).toEqual(['1', '2']);
	expect(activityOf(ledger)).toMatchObject({ refusal: 'Run 1 is busy' });
});

it('tells why the service cannot be asked at all', async () => {
	const ledger = asleep();
	const connect = async () => await Promise.reject(new Error('The credential is gone'));

	expect(await pressButton(node, ledger, { cancel: '1' }, connect)).toBe(
		'0 of 1 run canceled. The credential is gone',
	);
	expect(activityOf(ledger)).toMatchObject({ refusal: 'The credential is gone' });
});

it.each([
	['that has ended', '3'],
	['of another execution', '4'],
])('leaves a run alone %s', async (_, taskId) => {
	const { asked, connect } = serviceThatRefuses();

	expect(await pressButton(node, asleep(), { cancel: taskId }, connect)).toBe(
		`Run ${taskId} is not one of the open runs.`,
	);
	expect(asked).toEqual([]);
});

it('cancels nothing for Look now', async () => {
	const { asked, connect } = serviceThatRefuses();
	const ledger = asleep();

	expect(await pressButton(node, ledger, { action: 'look' }, connect)).toBeUndefined();
	expect(asked).toEqual([]);
	expect(ledger).toEqual({ ...asleep(), executionId: ledger.executionId });
});
