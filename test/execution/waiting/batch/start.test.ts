import type {
	Entry,
	Ledger,
	Refusal,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	callbacksPay,
	callbackUrlFor,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/plan';
import {
	chooseWave,
	dueStarts,
	endWave,
	isBetweenWaves,
	planWaves,
	startRuns,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/start';
import {
	CanceledError,
	ConnectionError,
	ServiceError,
} from '../../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../../nodes/BrowserAutomation/service/json/json';
import type { ServiceRequest } from '../../../../nodes/BrowserAutomation/service/http/request';
import { ledgerOf } from '../ledgerOf';

const mockLine = { refuse: jest.fn() };

jest.mock('../../../../nodes/BrowserAutomation/execution/waiting/sleep/watcher', () => ({
	accountOf: () => 'account',
	knownWatcher: () => mockWatcher,
}));

let mockWatcher: { line: typeof mockLine } | undefined;

beforeEach(() => {
	mockWatcher = { line: mockLine };
	mockLine.refuse.mockClear();
});

const RESUME_URL = 'https://n8n.example.com/webhook-waiting/7?signature=abc';

const request: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs', body: { a: 1 } };
const waiting = (count: number): Entry[] => Array.from({ length: count }, () => ({ request }));

const full = new ServiceError('The plan’s limit is met', 'wait', { code: 10118, httpStatus: 400 });
const refused = new ServiceError('no such bot', 'choose', { code: 5, httpStatus: 400 });
const badParameter = new ServiceError('bad parameter', 'look', { code: 99001, httpStatus: 400 });

type Sending = (request: ServiceRequest) => Promise<JsonObject>;

/** How a test starts: `send` in place of the service. */
interface How {
	send?: Sending;
	signal?: AbortSignal;
	resumeUrl?: string | undefined;
	goesOn?: boolean;
	allowed?: number;
}

/** Starts what is due, with a service that answers each start in turn with a run, or refuses it. */
async function start(ledger: Ledger, answers: Array<JsonObject | Error>, how: How = {}) {
	const { signal, goesOn = false, allowed = Infinity } = how;
	const sent: ServiceRequest[] = [];
	const answer: Sending = async (one) => {
		const answered = answers[sent.length] ?? { task_id: `run ${sent.length}` };
		sent.push(one);
		if (answered instanceof Error) throw answered;
		return answered;
	};
	const batch = {
		context: { continueOnFail: () => goesOn, getExecutionCancelSignal: () => signal },
		credential: { baseUrl: 'https://service.test', apiKey: 'key' },
		starter: { baseUrl: 'https://service.test', send: how.send ?? answer },
		ledger,
		resumeUrl: 'resumeUrl' in how ? how.resumeUrl : RESUME_URL,
		isWatched: true,
	};
	const failure = await startRuns(batch, allowed);
	return { failure, bodies: sent.map(({ body }) => body) };
}

describe('a start', () => {
	it('is sent once with its item’s own callback, and its run noted', async () => {
		const entries = [{ request }, { taskId: '5' }, { request }, { request }];
		const ledger = ledgerOf(entries, { waveEnd: 3, callbackKey: 'key' });
		const { failure, bodies } = await start(ledger, [
			{ task_id: '1' },
			{ task_id: '2', status: 'running', profile_id: 'p' },
		]);

		expect(failure).toBeUndefined();
		expect(bodies).toEqual([
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 0, ledger.callbackKey) },
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 2, ledger.callbackKey) },
		]);
		expect(ledger.entries).toStrictEqual([
			{ taskId: '1', status: 'created' },
			{ taskId: '5' },
			{ taskId: '2', status: 'running', profileId: 'p' },
			{ request },
		]);
	});

	it('is marked while it is under way: n8n may store the ledger then', async () => {
		const ledger = ledgerOf(waiting(2));
		const stored: Entry[][] = [];
		const send = async () => {
			stored.push(structuredClone(ledger.entries));
			return { task_id: String(stored.length) };
		};
		await start(ledger, [], { send });
		expect(stored).toEqual([
			[{ request, isBeingSent: true }, { request }],
			[
				{ taskId: '1', status: 'created' },
				{ request, isBeingSent: true },
			],
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
			expect(ledger.entries).toEqual([
				{ taskId: '1', status: 'created' },
				{ request },
				{ request },
			]);
		}
	});

	it('has the service call for changes of the status, too, where a pause wakes', async () => {
		const ledger = ledgerOf(waiting(1), { callbackKey: 'key' }, { wakeWhenPaused: true });
		const url = callbackUrlFor(RESUME_URL, 0, ledger.callbackKey);
		const { bodies } = await start(ledger, []);
		expect(bodies).toEqual([{ a: 1, callback_url: url, status_change_callback_url: url }]);
	});

	it('has no callback where none can wake the execution', async () => {
		const unheard = await start(ledgerOf(waiting(1)), [], { resumeUrl: undefined });
		expect(unheard.bodies).toEqual([{ a: 1 }]);
		const watched = await start(ledgerOf(waiting(1), { waitMethod: 'clock' }), []);
		expect(watched.bodies).toEqual([{ a: 1 }]);
	});

	it('is sent again without a callback where the service refuses that, and n8n’s clock wakes instead', async () => {
		const ledger = ledgerOf(waiting(1));
		const { failure, bodies } = await start(ledger, [badParameter]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(bodies[1]).toEqual({ a: 1 });
		expect(ledger).toMatchObject({ waitMethod: 'clock', entries: [{ taskId: 'run 1' }] });
	});

	it('is not sent again when something else is refused, or when it had no callback', async () => {
		const ledger = ledgerOf(waiting(1));
		expect(await start(ledger, [refused])).toMatchObject({
			failure: { error: refused, itemIndex: 0 },
			bodies: [expect.anything()],
		});
		expect(await start(ledger, [badParameter], { resumeUrl: undefined })).toMatchObject({
			failure: { error: badParameter, itemIndex: 0 },
			bodies: [expect.anything()],
		});
		expect(ledger.waitMethod).toBe('callback');
	});
});

