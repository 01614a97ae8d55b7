import {
	recordAwake,
	recordCancels,
	recordStartsSent,
	recordStartsRefused,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { ledgerOf, refusal, request, running } from '../ledgerOf';

describe('after a suspension', () => {
	it('what was seen of runs meanwhile is known, and how those stand that go on is not', () => {
		const ledger = ledgerOf([running('1'), running('2')], { statusesAt: 900 });
		recordAwake(ledger, { answers: new Map([['1', 'paused']]), activity: { polledAt: 1_000 } });
		expect(ledger.entries).toEqual([{ taskId: '1', status: 'paused' }, running('2')]);
		expect(ledger.activity).toEqual({ polledAt: 1_000 });
		expect(ledger).not.toHaveProperty('statusesAt');
	});

	it.each([true, undefined] as const)('a person has runs canceled once more: %p', (isCanceled) => {
		const ledger = ledgerOf([{ ...running(), cancelSentAt: 5 }], { isCanceled });
		recordAwake(ledger, undefined);
		expect(ledger.entries[0]?.cancelSentAt).toBe(isCanceled ? undefined : 5);
	});
});

it('of the runs to cancel, those are noted of which the service takes it', () => {
	const ledger = ledgerOf([running('1'), running('2'), running('3')]);
	recordCancels(ledger, ['1', '2'], new Set('2'), 'age', 7);
	expect(ledger.entries).toStrictEqual([
		{ ...running('1'), cancelSentAt: 7 },
		{ ...running('2'), cancelSentAt: 7, cancelReason: 'age' },
		running('3'),
	]);
});

it('where starts are not sent, none waits any more: not for a slot, and not because the service has asked to slow down', () => {
	const waits = { queuedAt: 1, slowed: { until: 2, times: 1 } };
	const ledger = ledgerOf([running(), { request }], waits);
	recordStartsRefused(ledger, refusal);
	expect(ledger.entries).toEqual([running(), { refusal }]);
	expect([ledger.queuedAt, ledger.slowed]).toEqual([undefined, undefined]);
});

it.each([
	['goes on while starts of it wait', [running('1'), { request }, { request }], 2],
	['is over when all of it was sent', [running('1'), running('2'), { request }], 0],
])('a wave %s', (_, entries, waveEnd) => {
	const ledger = ledgerOf(entries, { waveEnd: 2 });
	recordStartsSent(ledger);
	expect(ledger.waveEnd).toBe(waveEnd);
});
