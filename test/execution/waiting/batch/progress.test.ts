import {
	activeRuns,
	endsWaiting,
	type Entry,
	isAllOver,
	isWaitedFor,
	nextLimit,
	noteStatuses,
	openTaskIds,
	overdueRuns,
	refreshRuns,
	startedTaskIds,
	unstarted,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonValue } from '../../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../../nodes/BrowserAutomation/service/http/request';
import { ledgerOf } from '../ledgerOf';

const request: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs' };
const refusal = { message: 'no', advice: '', facts: {} };

it.each<[string, Entry, boolean, boolean]>([
	['has ended', { taskId: '1', status: 'failed' }, false, false],
	['goes on', { taskId: '1', status: 'running' }, true, true],
	['is paused', { taskId: '1', status: 'paused' }, true, false],
	['was refused', { refusal }, false, false],
	['is not known yet', { taskId: '1' }, true, true],
	['was not started yet', { request }, true, true],
])('a run that %s is waited for: %s', (_, entry, isWaited, isWaitedUntilPaused) => {
	const untilPaused = ledgerOf([], {}, { wakeWhenPaused: true });
	expect(isWaitedFor(ledgerOf([]), entry)).toBe(isWaited);
	expect(isWaitedFor(untilPaused, entry)).toBe(isWaitedUntilPaused);
	expect(isAllOver(ledgerOf([{ refusal }, entry]))).toBe(!isWaited);
});

it('an answer about a run ends the waiting for it as it does in the ledger', () => {
	const unknown = new ServiceError('no run', 'look', { code: 10112, httpStatus: 400 });
	expect([endsWaiting('finished', false), endsWaiting(unknown, false)]).toEqual([true, true]);
	expect([endsWaiting('running', true), endsWaiting('paused', false)]).toEqual([false, false]);
	expect([endsWaiting('paused', true), endsWaiting(undefined, true)]).toEqual([true, false]);
});

it('runs are told by whether they were started, and whether they go on', () => {
	const ledger = ledgerOf([
		{ taskId: '1', status: 'running' },
		{ taskId: '2', status: 'finished' },
		{ request },
		{ refusal },
		{ taskId: '3', refusal },
	]);
	expect(startedTaskIds(ledger)).toEqual(['1', '2', '3']);
	expect(openTaskIds(ledger)).toStrictEqual(['1']);
	expect(unstarted(ledger)).toEqual([{ request }]);
	expect(isAllOver(ledger)).toBe(false);
});

describe('a look at the service', () => {
	const clientOf = (answer: (request: ServiceRequest) => JsonValue) => ({
		baseUrl: 'https://service.test',
		send: async (sent: ServiceRequest): Promise<JsonValue> => answer(sent),
	});

	it('notes the status of each run, and why nothing is known of one', async () => {
		const known: Entry = { taskId: '3', status: 'finished' };
		const ledger = ledgerOf([{ taskId: '1' }, { request }, { taskId: '2' }, known]);
		const unknown = new ServiceError('no run', 'look', { code: 10112, httpStatus: 400 });
		const client = clientOf(({ path }) => {
			if (path.includes('/2/')) throw unknown;
			return { status: 'paused' };
		});
		await refreshRuns(client, ledger, ['1', '2']);
		expect(ledger.entries).toEqual([
			{ taskId: '1', status: 'paused' },
			{ request },
			{
				taskId: '2',
				refusal: { message: 'no run', advice: 'look', facts: { code: 10112, httpStatus: 400 } },
			},
			{ taskId: '3', status: 'finished' },
		]);
	});

	it('reads the list where there are many', async () => {
		const since = Date.now();
		const ledger = ledgerOf(
			['1', '2', '3', '4', '5'].map((taskId) => ({ taskId })),
			{ since },
		);
		const paths: string[] = [];
		const client = clientOf(({ path }) => {
			paths.push(path);
			const items = ledger.entries.map(({ taskId = '' }) => ({
				task_id: taskId,
				status: 'running',
				created_at: new Date(since).toISOString(),
			}));
			return { items, limit: 100 };
		});
		await refreshRuns(client, ledger, openTaskIds(ledger));
		expect(paths).toEqual(['/v3/bots/runs']);
		expect(ledger.entries.map(({ status }) => status)).toEqual(Array(5).fill('running'));
	});

	it('made for many executions is noted by each for its own runs', () => {
		const ledger = ledgerOf([{ taskId: '1', status: 'running' }, { taskId: '2' }, { request }]);
		noteStatuses(
			ledger,
			new Map([
				['2', 'finished'],
				['3', 'failed'],
			]),
		);
		expect(ledger.entries).toEqual([
			{ taskId: '1', status: 'running' },
			{ taskId: '2', status: 'finished' },
			{ request },
		]);
	});
});