describe('a refused start', () => {
	it('ends the batch, is told with its item, and stays to be started by a retry', async () => {
		const ledger = ledgerOf([{ taskId: '5' }, ...waiting(3)]);
		const { failure, bodies } = await start(ledger, [{ task_id: '1' }, refused]);
		expect(failure).toEqual({ error: refused, itemIndex: 2 });
		expect(bodies).toHaveLength(2);
		expect(ledger.entries.slice(1)).toEqual([
			{ taskId: '1', status: 'created' },
			{ request },
			{ request },
		]);
	});

	it('is noted with its item where the others go on', async () => {
		const ledger = ledgerOf(waiting(3));
		const answers = [refused, new Error('a bug')];
		expect((await start(ledger, answers, { goesOn: true })).failure).toBeUndefined();
		expect(ledger.entries).toStrictEqual([
			{ refusal: { message: 'no such bot', advice: 'choose', facts: refused.facts } },
			{ refusal: { message: 'a bug', advice: '', facts: {} } },
			{ taskId: 'run 2', status: 'created' },
		]);
	});
});

describe('a start whose answer never came', () => {
	const lost = new ConnectionError('it broke', true);
	const fault = new ServiceError('a fault', 'try', { code: 3, httpStatus: 502 });

	it('is never sent again, and told with what to do', async () => {
		const ledger = ledgerOf(waiting(2));
		const { failure, bodies } = await start(ledger, [lost]);
		const refusal: Refusal = {
			message:
				'The service could not be reached: it broke. Whether the run was started is not known',
			advice: 'Look for it with Run > Get Many before you start it again.',
			facts: {},
			isUncertain: true,
		};
		expect(bodies).toHaveLength(1);
		expect(ledger.entries).toEqual([{ refusal }, { request }]);
		expect(failure).toMatchObject({ error: { message: refusal.message }, itemIndex: 0 });
		expect(failure?.error).not.toBeInstanceOf(ServiceError);
	});

	it('keeps the service’s code', async () => {
		const ledger = ledgerOf(waiting(1));
		const { failure } = await start(ledger, [fault]);
		expect(failure?.error).toBeInstanceOf(ServiceError);
		expect(ledger.entries[0]?.refusal).toMatchObject({ facts: fault.facts, isUncertain: true });
	});

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
		const ledger = ledgerOf(waiting(4), {}, { waitForSlot: true });
		const begun = Date.now();
		const { failure, bodies } = await start(ledger, [{ task_id: '1' }, full]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(mockLine.refuse).toHaveBeenCalledTimes(1);
		expect(ledger.queuedAt).toBeGreaterThanOrEqual(begun);
		expect(ledger.entries.slice(1)).toEqual(waiting(3));
	});

	it('the rest waits also where this process watches nothing', async () => {
		mockWatcher = undefined;
		const ledger = ledgerOf(waiting(2), {}, { waitForSlot: true });
		expect((await start(ledger, [full])).failure).toBeUndefined();
		expect(ledger).toMatchObject({ queuedAt: expect.any(Number), entries: waiting(2) });
	});

	it('the batch ends where it may not', async () => {
		const ledger = ledgerOf(waiting(2));
		const { failure } = await start(ledger, [full]);
		expect(failure).toEqual({ error: full, itemIndex: 0 });
		expect(mockLine.refuse).not.toHaveBeenCalled();
		expect(ledger.queuedAt).toBeUndefined();
	});

	it('what is refused again has waited since it was refused first', async () => {
		const ledger = ledgerOf(waiting(2), { queuedAt: BEFORE }, { waitForSlot: true });
		await start(ledger, [{ task_id: '1' }, full]);
		expect(ledger.queuedAt).toBe(BEFORE);
	});

	it('nothing waits any more when the last run was started', async () => {
		const ledger = ledgerOf(waiting(2), { queuedAt: BEFORE }, { waitForSlot: true });
		await start(ledger, []);
		expect(ledger).not.toHaveProperty('queuedAt');
	});

	/** How many starts were under way at the same time, and how many were sent. */
	async function under(ledger: Ledger, allowed: number): Promise<[number, number]> {
		let [open, most, sent] = [0, 0, 0];
		const send = async (): Promise<JsonObject> => {
			most = Math.max(most, ++open);
			await new Promise(setImmediate);
			open -= 1;
			return { task_id: `run ${sent++}` };
		};
		await start(ledger, [], { send, allowed });
		return [most, sent];
	}

	it('as many are started as there are slots for it, and not more', async () => {
		const queued = ledgerOf(waiting(5), { queuedAt: BEFORE }, { concurrency: 20 });
		expect(await under(queued, 3)).toEqual([3, 3]);
		expect(queued.queuedAt).toBe(BEFORE);
	});

	it('one at a time is tried where it has waited, and nobody knows of slots', async () => {
		const queued = ledgerOf(waiting(4), { queuedAt: BEFORE }, { concurrency: 4 });
		expect(await under(queued, Infinity)).toEqual([1, 4]);
		const fresh = ledgerOf(waiting(4), {}, { concurrency: 4 });
		expect(await under(fresh, Infinity)).toEqual([4, 4]);
	});
});

