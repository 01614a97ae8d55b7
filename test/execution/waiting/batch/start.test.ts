import {
	type Entry,
	type Ledger,
	pendingStarts,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { callbackUrlFor } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/plan';
import {
	planWaves,
	startRuns,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/start';
import {
	recordStarted,
	recordSuspended,
	recordWaveEnd,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import {
	dueStarts,
	isBetweenWaves,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waves';
import {
	CanceledError,
	ConnectionError,
	ServiceError,
} from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../../nodes/BrowserAutomation/service/http/request';
import type { WaitSettings } from '../../../../nodes/BrowserAutomation/fields/waiting';
import { unlessReused } from '../../../../nodes/BrowserAutomation/execution/reuse';
import { V3_RUNS } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { runsOf } from '../../../../nodes/BrowserAutomation/service/runs/runs';
import { DEFAULT_LIMITS } from '../../../../nodes/BrowserAutomation/service/http/credential';
import {
	ledgerOf as anyLedger,
	RESUME_URL,
	running,
	suspensionWith,
	UNSIGNED_URL,
} from '../ledgerOf';

const [recordStart, recordLimitMet] = [jest.fn(), jest.fn()];
beforeEach(() => [recordStart, recordLimitMet].forEach((mock) => mock.mockClear()));

const request: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs', body: { a: 1 } };
const waiting = (count: number): Entry[] => Array.from({ length: count }, () => ({ request }));
const created = (taskId: string): Entry => ({
	taskId,
	status: 'created',
	startedAt: expect.any(Number),
});

const full = new ServiceError('The plan’s limit is met', 'wait', { code: 10118, httpStatus: 400 });
const refused = new ServiceError('no such bot', 'choose', { code: 5, httpStatus: 400 });
const badParameter = new ServiceError('bad parameter', 'search', { code: 99001, httpStatus: 400 });

/** A ledger whose wait limit lies ahead. */
const ledgerOf = (entries: Entry[], more: Partial<Ledger> = {}, settings = {}): Ledger =>
	anyLedger(entries, { deadline: Infinity, ...more }, settings);

/** Starts that may wait for a slot. */
const patient = (count: number, more: Partial<Ledger> = {}): Ledger =>
	ledgerOf(waiting(count), more, { waitForSlot: true });

const info = jest.fn();
const logger = { debug: info, info, warn: info, error: info };

type Sending = (request: ServiceRequest) => Promise<JsonObject>;

/** How a test uninterrupted: `send` in place of the service. */
interface How {
	send?: Sending;
	signal?: AbortSignal;
	resumeUrl?: string | undefined;
	goesOn?: boolean;
	atOnce?: number;
}

/** Starts what is due, with a service that answers each start in turn with a run, or refuses it. */
async function start(ledger: Ledger, answers: Array<JsonObject | Error>, how: How = {}) {
	const { signal, goesOn = false, atOnce = 1 } = how;
	const bodies: unknown[] = [];
	const answer: Sending = async ({ body }) => {
		const answered = answers[bodies.length] ?? { task_id: `run ${bodies.length}` };
		bodies.push(body);
		if (answered instanceof Error) throw answered;
		return answered;
	};
	const service = { baseUrl: 'https://service.test', limits: DEFAULT_LIMITS };
	const client = { ...service, send: how.send ?? answer };
	const batch = {
		context: { continueOnFail: () => goesOn, getExecutionCancelSignal: () => signal, logger },
		uninterrupted: runsOf(client, ledger.api),
		slots: { recordStart, recordLimitMet },
		unlessReused: () => unlessReused(client, V3_RUNS, client.baseUrl, ledger.settings.reuseMs),
		ledger,
		host: { resumeUrl: 'resumeUrl' in how ? how.resumeUrl : RESUME_URL },
		canResume: true,
	};
	const failure = await startRuns(batch, dueStarts(ledger), atOnce);
	return { failure, bodies };
}

describe('a start', () => {
	it('is sent once with its item’s own callback, and its run noted, also in the log: the only trace where n8n’s database cannot store the execution', async () => {
		const entries = [{ request }, { taskId: '5' }, { request }, { request }];
		const ledger = ledgerOf(entries, { waveEnd: 3, callbackKey: 'key' });
		const { failure, bodies } = await start(ledger, [
			{ task_id: '1' },
			{ task_id: '2', status: 'running', profile_id: 'p' },
		]);

		expect(failure).toBeUndefined();
		expect(bodies).toEqual([
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 0, 'key') },
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 2, 'key') },
		]);
		expect(ledger.entries).toStrictEqual([
			created('1'),
			{ taskId: '5' },
			{ ...created('2'), status: 'running', profileId: 'p' },
			{ request },
		]);
		expect(info).toHaveBeenLastCalledWith('Execution 1 started run 2 for item 2');
	});

	it('has a run of its own: an answer that names the run of another item is an error that says so', async () => {
		const ledger = ledgerOf(waiting(2));
		const { failure } = await start(ledger, Array(2).fill({ task_id: '7' }), { goesOn: true });
		expect(failure).toBeUndefined();
		const message = expect.stringContaining('names run 7, which was started for item 0');
		const refusal = expect.objectContaining({ message, isUncertain: true });
		expect(ledger.entries).toEqual([created('7'), { refusal }]);
	});

	it('does not leave after the wait limit, however many are still to be sent', async () => {
		jest.useFakeTimers();
		const ledger = ledgerOf(waiting(10), { deadline: Date.now() + 300 });
		const send: Sending = async () => {
			jest.advanceTimersByTime(200);
			return { task_id: 'a' };
		};
		await start(ledger, [], { send, atOnce: 1 });
		jest.useRealTimers();
		expect(pendingStarts(ledger)).toHaveLength(8);
	});

	it('is marked while it is under way: n8n may store the ledger then', async () => {
		const ledger = ledgerOf(waiting(2));
		const stored: Array<readonly Entry[]> = [];
		const send = async () => ({ task_id: `${stored.push(structuredClone(ledger.entries))}` });
		await start(ledger, [], { send });
		const sent = { request, isBeingSent: true };
		expect(stored).toEqual([
			[sent, { request }],
			[created('1'), sent],
		]);
	});

	it('comes to its end when the execution is stopped, and no further one is sent', async () => {
		const ledger = ledgerOf(waiting(3));
		const stop = new AbortController();
		const send = async () => {
			stop.abort();
			return { task_id: '1' };
		};
		for (const goesOn of [true, false]) {
			const starting = start(ledger, [], { send, signal: stop.signal, goesOn });
			await expect(starting).rejects.toThrow(CanceledError);
			expect(ledger.entries).toEqual([created('1'), { request }, { request }]);
		}
	});

	const url = callbackUrlFor(RESUME_URL, 0, 'secret');
	const [statusChanged, none] = [{ status_change_callback_url: url }, { callback_url: undefined }];

	it.each<[string, Partial<Ledger>, Partial<WaitSettings>, How, object]>([
		['where a pause resumes', {}, { resumeWhenPaused: true }, {}, statusChanged],
		['where none can resume the execution', {}, {}, { resumeUrl: undefined }, none],
		['by n8n’s wait timer', { waitMethod: 'timer' }, {}, {}, none],
	])('has the callbacks that it needs %s', async (_, more, settings, how, callbacks) => {
		const { bodies } = await start(ledgerOf(waiting(1), more, settings), [], how);
		expect(bodies).toEqual([{ a: 1, callback_url: url, ...callbacks }]);
	});

	it('is sent again without a callback where the service refuses that, and n8n’s wait timer resumes instead', async () => {
		const ledger = ledgerOf(waiting(1));
		const { failure, bodies } = await start(ledger, [badParameter]);
		expect(failure).toBeUndefined();
		expect(bodies).toEqual([expect.anything(), { a: 1 }]);
		expect(ledger).toMatchObject({ waitMethod: 'timer', entries: [{ taskId: 'run 1' }] });
	});

	it.each([
		['something else is refused', refused, RESUME_URL],
		['it had no callback', badParameter, undefined],
	])('is not sent again when %s', async (_, error, resumeUrl) => {
		const ledger = ledgerOf(waiting(1));
		const started = await start(ledger, [error], { resumeUrl });
		expect(started).toEqual({ failure: { error, itemIndex: 0 }, bodies: [expect.anything()] });
		expect(ledger.waitMethod).toBe('callback');
	});

	it('is recorded with its moment, also one that is refused', async () => {
		const begun = Date.now();
		const given = ledgerOf(waiting(1));
		await start(given, [refused]);
		expect(given.lastStartedAt).toBeGreaterThanOrEqual(begun);
		expect(given.entries[0]).not.toHaveProperty('startedAt');
		await start(given, []);
		expect(given.entries[0]?.startedAt).toBeGreaterThanOrEqual(begun);
	});
});