it.each<[string, boolean, Entry]>([
	['goes on', true, { taskId: '7', status: 'running' }],
	['is paused', true, { taskId: '7', status: 'paused' }],
	['is not known yet', true, { taskId: '7' }],
	['has ended', false, { taskId: '7', status: 'finished' }],
	['the service does not know', false, { taskId: '7', status: 'running', refusal }],
	['was refused', false, { refusal }],
	['is still to be started', false, { request: { method: 'POST', path: '/v3/bots/1/runs' } }],
])('a run that %s may be going on: %s', (_, isActive, entry) => {
	expect(activeRuns(ledgerOf([entry]))).toEqual(isActive ? [entry] : []);
});

describe('with Cancel a Run After', () => {
	const MINUTE = 60_000;
	const run = (taskId: string, more: Partial<Entry> = {}): Entry => ({
		taskId,
		status: 'running',
		...more,
	});
	const bounded = (entries: Entry[], more = {}) =>
		ledgerOf(entries, { deadline: 60 * MINUTE, ...more }, { cancelAfterMs: 10 * MINUTE });

	it.each<[string, Entry, object, string[]]>([
		['its time over', run('1', { startedAt: 0 }), {}, ['1']],
		['time left', run('1', { startedAt: 1 }), {}, []],
		['no start of its own known', run('1'), { startedAt: 0 }, ['1']],
		['been canceled', run('1', { startedAt: 0, canceledAt: 'age' }), {}, []],
		['another start', run('1', { startedAt: 0, isRepeated: true }), { startedAt: 0 }, []],
		['ended', run('1', { startedAt: 0, status: 'finished' }), {}, []],
		['been started elsewhere', run('1'), {}, []],
		['nobody to wait for it', run('1', { startedAt: 0 }), { waitMethod: 'none' }, []],
	])('a run that has %s is canceled or left', (_, entry, more, expected) => {
		const overdue = overdueRuns(bounded([entry], more), 10 * MINUTE);
		expect(overdue.map(({ taskId }) => taskId)).toEqual(expected);
	});

	it('at the wait limit all that go on are canceled where the user wants that', () => {
		const entries = [run('1'), run('2', { isRepeated: true }), run('3', { status: 'finished' })];
		const idsAt = (now: number, cancelAtLimit: boolean) =>
			overdueRuns(ledgerOf(entries, { deadline: 9 }, { cancelAtLimit }), now).map(
				({ taskId }) => taskId,
			);
		expect([idsAt(8, true), idsAt(9, true), idsAt(10, true)]).toEqual([[], ['1'], ['1']]);
		expect(idsAt(10, false)).toStrictEqual([]);
	});

	it('there is something to do when the first time is over, a minute later where that was in vain', () => {
		const entries = [run('1', { startedAt: 5 }), run('2', { startedAt: 3 }), run('3')];
		const ledger = bounded(entries, { startedAt: undefined });
		expect(nextLimit(ledger, 0)).toBe(10 * MINUTE + 3);
		expect(nextLimit(ledger, 11 * MINUTE)).toBe(12 * MINUTE);
		expect(nextLimit(ledger, 59.5 * MINUTE)).toBe(60 * MINUTE);
		expect(nextLimit(ledgerOf(entries, { deadline: 9 }), 0)).toBe(9);
		const another = bounded([run('1', { startedAt: 5, isRepeated: true })]);
		expect(nextLimit(another, 0)).toBe(60 * MINUTE);
	});
});
