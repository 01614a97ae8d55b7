import type { Ledger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	recordAwake,
	recordCancels,
	recordStartsSent,
	refuseStarts,
	type Seen,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { ledgerOf, refusal, request, running } from '../ledgerOf';

describe('after a suspension', () => {
	const [polled, known] = [{ polledAt: 1_000 }, { statusesAt: 900 }];
	const called = { ...polled, calledBackAt: 1_000 };

	it.each<[number | undefined, string, Partial<Ledger>, Partial<Seen>]>([
		[1_000, 'were polled meanwhile', {}, { activity: polled }],
		[1_000, 'were polled meanwhile by a handler', known, { activity: polled, wasWatched: false }],
		[900, 'were not polled, and are watched', known, { activity: { polledAt: 999 } }],
		[undefined, 'were not polled, and are not watched', known, { wasWatched: false }],
		[undefined, 'were not known before', {}, {}],
		[undefined, 'have called back', {}, { activity: polled, hasCalledBack: () => true }],
		[undefined, 'of one were called back about', {}, { activity: called }],
		[undefined, 'could not be read', {}, { activity: { ...polled, requestFailedAt: 1_000 } }],
	])('statuses are known as of %p where they %s', (at, _, more, seen) => {
		const ledger = ledgerOf([running('1'), running('2')], more);
		const answers = new Map([['1', 'paused' as const]]);
		const nothing = { answers, hasCalledBack: () => false, activity: {} };
		recordAwake(ledger, { suspendedAt: 1_000, wasWatched: true, ...nothing, ...seen });
		expect(ledger.statusesAt).toBe(at);
		expect(ledger.entries).toEqual([{ taskId: '1', status: 'paused' }, running('2')]);
	});

	it('those that another process may have seen change are not', () => {
		const ledger = ledgerOf([running()], known);
		recordAwake(ledger, undefined);
		expect(ledger).not.toHaveProperty('statusesAt');
	});

	it.each([true, undefined] as const)(
		'runs are canceled again at once where a person wants it: %p',
		(isCanceled) => {
			const ledger = ledgerOf([{ ...running(), cancelSentAt: 5 }], { isCanceled });
			recordAwake(ledger, undefined);
			expect(ledger.entries[0]?.cancelSentAt).toBe(isCanceled ? undefined : 5);
		},
	);
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
	refuseStarts(ledger, refusal);
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
