import type { IExecuteFunctions } from 'n8n-workflow';

import type { Starting } from '../../../nodes/BrowserAutomation/execution/executable';
import { prepare } from '../../../nodes/BrowserAutomation/execution/preparation';
import { newLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/newLedger';
import { recordRefused } from '../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { takeUp } from '../../../nodes/BrowserAutomation/execution/waiting/batch/takeUp';
import { InputError, ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { runsOf } from '../../../nodes/BrowserAutomation/service/runs/runs';
import { lapseTime } from '../../timeLapse';
import { insideNode } from '../insideNode';
import { refusal, request, suspensionWith } from './ledgerOf';
import type { Entry, Ledger, SuspendedLedger } from './ledgerOf';

lapseTime();

/** The runs that the service was asked about. */
const known = new Set<string>();

/** The service tells that each run is as its ID says, e.g. `finished-1`; it knows none that is `gone`, and a `late` one only when it is asked again. */
const client = {
	baseUrl: 'https://service.example.com',
	send: async ({ path }: ServiceRequest): Promise<JsonValue> => {
		const taskId = path.split('/').at(-2) ?? '';
		const [status = ''] = taskId.split('-');
		const isAskedFirst = status === 'late' && !known.has(taskId);
		known.add(taskId);
		if (status === 'gone' || isAskedFirst)
			throw new ServiceError('No such run', '', { code: 10112 });
		return { task_id: taskId, status: status === 'late' ? 'running' : status };
	},
};

let executions = 0;

/** A node that starts a run with each of these words. The order of its members is another one in each execution. */
function starting(words: string[]): Starting {
	const left = [...words];
	const isReversed = executions++ % 2 === 1;
	const bodyOf = (word: string) => (isReversed ? { pages: 1, word } : { word, pages: 1 });
	return { api: V3_RUNS, start: () => ({ ...request, body: bodyOf(left.shift() ?? '') }) };
}

/** A start of the same input, as a schema shapes it. */
const shaped = (body: () => object): Starting => ({
	...{ api: V3_RUNS, given: () => 'a' },
	start: () => ({ ...request, body: { ...body() } }),
});
const other = () => ({ pages: 2 });
const cannot = (): never => {
	throw new InputError('The input does not fit', '');
};

/** Opens the ledger of an execution with an item for each word. */
async function open(words: string[], left?: Ledger, mode = 'automatic', source = starting(words)) {
	const hints: string[] = [];
	const items = words.map((word) => ({ json: { word } }));
	const make = async (context: IExecuteFunctions) => {
		const prepared = await prepare(context, client, source, 'account');
		const { ledger: fresh } = newLedger(context, 'v3', prepared, client.baseUrl, undefined);
		return left === undefined ? fresh : await takeUp(context, runsOf(client, 'v3'), left, fresh);
	};
	const n8n = {
		addExecutionHints: ({ message }: { message: string }) => hints.push(message),
		getNodeParameter: (name: string, _: number, otherwise?: unknown) =>
			name === 'waitForCompletion' ? mode : otherwise,
	};
	return { ledger: await insideNode(make, { items }, n8n), hints };
}

/** What another execution left, whose runs were started with these words; without an ID none was. */
async function leftWith(runs: Record<string, string>, more: Partial<SuspendedLedger> = {}) {
	const { ledger } = await open(Object.keys(runs));
	const taskIds = Object.values(runs);
	const entries = ledger.entries.map((entry, item) => {
		const taskId = taskIds[item] ?? '';
		return taskId === '' ? entry : { taskId, inputKey: entry.inputKey };
	});
	const left: Ledger = Object.assign(ledger, { executionId: 'another', entries }, more);
	return left;
}

/** The runs that the items go on with; `start` where one is to be started. */
const goesOnWith = ({ entries }: Ledger) =>
	entries.map(({ taskId, request }) => taskId ?? (request === undefined ? 'none' : 'start'));

describe('a retry', () => {
	const GO_ON = { a: 'running-1', b: 'finished-2' };
	const OVER = { a: 'failed-1', b: 'canceled-2', c: 'gone-3', d: '' };
	const STARTS = Array<string>(4).fill('start');
	const STORED = { waveEnd: 1, suspension: suspensionWith('4') };

	it.each<[string, Record<string, string>, string[]]>([
		['goes on with the runs of items whose input is the same', GO_ON, ['running-1', 'finished-2']],
		['begins anew runs that failed, were canceled or are unknown, and starts', OVER, STARTS],
	])('%s', async (_, runs, expected) => {
		const { ledger, hints } = await open(Object.keys(runs), await leftWith(runs));
		expect(goesOnWith(ledger)).toEqual(expected);
		const stand = expected.map((run) => run.split('-')[0]);
		expect(ledger.entries.map(({ status }) => status ?? 'start')).toEqual(stand);
		expect(hints).toEqual([]);
	});

	it('begins anew what has another input since, also of another item, and says so', async () => {
		const left = await leftWith({ a: 'finished-1', b: 'running-2', c: 'finished-3' });
		const { ledger, hints } = await open(['a', 'c', 'B'], left);
		expect(goesOnWith(ledger)).toEqual(['finished-1', 'start', 'start']);
		expect(ledger.entries[2]?.request?.body).toEqual({ word: 'B', pages: 1 });
		expect(hints).toEqual([
			'1 items go on with the runs of the execution that is retried. 2 were begun anew, because their input has changed. Their earlier runs: running-2, finished-3.',
		]);
		expect(goesOnWith((await open(['a', 'b', 'c', 'd'], left)).ledger).at(3)).toBe('start');
	});

	it.each<[string, string, () => object, string]>([
		['goes on with a run whose start is shaped otherwise', 'finished-1', other, 'finished-1'],
		['goes on with a run that could not be started now', 'finished-1', cannot, 'finished-1'],
		['refuses what would have to be started again then', 'failed-1', cannot, 'none'],
	])('%s', async (_, taskId, shape, expected) => {
		const { ledger: left } = await open(['a'], undefined, 'automatic', shaped(Object));
		const entries = [{ taskId, inputKey: left.entries[0]?.inputKey }];
		const { ledger, hints } = await open(['a'], { ...left, entries }, 'automatic', shaped(shape));
		expect(goesOnWith(ledger)).toEqual([expected]);
		expect(hints).toEqual([]);
	});

	it('asks twice before it takes a run for gone', async () => {
		const { ledger } = await open(['a', 'b'], await leftWith({ a: 'late-1', b: 'gone-2' }));
		expect(goesOnWith(ledger)).toEqual(['late-1', 'start']);
	});

	it('does not start again what the service may not know yet', async () => {
		const left = await leftWith({ a: 'gone-1' });
		Object.assign(left.entries[0] ?? {}, { startedAt: Date.now() - 60_000 });
		expect(goesOnWith((await open(['a'], left)).ledger)).toEqual(['gone-1']);
	});

	it('takes no cancel of the other execution, at its limit, for one of its own', async () => {
		const left = await leftWith({ a: 'running-1' });
		Object.assign(left.entries[0] ?? {}, { cancelReason: 'limit', cancelSentAt: 1 });
		const { ledger } = await open(['a'], left);
		expect(ledger.entries[0]).toMatchObject({ taskId: 'running-1', status: 'running' });
		expect(ledger.entries[0]).not.toHaveProperty('cancelReason');
		expect(ledger.entries[0]).not.toHaveProperty('cancelSentAt');
	});

	it('begins nothing anew where a person canceled all', async () => {
		const left = await leftWith({ a: 'canceled-1', b: 'finished-2', c: '' }, { isCanceled: true });
		recordRefused(left, 2, refusal);
		const { ledger } = await open(['a', 'b', 'c'], left);
		expect(goesOnWith(ledger)).toEqual(['canceled-1', 'finished-2', 'none']);
		expect(ledger.entries).toMatchObject([{ status: 'canceled' }, {}, { refusal }]);
	});

	it('gives no result of an input that was corrected since, where a person canceled all', async () => {
		const left = await leftWith({ a: 'finished-1', b: 'running-2' }, { isCanceled: true });
		const { ledger, hints } = await open(['A', 'B'], left);
		// A start of such a ledger is refused, and a run that goes on is canceled.
		expect(goesOnWith(ledger)).toEqual(['start', 'running-2']);
		expect(ledger.isCanceled).toBe(true);
		expect(hints).toEqual([]);
	});

	it('sends a start that was left of a wave when the execution was stopped', async () => {
		const left = await leftWith({ a: 'running-1', b: '' }, { waveEnd: 2 });
		const { ledger } = await open(['a', 'b'], left);
		expect(goesOnWith(ledger)).toEqual(['running-1', 'start']);
	});

	it.each<[string, Partial<SuspendedLedger>, Partial<Entry>]>([
		['may have been on its way when n8n went down', STORED, {}],
		['was under way when n8n stored the stopped execution', {}, { isBeingSent: true }],
	])('does not send a start again that %s', async (_, more, first) => {
		const left = await leftWith({ a: '', b: '' }, more);
		Object.assign(left.entries[0] ?? {}, first);
		const { ledger } = await open(['a', 'b'], left);
		expect(goesOnWith(ledger)).toEqual(['none', 'start']);
		const message = expect.stringContaining('Whether the run was started is not known');
		expect(ledger.entries[0]?.refusal).toMatchObject({ message, isUncertain: true });
	});

	it('waits for itself: in one go, with its own limit, keys and API, and no callback', async () => {
		const old = { queuedAt: 1, timeout: 1, waveEnd: 0, api: 'v2', waitMethod: 'callback' } as const;
		const left = await leftWith({ a: 'running-1' }, { ...old, startsSince: 4, lastStartAt: 5 });
		const { statusPageKey, callbackKey } = left;
		const { ledger } = await open(['a'], left);
		expect(ledger.executionId).not.toBe('another');
		expect([ledger.statusPageKey, ledger.callbackKey]).not.toEqual([statusPageKey, callbackKey]);
		// Its runs are as old as they are.
		expect(ledger).toMatchObject({ startsSince: 4, lastStartAt: 5 });
		expect(ledger).toMatchObject({ waitMethod: 'noCallbacks', api: 'v3' });
		for (const name of ['queuedAt', 'timeout', 'waveEnd']) expect(ledger).not.toHaveProperty(name);
		// Where it takes up no run, its own call back.
		const none = await leftWith({ a: 'failed-1' }, old);
		expect((await open(['a'], none)).ledger.waitMethod).toBe('callback');
		// It waits as is chosen now.
		expect((await open(['a'], left, 'none')).ledger.waitMethod).toBe('none');
	});
});