describe('a refused start', () => {
	it('ends the batch, is reported with its item, and stays to be started by a retry', async () => {
		const ledger = patient(3);
		const { failure, bodies } = await start(ledger, [{ task_id: '1' }, refused]);
		expect(failure).toEqual({ error: refused, itemIndex: 1 });
		expect(bodies).toHaveLength(2);
		expect(ledger.entries).toEqual([created('1'), { request }, { request }]);
	});

	it('is noted with its item where the others go on', async () => {
		const ledger = patient(3);
		const answers = [refused, new Error('a bug')];
		expect((await start(ledger, answers, { goesOn: true })).failure).toBeUndefined();
		expect(ledger.entries).toStrictEqual([
			{ refusal: { message: 'no such bot', advice: 'choose', facts: refused.facts } },
			{ refusal: { message: 'a bug', advice: '', facts: {} } },
			created('run 2'),
		]);
	});
});

describe('a start whose answer never came', () => {
	it.each([
		[new ConnectionError('it broke', true), {}],
		[new ServiceError('it broke', 'try', { code: 3, httpStatus: 502 }), { code: 3 }],
	])(
		'is never sent again, and reported with what to do, and the service’s code: %p',
		async (lost, facts) => {
			const ledger = ledgerOf(waiting(2));
			const { failure, bodies } = await start(ledger, [lost]);
			const message = expect.stringMatching(/it broke\. Whether the run was started is not known$/);
			const advice = expect.stringContaining('Look for it with Run > Get Many');
			expect(bodies).toHaveLength(1);
			expect(ledger.entries).toMatchObject([
				{ refusal: { message, advice, facts, isUncertain: true } },
				{ request },
			]);
			expect(ledger.entries[0]).not.toHaveProperty('request');
			expect(failure).toMatchObject({ error: { message, advice }, itemIndex: 0 });
			expect(failure?.error instanceof ServiceError).toBe(lost instanceof ServiceError);
		},
	);

	it('is sent by a retry where it cannot have arrived', async () => {
		const ledger = ledgerOf(waiting(1));
		const unsent = new ConnectionError('no such host', false);
		expect((await start(ledger, [unsent])).failure?.error).toBe(unsent);
		expect(ledger.entries).toEqual([{ request }]);
	});
});