describe('runs call back', () => {
	const runs = (count: number, more: Partial<Ledger> = {}) => ledgerOf(waiting(count), more);

	it('where they are few, or nothing else watches them', () => {
		expect(callbacksPay(runs(10), true)).toBe(true);
		expect(callbacksPay(runs(11), true)).toBe(false);
		expect(callbacksPay(runs(11), false)).toBe(true);
	});

	it('only where callbacks can wake the execution', () => {
		expect(callbacksPay(runs(1, { waitMethod: 'clock' }), false)).toBe(false);
	});
});

it('when the last run was started is noted, also of a start that is refused', async () => {
	const ledger = ledgerOf(waiting(1));
	const begun = Date.now();
	await start(ledger, [refused]);
	expect(ledger.startedAt).toBeGreaterThanOrEqual(begun);
});

describe('in waves', () => {
	it('a fifth of the items is started in one go, and a hundred at least', () => {
		for (const [count, wave] of [
			[1_000, 200],
			[1_001, 201],
			[300, 100],
			[50, 50],
		] as const) {
			const ledger = ledgerOf(waiting(count), { waveEnd: 0 });
			expect(dueStarts(ledger)).toEqual([]);
			chooseWave(ledger);
			expect(dueStarts(ledger)).toHaveLength(wave);
			expect(dueStarts(ledger)).toEqual(ledger.entries.slice(0, wave));
			endWave(ledger);
			expect(dueStarts(ledger)).toEqual([]);
		}
	});

	it('no start of the wave before is due any more', () => {
		const ledger = ledgerOf(waiting(150), { waveEnd: 0 });
		chooseWave(ledger);
		const { request: sent, ...first } = ledger.entries[0] ?? {};
		expect(sent).toBe(request);
		ledger.entries[0] = { ...first, taskId: '1' };
		chooseWave(ledger);
		expect(ledger.entries[0]).toEqual({ taskId: '1' });
		expect(dueStarts(ledger)).toHaveLength(100);
	});

	it('without waves all starts are due', () => {
		const ledger = ledgerOf(waiting(150));
		chooseWave(ledger);
		expect(dueStarts(ledger)).toHaveLength(150);
		expect(ledger.entries[0]).toEqual({ request });
	});

	it('an execution is between two of them while starts are left, and none is due', () => {
		const left = ledgerOf(waiting(2), { waveEnd: 0 });
		expect(isBetweenWaves(left)).toBe(true);
		expect(isBetweenWaves({ ...left, queuedAt: 1 })).toBe(false);
		expect(isBetweenWaves(ledgerOf(waiting(2)))).toBe(false);
		expect(isBetweenWaves(ledgerOf([{ taskId: '1' }], { waveEnd: 0 }))).toBe(false);
		chooseWave(left);
		expect(isBetweenWaves(left)).toBe(false);
	});
});

