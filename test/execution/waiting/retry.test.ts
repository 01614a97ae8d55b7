import type { IExecuteFunctions } from 'n8n-workflow';

import type { Starting } from '../../../nodes/BrowserAutomation/execution/executable';
import type { Ledger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { openLedger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/open';
import type { JsonValue } from '../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/http/request';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { insideNode } from '../insideNode';

/** The service tells that each run is as its ID says, e.g. `finished-1`. */
const client = {
	baseUrl: 'https://service.example.com',
	send: async ({ path }: ServiceRequest): Promise<JsonValue> => {
		const taskId = path.split('/').at(-2) ?? '';
		return { task_id: taskId, status: taskId.split('-')[0] ?? '' };
	},
};

/** A node that starts a run with each of these words. */
function starting(words: string[]): Starting {
	const left = [...words];
	return {
		api: V3_RUNS,
		start: () => ({ method: 'POST', path: '/v3/bots/1/runs', body: { word: left.shift() ?? '' } }),
	};
}

/** Opens the ledger of an execution with an item for each word. */
async function open(
	words: string[],
	left?: Ledger,
	mode = 'automatic',
): Promise<{ ledger: Ledger; hints: string[] }> {
	const hints: string[] = [];
	const items = words.map((word) => ({ json: { word } }));
	const { ledger } = await insideNode(
		async (context: IExecuteFunctions) => await openLedger(context, client, starting(words), left),
		{ items },
		{
			addExecutionHints: ({ message }: { message: string }) => hints.push(message),
			getNodeParameter: (name: string, _: number, otherwise?: unknown) =>
				name === 'waitForCompletion' ? mode : otherwise,
		},
	);
	return { ledger, hints };
}

/** What another execution left, whose runs were started with these words; without an ID none was. */
async function leftWith(runs: Record<string, string>, more: Partial<Ledger> = {}): Promise<Ledger> {
	const { ledger } = await open(Object.keys(runs));
	const taskIds = Object.values(runs);
	ledger.entries = ledger.entries.map((entry, item) => {
		const taskId = taskIds[item] ?? '';
		return taskId === '' ? entry : { taskId, origin: entry.origin };
	});
	return Object.assign(ledger, { executionId: 'another' }, more);
}

/** The runs that the items go on with; `start` where one is to be started. */
const goesOnWith = ({ entries }: Ledger) =>
	entries.map(({ taskId, request }) => taskId ?? (request === undefined ? 'none' : 'start'));

describe('a retry', () => {
	it('goes on with the runs of items whose input is the same', async () => {
		const left = await leftWith({ a: 'running-1', b: 'finished-2' });
		const { ledger, hints } = await open(['a', 'b'], left);
		expect(goesOnWith(ledger)).toEqual(['running-1', 'finished-2']);
		expect(ledger.entries.map(({ status }) => status)).toEqual(['running', 'finished']);
		expect(hints).toEqual([]);
	});

	it('begins anew what has another input since, and says so', async () => {
		const left = await leftWith({ a: 'finished-1', b: 'running-2', c: 'finished-3' });
		const { ledger, hints } = await open(['a', 'B', 'c'], left);
		expect(goesOnWith(ledger)).toEqual(['finished-1', 'start', 'finished-3']);
		expect(ledger.entries[1]?.request?.body).toEqual({ word: 'B' });
		expect(hints).toEqual([
			'2 items go on with the runs of the execution that is retried. 1 were begun anew, because their input has changed.',
		]);
	});

	it('begins anew what is of another item since', async () => {
		const left = await leftWith({ a: 'finished-1', b: 'finished-2' });
		const { ledger } = await open(['b', 'a', 'c'], left);
		expect(goesOnWith(ledger)).toEqual(['start', 'start', 'start']);
	});

	it('begins anew runs that failed or were canceled, and starts that were not sent', async () => {
		const left = await leftWith({ a: 'failed-1', b: 'canceled-2', c: '' });
		const { ledger, hints } = await open(['a', 'b', 'c'], left);
		expect(goesOnWith(ledger)).toEqual(['start', 'start', 'start']);
		expect(hints).toEqual([]);
	});

	it('begins nothing anew where a person canceled all', async () => {
		const left = await leftWith({ a: 'canceled-1', b: 'finished-2' }, { isCanceled: true });
		const refusal = { message: 'No run was started', advice: '', facts: {} };
		const { ledger: third } = await open(['a', 'b', 'c']);
		left.entries.push({ origin: third.entries[2]?.origin, refusal });
		const { ledger } = await open(['a', 'b', 'c'], left);
		expect(goesOnWith(ledger)).toEqual(['canceled-1', 'finished-2', 'none']);
		expect(ledger.entries[0]?.status).toBe('canceled');
		expect(ledger.entries[2]?.refusal).toEqual(refusal);
	});

	it('does not send a start again that may have been on its way when n8n went down', async () => {
		const left = await leftWith({ a: '', b: '' }, { waveEnd: 1 });
		const { ledger } = await open(['a', 'b'], left);
		expect(goesOnWith(ledger)).toEqual(['none', 'start']);
		expect(ledger.entries[0]?.refusal?.isUncertain).toBe(true);
	});

	it('does not send a start again that was under way when n8n stored the stopped execution', async () => {
		const left = await leftWith({ a: '', b: '' });
		for (const entry of left.entries.slice(0, 1)) entry.isBeingSent = true;
		const { ledger } = await open(['a', 'b'], left);
		expect(goesOnWith(ledger)).toEqual(['none', 'start']);
		expect(ledger.entries[0]?.refusal?.message).toContain(
			'Whether the run was started is not known',
		);
	});

	it('is free to start what is left in one go, however the execution before was started', async () => {
		const left = await leftWith({ a: 'finished-1', b: '' }, { waveEnd: 0 });
		expect((await open(['a', 'b'], left)).ledger).not.toHaveProperty('waveEnd');
	});

	it('asks about its own runs where the node was changed to start others', async () => {
		const left = await leftWith({ a: 'running-1' }, { api: 'v2' });
		expect((await open(['b'], left)).ledger.api).toBe('v3');
	});

	it('does not send a start again whose answer was lost', async () => {
		const left = await leftWith({ a: '' });
		const refusal = { message: 'Not known', advice: '', facts: {}, isUncertain: true } as const;
		left.entries = left.entries.map(({ origin }) => ({ origin, refusal }));
		const { ledger } = await open(['a'], left);
		expect(goesOnWith(ledger)).toEqual(['none']);
		expect(ledger.entries[0]?.refusal).toEqual(refusal);
	});

	it('waits as is chosen now', async () => {
		const left = await leftWith({ a: 'running-1' }, { waitMethod: 'callback' });
		expect((await open(['a'], left, 'none')).ledger.waitMethod).toBe('none');
		expect((await open(['a'], left, 'poll')).ledger.waitMethod).toBe('inPlace');
	});

	it('waits for itself: with its own limit and keys, and no callback', async () => {
		const left = await leftWith(
			{ a: 'running-1' },
			{ waitMethod: 'callback', queuedAt: 1, timeout: 1 },
		);
		const { statusPageKey, callbackKey } = left;
		const { ledger } = await open(['a'], left);
		expect(ledger.executionId).not.toBe('another');
		expect([ledger.statusPageKey, ledger.callbackKey]).not.toEqual([statusPageKey, callbackKey]);
		expect(ledger.waitMethod).not.toBe('callback');
		expect(ledger).not.toHaveProperty('queuedAt');
		expect(ledger).not.toHaveProperty('timeout');
	});
});