describe('at the plan’s limit of running tasks', () => {
	const BEFORE = 1_700_000_000_000;

	it('the rest waits, where it may, and the line hears of the refusal', async () => {
		const [ledger, begun] = [patient(4), Date.now()];
		const { failure, bodies } = await start(ledger, [{ task_id: '1' }, full]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(recordLimitMet).toHaveBeenCalledTimes(1);
		expect(ledger.queuedAt).toBeGreaterThanOrEqual(begun);
		expect(ledger.entries.slice(1)).toEqual(waiting(3));
	});

	it('starts that were under way together are one refusal', async () => {
		await start(patient(3), [full, full], { atOnce: 2 });
		expect(recordLimitMet).toHaveBeenCalledTimes(1);
	});

	it('the batch ends where it may not', async () => {
		const ledger = ledgerOf(waiting(2));
		expect((await start(ledger, [full])).failure).toEqual({ error: full, itemIndex: 0 });
		expect(recordLimitMet).not.toHaveBeenCalled();
		expect(ledger.queuedAt).toBeUndefined();
	});

	it.each([
		['what is refused again has waited since the first time', [{ task_id: '1' }, full], BEFORE],
		['nothing waits any more when the last run was started', [], undefined],
	])('%s', async (_, answers, expected) => {
		const ledger = patient(2, { queuedAt: BEFORE });
		await start(ledger, answers);
		expect(ledger.queuedAt).toBe(expected);
	});
});

describe('where the service asks to slow down', () => {
	const NOW = 1_700_000_000_000;
	const SECOND = 1_000;
	const busy = (retryAfterMs?: number) =>
		new ServiceError('Too fast', 'wait', { httpStatus: 429, retryAfterMs });

	beforeEach(() => {
		jest.useFakeTimers({ now: NOW });
		jest.spyOn(Math, 'random').mockReturnValue(1);
	});
	afterEach(() => {
		jest.useRealTimers();
		jest.restoreAllMocks();
	});

	const until = (seconds: number, times: number) => ({ until: NOW + seconds * SECOND, times });

	it.each<[string, number | undefined, Ledger['slowed'], Ledger['slowed']]>([
		['for as long as it asks', 5 * SECOND, undefined, until(5, 1)],
		['for a while where it does not say how long', undefined, undefined, until(0.5, 1)],
		['longer each time', undefined, until(0, 2), until(2, 3)],
		['for longer than a read would', 900 * SECOND, undefined, until(900, 1)],
		['until the wait limit at most', 3_600 * SECOND, undefined, until(1_800, 1)],
	])('starts wait %s', async (_, retryAfterMs, slowed, expected) => {
		const ledger = patient(2, { deadline: NOW + 1_800 * SECOND, ...(slowed && { slowed }) });
		const { failure, bodies } = await start(ledger, [busy(retryAfterMs)]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(1);
		expect(ledger).toMatchObject({ slowed: expected, queuedAt: NOW, entries: waiting(2) });
		expect(recordLimitMet).not.toHaveBeenCalled();
	});

	it.each([
		['the plan’s limit is met', [full]],
		['all were started', []],
	])('that is over when %s', async (_, answers) => {
		const ledger = patient(2, { slowed: until(0, 1) });
		await start(ledger, answers);
		expect(ledger).not.toHaveProperty('slowed');
	});
});

describe('in waves', () => {
	const sleep = (ledger: Ledger) => recordSuspended(ledger, suspensionWith('one'), {});

	it.each([
		[50, [50]],
		[300, [200, 100]],
		[1_000, [200, 200, 200, 200, 200]],
		[1_001, [201, 201, 201, 201, 197]],
	])('of %d items, 200 at least and five times at the most: %j', (count, expected) => {
		const ledger = ledgerOf(waiting(count), { waveEnd: 0 });
		const waves: number[][] = [];
		while (pendingStarts(ledger).length > 0) {
			expect(dueStarts(ledger)).toEqual([]);
			sleep(ledger);
			const due = dueStarts(ledger);
			waves.push(due);
			for (const item of due)
				recordStarted(ledger, item, { taskId: `${item}`, status: 'created' }, 0);
			recordWaveEnd(ledger);
		}
		expect(waves.map((due) => due.length)).toEqual(expected);
		expect(waves.flat()).toEqual(Array.from({ length: count }, (_, item) => item));
	});

	it.each([
		['none of its runs goes on', 0, {}, 5],
		['eight of its runs go on', 8, {}, 16],
		['the service has asked to slow down', 8, { slowed: { until: 1, times: 1 } }, 200],
	])('are small where starts wait for a slot and %s', (_, going, more, expected) => {
		const runs = Array.from({ length: going }, (_, index) => running(`${index}`));
		const ledger = ledgerOf([...runs, ...waiting(300)], { waveEnd: 0, queuedAt: 1, ...more });
		sleep(ledger);
		expect(dueStarts(ledger)).toHaveLength(expected);
	});

	it('without waves all starts are due', () => {
		const ledger = ledgerOf(waiting(150));
		sleep(ledger);
		recordWaveEnd(ledger);
		expect(dueStarts(ledger)).toHaveLength(150);
	});

	it('an execution is between two of them while starts are left, and none is due', () => {
		const left = ledgerOf(waiting(2), { waveEnd: 0 });
		expect(isBetweenWaves(left)).toBe(true);
		const queued = { ...left, queuedAt: 1 };
		const allStarted = ledgerOf([{ taskId: '1' }], { waveEnd: 0 });
		for (const other of [queued, ledgerOf(waiting(2)), allStarted]) {
			expect(isBetweenWaves(other)).toBe(false);
		}
		sleep(left);
		expect(isBetweenWaves(left)).toBe(false);
		recordWaveEnd(left);
		expect(isBetweenWaves(left)).toBe(true);
	});

	it.each([
		['pending items are started', RESUME_URL, 0],
		['nothing is, in an n8n that does not tell who is awake', UNSIGNED_URL, undefined],
	])('%s', (_, resumeUrl, waveEnd) => {
		const ledger = ledgerOf([{ taskId: '1' }, { taskId: '2' }, ...waiting(2)]);
		planWaves(ledger, resumeUrl);
		expect(ledger.waveEnd).toBe(waveEnd);
	});
});

it.each([
	['callback', 'timer'],
	['inPlace', 'inPlace'],
] as const)('with %s, a run that was there already is waited for by %s', async (way, then) => {
	const inputKey = `started before ${way}`;
	const again = () => ledgerOf([{ request, inputKey }], { waitMethod: way }, { reuseMs: 60_000 });
	await start(again(), [{ task_id: '1' }]);
	const ledger = again();
	// What is asked then is how that run stands.
	const { bodies } = await start(ledger, [{ status: 'running' }]);
	expect(bodies).toEqual([undefined]);
	expect(ledger).toMatchObject({ waitMethod: then });
	expect(ledger.entries).toEqual([{ inputKey, taskId: '1', isReused: true }]);
	// It takes no slot.
	expect(recordStart).toHaveBeenCalledTimes(1);
});