/** Whether so many items are started in waves where n8n wakes the execution at this address. */
function inWaves(items: number, resumeUrl = RESUME_URL): boolean {
	const started = [{ taskId: '1' }, { taskId: '2' }];
	const ledger = ledgerOf([...started, ...waiting(items)]);
	planWaves(ledger, resumeUrl);
	return ledger.waveEnd !== undefined;
}

it('two items that are still to be started are started in waves, a single one at once', () => {
	expect(inWaves(2)).toBe(true);
	expect(inWaves(1)).toBe(false);
});

it('there are no waves in an n8n that does not tell who is awake from who sleeps', () => {
	expect(inWaves(11, 'https://n8n.example.com/webhook-waiting/1')).toBe(false);
});

it('when each run was started is noted where it is to be canceled after some time', async () => {
	const bounded = ledgerOf(waiting(1), {}, { cancelAfterMs: 60_000 });
	const begun = Date.now();
	await start(bounded, []);
	expect(bounded.entries[0]?.startedAt).toBeGreaterThanOrEqual(begun);
	const unbounded = ledgerOf(waiting(1));
	await start(unbounded, []);
	expect(unbounded.entries[0]).not.toHaveProperty('startedAt');
});

it.each([
	['callback', 'clock'],
	['inPlace', 'inPlace'],
] as const)('with %s, a run that was there already is waited for by %s', async (way, then) => {
	const origin = `started before ${way}`;
	const again = (taken: Ledger['waitMethod']) =>
		ledgerOf([{ request, origin }], { waitMethod: taken }, { noRepeatMs: 60_000 });
	await start(again(way), [{ task_id: '1' }]);
	const ledger = again(way);
	// What is asked then is how that run stands.
	const { bodies } = await start(ledger, [{ status: 'running' }]);
	expect(bodies).toEqual([undefined]);
	expect(ledger).toMatchObject({ waitMethod: then });
	expect(ledger.entries).toEqual([{ origin, taskId: '1', isRepeated: true }]);
});
