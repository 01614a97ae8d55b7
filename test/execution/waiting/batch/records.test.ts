import {
	endsWaiting,
	type Entry,
	type Ledger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	recordAwake,
	recordCancels,
	recordSending,
	recordStarted,
	recordStatuses,
	recordUnsent,
	refuseStarts,
	type Seen,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import { ledgerOf, refusal, request, running } from '../ledgerOf';

it('of what was read, a ledger notes what is of its runs, and why nothing is known of one', () => {
	const unknown = new ServiceError('no run', 'search', { code: 10112, httpStatus: 400 });
	const ledger = ledgerOf([running('1'), running('2'), running('3'), { request }]);
	recordStatuses(
		ledger,
		new Map([
			['2', 'finished' as const],
			['4', 'failed' as const],
		]),
	);
	recordStatuses(ledger, new Map([['3', unknown]]));
	const refusal = { message: 'no run', advice: 'search', facts: { code: 10112, httpStatus: 400 } };
	expect(ledger.entries).toEqual([
		running('1'),
		{ taskId: '2', status: 'finished' },
		{ ...running('3'), refusal },
		{ request },
	]);
	expect(endsWaiting(unknown, false)).toBe(true);
});

describe('after a suspension', () => {
	const [polled, known] = [{ polledAt: 1_000 }, { statusesAt: 900 }];

	it.each<[number | undefined, string, Partial<Ledger>, Partial<Seen>]>([
		[1_000, 'were polled meanwhile', {}, { activity: polled }],
		[1_000, 'were polled meanwhile by a handler', known, { activity: polled, canResume: false }],
		[900, 'were not polled, and are watched', known, { activity: { polledAt: 999 } }],
		[undefined, 'were not polled, and are not watched', known, { canResume: false }],
		[undefined, 'were not known before', {}, {}],
		[undefined, 'have called back', {}, { activity: polled, calledBack: new Set('1') }],
		[
			undefined,
			'of one were called back about',
			{},
			{ activity: { ...polled, calledBackAt: 1_000 } },
		],
		[undefined, 'could not be read', {}, { activity: { ...polled, requestFailedAt: 1_000 } }],
	])('statuses are known as of %p where they %s', (at, _, more, seen) => {
		const ledger = ledgerOf([running('1'), running('2')], more);
		const runs = new Map([['1', 'paused' as const]]);
		const nothing = { runs, calledBack: new Set<string>(), activity: {} };
		recordAwake(ledger, { suspendedAt: 1_000, canResume: true, ...nothing, ...seen });
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

describe('a start', () => {
	const [inputKey, others] = ['input', running('9')];

	it.each<[string, (ledger: Ledger) => void, Entry, number | undefined]>([
		['is on its way', (ledger) => recordSending(ledger, 1, 7), { request, isBeingSent: true }, 3],
		['was not sent', (ledger) => recordUnsent(ledger, 1), { request }, 3],
		[
			'has begun a run',
			(ledger) => recordStarted(ledger, 1, { taskId: '1', status: 'created' }, 7),
			{ taskId: '1', status: 'created', startedAt: 7 },
			3,
		],
		[
			'was not needed, and the status of the run is to be polled',
			(ledger) => recordStarted(ledger, 1, { taskId: '1', isReused: true }, 7),
			{ taskId: '1', isReused: true },
			undefined,
		],
		['is not to be sent', (ledger) => refuseStarts(ledger, refusal), { refusal }, 3],
	])('%s', (_, record, entry, statusesAt) => {
		const ledger = ledgerOf([others, { request, inputKey }], { statusesAt: 3, queuedAt: 3 });
		record(ledger);
		expect(ledger.entries).toStrictEqual([others, { ...entry, inputKey }]);
		expect(ledger.statusesAt).toBe(statusesAt);
	});

	it.each([recordSending, recordUnsent])('that is none changes nothing', (record) => {
		const ledger = ledgerOf([{ taskId: '1', inputKey }]);
		record(ledger, 0, 7);
		expect(ledger).toStrictEqual(ledgerOf([{ taskId: '1', inputKey }]));
	});
});

it('of the runs to cancel, those are noted of which the service takes it', () => {
	const ledger = ledgerOf([running('1'), running('2'), running('3'), { request }], {
		statusesAt: 3,
	});
	recordCancels(ledger, ['1', '2'], new Set('2'), 'age', 7);
	expect(ledger.entries).toStrictEqual([
		{ ...running('1'), cancelSentAt: 7 },
		{ ...running('2'), cancelSentAt: 7, cancelReason: 'age' },
		running('3'),
		{ request },
	]);
	expect(ledger).not.toHaveProperty('statusesAt');
});
