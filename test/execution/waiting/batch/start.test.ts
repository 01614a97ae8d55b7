import { pendingStarts } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { Pass } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/pass';
import { callbackUrlFor } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waitMethod';
import { startRuns } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/start';
import {
	recordStarted,
	recordSuspended,
	recordStartsSent,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { dueItems } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/waves';
import { ServiceError } from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../../nodes/BrowserAutomation/service/http/request';
import { makeStarter } from '../../../../nodes/BrowserAutomation/execution/reuse';
import { V3_RUNS } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { runsOf } from '../../../../nodes/BrowserAutomation/service/runs/runs';
import { DEFAULT_LIMITS } from '../../../../nodes/BrowserAutomation/service/http/credential';
import { ledgerOf as anyLedger, running, suspensionWith } from '../ledgerOf';
import { RESUME_URL, type Entry, type Ledger } from '../ledgerOf';

const [noteStart, noteNoSlot, info] = [jest.fn(), jest.fn(), jest.fn()];
const logger = { debug: info, info, warn: info, error: info };
beforeEach(() => jest.clearAllMocks());

const request: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs', body: { a: 1 } };
const waiting = (count: number): Entry[] => Array.from({ length: count }, () => ({ request }));

const created = (taskId: string) => ({ taskId, status: 'created', startedAt: expect.any(Number) });
const full = new ServiceError('The plan’s limit is met', 'wait', { code: 10118, httpStatus: 400 });

/** A ledger whose wait limit lies ahead. */
const ledgerOf = (entries: Entry[], more: Partial<Ledger> = {}, settings = {}): Ledger =>
	anyLedger(entries, { deadline: Infinity, ...more }, settings);

/** Starts that may wait for a slot. */
const patient = (count: number, more: Partial<Ledger> = {}): Ledger =>
	ledgerOf(waiting(count), more, { waitForSlot: true });

/** Starts what is due, with a service that answers each start in turn with a run, or refuses it. */
async function start(
	ledger: Ledger,
	answers: Array<JsonObject | Error>,
	{ goesOn = false, concurrency = 1, lookUp = makeStarter } = {},
) {
	const bodies: unknown[] = [];
	const send = async ({ body }: ServiceRequest): Promise<JsonObject> => {
		const answered = answers[bodies.length] ?? { task_id: `run ${bodies.length}` };
		bodies.push(body);
		if (answered instanceof Error) throw answered;
		return answered;
	};
	const client = { baseUrl: 'https://service.test', limits: DEFAULT_LIMITS, send };
	const batch = {
		context: { continueOnFail: () => goesOn, logger },
		uninterrupted: runsOf(client, ledger.api),
		slots: { noteStart, noteNoSlot },
		notifyTrigger: jest.fn(),
		newStarter: () => lookUp(client, V3_RUNS, client.baseUrl, ledger.settings.reuseMs),
		ledger,
		host: { resumeUrl: RESUME_URL },
		canWatch: true,
		awake: { pollTriedAt: 1 },
	};
	const failure = await startRuns(batch as unknown as Pass, dueItems(ledger), concurrency);
	return { failure, bodies, awake: batch.awake };
}

describe('a start', () => {
	it('has a run of its own, named in the log: an answer that names the run of another item is an error that says so', async () => {
		const ledger = ledgerOf(waiting(2));
		const { failure } = await start(ledger, Array(2).fill({ task_id: '7' }), { goesOn: true });
		expect(failure).toBeUndefined();
		const message = expect.stringContaining('names run 7, which was started for item 0');
		const refusal = expect.objectContaining({ message, isUncertain: true });
		expect(ledger.entries).toEqual([created('7'), { refusal }]);
		expect(info.mock.calls).toEqual([['Execution 1 started run 7 for item 0']]);
	});

	it('has its run call back, also when that pauses, where a pause resumes', async () => {
		const ledger = ledgerOf(waiting(1), {}, { isPauseEnough: true });
		const { bodies } = await start(ledger, []);
		const url = callbackUrlFor(RESUME_URL, 0, 'secret');
		expect(bodies).toEqual([{ a: 1, callback_url: url, status_change_callback_url: url }]);
	});

	it('has no callback where many are watched, and the ledger says so for an n8n that will not reach itself', async () => {
		const ledger = ledgerOf(waiting(11));
		const { bodies } = await start(ledger, []);
		expect(bodies).toEqual(Array(11).fill({ a: 1 }));
		expect(ledger.waitMethod).toBe('noCallbacks');
	});

	it.each([
		['the plan’s limit is met', 10118],
		['the callback is wrong', 99001],
	])('may have begun a run where a fault of the service says that %s', async (_, code) => {
		const ledger = patient(1);
		const { bodies } = await start(ledger, [new ServiceError('no', '', { code, httpStatus: 502 })]);
		expect(bodies).toHaveLength(1);
		expect(ledger.entries).toMatchObject([{ refusal: { isUncertain: true } }]);
	});

	it('is sent again without a callback where the service refuses that, and n8n’s wait timer resumes instead', async () => {
		const badParameter = new ServiceError('bad', 'search', { code: 99001, httpStatus: 400 });
		const ledger = ledgerOf(waiting(1));
		const { failure, bodies } = await start(ledger, [badParameter]);
		expect(failure).toBeUndefined();
		expect(bodies).toEqual([expect.anything(), { a: 1 }]);
		expect(ledger).toMatchObject({ waitMethod: 'noCallbacks', entries: [{ taskId: 'run 1' }] });
	});
});

it('a start is not sent where the wait limit was reached while earlier runs were looked for: it stays pending', async () => {
	const ledger = ledgerOf(waiting(1), { deadline: Date.now() + 60_000 });
	const lookUp: typeof makeStarter = () => async (_request, send) => {
		Object.assign(ledger, { deadline: Date.now() });
		await send();
		return undefined;
	};
	const { failure, bodies } = await start(ledger, [], { lookUp });
	expect({ failure, bodies }).toEqual({ failure: undefined, bodies: [] });
	expect(ledger.entries).toEqual(waiting(1));
});

describe('at the plan’s limit of running tasks', () => {
	const BEFORE = 1_700_000_000_000;

	it('starts that were under way together are one refusal, and no further one is sent', async () => {
		const { bodies } = await start(patient(3), [full, full], { concurrency: 2 });
		expect(bodies).toHaveLength(2);
		expect(noteNoSlot).toHaveBeenCalledTimes(1);
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
		// The start that was turned away counts.
		expect(ledger.lastStartAt).toBe(NOW);
		expect(noteNoSlot).not.toHaveBeenCalled();
	});

	it('starts wait for as long as it asks, also where another one has met the plan’s limit', async () => {
		const ledger = patient(2, { deadline: NOW + 1_800 * SECOND });
		await start(ledger, [full, busy(60 * SECOND)], { concurrency: 2 });
		expect(ledger.slowed).toEqual(until(60, 1));
	});

	it.each([
		['the plan’s limit is met', [full]],
		['all were started', []],
	])('that is over when %s', async (_, answers) => {
		const ledger = patient(2, { slowed: until(0, 1) });
		await start(ledger, answers);
		expect(ledger.slowed).toBeUndefined();
	});
});

it('a slowdown is over for what is left of the starts as soon as some are sent, also by a clock that was set back', async () => {
	const ledger = patient(2, { slowed: { until: Date.now() + 7_200_000, times: 3 }, waveEnd: 1 });
	await start(ledger, []);
	expect(ledger.slowed?.until).toBeLessThanOrEqual(Date.now());
	expect(ledger.slowed?.times).toBe(3);
});

describe('in waves', () => {
	const sleep = (ledger: Ledger) => recordSuspended(ledger, suspensionWith('one'), {});

	it.each([
		[300, [200, 100]],
		[1_001, [201, 201, 201, 201, 197]],
	])('of %d items, 200 at least and five times at the most: %j', (count, expected) => {
		const ledger = ledgerOf(waiting(count), { waveEnd: 0 });
		const waves: number[][] = [];
		while (pendingStarts(ledger).length > 0) {
			expect(dueItems(ledger)).toEqual([]);
			sleep(ledger);
			const due = dueItems(ledger);
			waves.push(due);
			for (const item of due)
				recordStarted(ledger, item, { taskId: `${item}`, status: 'created' }, 0);
			recordStartsSent(ledger);
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
		expect(dueItems(ledger)).toHaveLength(expected);
	});
});

it.each([
	['callback', 'noCallbacks'],
	['inPlace', 'inPlace'],
] as const)('with %s, a run that was there already is waited for by %s', async (way, then) => {
	const before: Entry = { inputKey: 'key', request: { ...request, body: { way } } };
	const again = () => ledgerOf([before], { waitMethod: way, statusesAt: 3 }, { reuseMs: 60_000 });
	await start(again(), [{ task_id: '1' }]);
	const ledger = again();
	// What is asked then is how that run stands.
	const { bodies, awake } = await start(ledger, [{ status: 'running' }]);
	expect(bodies).toEqual([undefined]);
	expect(ledger).toMatchObject({ waitMethod: then });
	// It is polled next.
	expect([ledger.statusesAt, awake]).toEqual([undefined, {}]);
	expect(ledger.entries).toEqual([{ inputKey: 'key', taskId: '1', isReused: true }]);
	// It takes no slot.
	expect(noteStart).toHaveBeenCalledTimes(1);
});
