import type { Ledger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { Abilities } from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import type { Pass } from '../../../nodes/BrowserAutomation/execution/waiting/batch/pass';
import { carryOut } from '../../../nodes/BrowserAutomation/execution/waiting/steps';
import type { RunStatus } from '../../../nodes/BrowserAutomation/service/runs/runs';
import { CanceledError, ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import { ledgerOf, node, request, RESUME_URL, running } from './ledgerOf';

const BEGIN = 1_700_000_000_000;

beforeEach(() => jest.useFakeTimers({ now: BEGIN }));
afterEach(() => jest.useRealTimers());

const ABLE = { canWatch: true, resumeUrl: RESUME_URL, suspendableFrom: 0, allowedStarts: 1 };

const UNWATCHED = { ...ABLE, canWatch: false, resumeUrl: undefined, allowedStarts: Infinity };

type Answers = ReadonlyMap<string, RunStatus>;
interface Asked {
	isFinal: boolean;
	onAnswers(read: Answers): void;
}

/** What a batch that was resumed works with, whose runs are asked about like this, and which asks the service for these. */
function passOf(
	ledger: Ledger,
	ask: (taskIds: string[], asked: Asked) => Promise<Answers>,
	{ read, start, cancel = async () => undefined, ...more }: Partial<Record<string, unknown>> = {},
): Pass {
	const readStatuses = async (taskIds: string[], asked: Asked) =>
		asked.onAnswers(await ask(taskIds, asked));
	const runs: object = { endingBy: () => runs, read, readStatuses, start, cancel, concurrency: 5 };
	const slots = Object.fromEntries(
		['noteEnds', 'noteStart', 'noteNoSlot', 'enqueue', 'dequeue'].map((name) => [name, jest.fn()]),
	);
	const known = {
		...{ runs, uninterrupted: runs, ledger, slots, isResumed: true, canWatch: true },
		awake: { openedAt: BEGIN, random: 0.5 },
		context: {
			...{ getNode: () => node, continueOnFail: () => false, logger: { info: () => {} } },
			getExecutionCancelSignal: () => undefined,
		},
		host: { resumeUrl: RESUME_URL },
		newStarter: () => async (_: unknown, send: () => Promise<string>) => void (await send()),
		notifyTrigger: () => {},
	};
	return { ...known, ...more } as unknown as Pass;
}

/** Carries out the steps of a pass, as long as they take. */
async function lastStepOf(pass: Pass, able: Abilities = ABLE) {
	const steps = carryOut(pass, async () => able);
	const [last] = await Promise.all([steps, jest.advanceTimersByTimeAsync(180_000)]);
	return last;
}

/** Carries out the steps of a batch. */
async function stepsOf(
	ledger: Ledger,
	ask: Parameters<typeof passOf>[1],
	more: Partial<Record<string, unknown>> = {},
	able: Abilities = ABLE,
) {
	return await lastStepOf(passOf(ledger, ask, more), able);
}

const asleepForTwo = () => ledgerOf([running('1'), running('2')], { deadline: BEGIN + 600_000 });

it('a stop while a resumed execution polls is no failure of the service', async () => {
	const [stopped, ledger] = [new CanceledError(), asleepForTwo()];
	const steps = stepsOf(ledger, async () => await Promise.reject(stopped));
	await expect(steps).rejects.toBe(stopped);
	expect(ledger.activity).toEqual({});
});

it('those that wait for a slot hear of the runs that an execution finds ended', async () => {
	const slots = { noteEnds: jest.fn() };
	const answers = { 1: 'finished', 2: 'running' } as const;
	await stepsOf(asleepForTwo(), async () => new Map(Object.entries(answers)), { slots });
	expect(slots.noteEnds.mock.calls).toEqual([[['1']]]);
});

it('a resumed execution reads its only run whole once, as it has ended most likely; then it asks how it stands', async () => {
	const read = jest.fn(async () => ({ status: 'running' }));
	const ledger = ledgerOf([running('1')], { deadline: BEGIN + 600_000, waitMethod: 'inPlace' });
	let askedAt: number | undefined;
	const ask = async () => {
		askedAt = Date.now();
		return new Map([['1', 'finished' as const]]);
	};
	const last = await stepsOf(ledger, ask, { read }, UNWATCHED);

	expect(last).toEqual({ do: 'collect' });
	expect(read.mock.calls).toEqual([['1']]);
	expect(askedAt).toBe(BEGIN);
});

describe('the only run of a resumed execution', () => {
	const only = () => ledgerOf([running('1')], { deadline: BEGIN + 600_000 });
	const ended = { status: 'finished', output: 'rows' };

	it('is not read again once it was read whole', async () => {
		const pass = passOf(only(), jest.fn(), { read: async () => ended });
		expect(await lastStepOf(pass)).toEqual({ do: 'collect' });
		expect(pass.lastRead).toEqual({ taskId: '1', run: ended });
	});

	it('is read again where other items take longer, as a paused one may go on meanwhile', async () => {
		const ledger = { ...only(), entries: [running('1'), { request }] };
		const pass = passOf(ledger, jest.fn(), { read: async () => ended });
		expect(await lastStepOf(pass, { ...ABLE, allowedStarts: 0 })).toMatchObject({ do: 'suspend' });
		expect(ledger.entries).toMatchObject([{ status: 'finished' }, {}]);
		expect(pass.lastRead).toBeUndefined();
	});

	it('is asked how it stands if it cannot be read', async () => {
		const ask = jest.fn(async () => new Map([['1', 'finished' as const]]));
		const read = async () => await Promise.reject(new ServiceError('no', ''));
		expect(await stepsOf(only(), ask, { read })).toEqual({ do: 'collect' });
		expect(ask.mock.calls).toMatchObject([[['1'], {}]]);
	});

	it('is not read whole in an execution that has just started it, nor one of several', async () => {
		const [ask, read] = [jest.fn(async () => new Map([['1', 'finished' as const]])), jest.fn()];
		await stepsOf(only(), ask, { read, isResumed: false });
		await stepsOf(asleepForTwo(), ask, { read });
		expect(ask).toHaveBeenCalledTimes(2);
		expect(read).not.toHaveBeenCalled();
	});
});

it.each<[string, Partial<Ledger>, isFinal: boolean]>([
	['one that was started elsewhere and is unknown is gone', {}, true],
	['one that this execution has started may not be known yet', { startsSince: BEGIN }, false],
	['one that was seen before may be known again', { activity: { polledAt: BEGIN } }, false],
])('of the runs of a poll, %s', async (_, more, isFinal) => {
	const ask = jest.fn(async () => new Map());
	await stepsOf({ ...asleepForTwo(), ...more }, ask);
	expect(ask.mock.calls).toMatchObject([[['1', '2'], { isFinal }]]);
});

describe('a start', () => {
	const full = new ServiceError('no', '', { code: 10118, httpStatus: 400 });
	const startOf = (...answers: Array<string | Error>) =>
		jest.fn(async () => {
			const answer = answers.shift() ?? full;
			if (typeof answer !== 'string') throw answer;
			return { taskId: answer, status: 'running' };
		});
	const limits = { begunAt: BEGIN, deadline: BEGIN + 600_000 };
	const pendingWith = (...others: Ledger['entries']) =>
		ledgerOf([...others, { request }], limits, { waitForSlot: true });

	it('tells the status of its run, so that this is not polled before the execution is suspended', async () => {
		const [ask, start] = [jest.fn(), startOf('1')];
		expect(await stepsOf(pendingWith(), ask, { start })).toMatchObject({ do: 'suspend' });
		expect(ask).not.toHaveBeenCalled();
	});

	it('tells nothing of other runs, which are polled', async () => {
		const [ask, start] = [jest.fn(async () => new Map()), startOf('2')];
		await stepsOf(pendingWith(running('1')), ask, { start });
		expect(ask.mock.calls).toMatchObject([[['1', '2'], {}]]);
	});

	it('is sent again a pause after the service has turned it away', async () => {
		const sentAt: number[] = [];
		const answer = startOf(full, full, '1');
		const start = async () => {
			sentAt.push(Date.now() - BEGIN);
			return await answer();
		};
		const ask = async () => new Map([['1', 'finished' as const]]);
		await stepsOf(pendingWith(), ask, { start, canWatch: false }, UNWATCHED);
		expect(sentAt).toHaveLength(3);
		expect(sentAt[1]).toBeGreaterThanOrEqual(1_000);
	});

	it('that fails ends the node: its run is named, and what was not sent is refused', async () => {
		const error = new ServiceError('no', '', { code: 10100, httpStatus: 400 });
		const settings = { cancelOnFailedStart: true };
		const ledger = ledgerOf([running('1'), { request }, { request }], limits, settings);
		const pass = passOf(ledger, jest.fn(), { start: startOf(error) });
		expect(await lastStepOf(pass)).toEqual({ do: 'fail' });
		expect(pass.awake.startFailure).toEqual({ error, itemIndex: 1, at: BEGIN });
		const refused = { refusal: { message: 'no' } };
		expect(ledger.entries).toMatchObject([{ cancelReason: 'failedStart' }, refused, refused]);
	});

	it('that was turned away waits in the queue, with how many others', async () => {
		const pass = passOf(pendingWith({ request }), jest.fn(), { start: startOf() });
		await lastStepOf(pass, { ...ABLE, allowedStarts: Infinity });
		expect(pass.slots.enqueue).toHaveBeenCalledWith(2);
		expect(pass.slots.dequeue).not.toHaveBeenCalled();
	});

	it.each([
		['was sent', startOf('1'), true],
		['has to wait where nothing watches', startOf(), false],
	])('that %s is in no queue', async (_, start, canWatch) => {
		const pass = passOf(pendingWith(), async () => new Map(), { start, canWatch });
		await lastStepOf(pass, { ...ABLE, allowedStarts: Infinity, canWatch });
		expect(pass.slots.dequeue).toHaveBeenCalled();
		expect(pass.slots.enqueue).not.toHaveBeenCalled();
	});
});

it('a cancel that the service did not accept is not recorded as one, and is sent again a minute later', async () => {
	const sentAt: number[] = [];
	const cancel = async () => {
		sentAt.push(Date.now() - BEGIN);
		if (sentAt.length === 1) throw new ServiceError('no', '');
	};
	const ledger = ledgerOf([running('1')], { deadline: BEGIN + 90_000, isCanceled: true });
	await stepsOf(ledger, async () => new Map(), { cancel }, UNWATCHED);
	expect(sentAt).toEqual([0, 60_000]);
});

it('statuses are as old as the question, for the answer may have taken long', async () => {
	const ledger = asleepForTwo();
	await stepsOf(ledger, async () => {
		jest.setSystemTime(BEGIN + 5_000);
		return new Map([['1', 'running']]);
	});
	expect(ledger).toMatchObject({ statusesAt: BEGIN, activity: { polledAt: BEGIN + 5_000 } });
});

it('what waits for its start goes on waiting, though a run is canceled for its age', async () => {
	const old = { ...running('1'), startedAt: BEGIN - 60_000 };
	const slowed = { until: BEGIN + 60_000, times: 1 };
	const waits = { deadline: BEGIN + 600_000, queuedAt: BEGIN, slowed };
	const ledger = ledgerOf([old, { request }], waits, { cancelAfterMs: 60_000 });
	await stepsOf(ledger, async () => new Map());
	expect(ledger.entries).toMatchObject([{ taskId: '1', cancelReason: 'age' }, { request }]);
});

describe('an error of a poll', () => {
	const gateway = new ServiceError('no', '', { httpStatus: 403 });
	const service = new ServiceError('no', '', { httpStatus: 400, code: 99001 });
	const access = new ServiceError('no', '', { httpStatus: 403, code: 99001 });
	const pollWith = async (error: Error, isResumed: boolean, ledger: Ledger) => {
		const read = async () => await Promise.reject(error);
		return await stepsOf(ledger, read, { read, isResumed });
	};

	it.each<[string, Error, isResumed: boolean, polledAt: number | undefined]>([
		['of a gateway, before the service has answered', gateway, false, undefined],
		['of the service', service, false, BEGIN],
		['that refuses access, also once resumed', access, true, BEGIN],
	])('%s ends the node', async (_, error, isResumed, polledAt) => {
		const activity = polledAt === undefined ? {} : { polledAt };
		await expect(pollWith(error, isResumed, { ...asleepForTwo(), activity })).rejects.toBe(error);
	});

	it.each<[string, Error, isResumed: boolean]>([
		['of a gateway, once the service has answered', gateway, false],
		['of the service, once resumed', service, true],
	])('%s does not', async (_, error, isResumed) => {
		const ledger = { ...asleepForTwo(), activity: { polledAt: BEGIN } };
		expect(await pollWith(error, isResumed, ledger)).toMatchObject({ do: 'suspend' });
		expect(ledger.activity).toMatchObject({ requestFailedAt: BEGIN, requestError: 'no' });
	});

	it('does not where no run is waited for', async () => {
		const entries = [
			{ ...running('1'), status: 'paused' as const },
			{ ...running('2'), status: 'finished' as const },
		];
		const ledger = ledgerOf(entries, { deadline: BEGIN + 600_000 }, { isPauseEnough: true });
		expect(await pollWith(access, true, ledger)).toEqual({ do: 'collect' });
	});
});

it('what a person has canceled on the page is not started', async () => {
	const ledger = ledgerOf([{ request }], { deadline: BEGIN + 600_000, isCanceled: true });
	expect(await stepsOf(ledger, async () => new Map())).toEqual({ do: 'collect' });
	expect(ledger.entries).toMatchObject([{ refusal: { message: expect.any(String) } }]);
});
