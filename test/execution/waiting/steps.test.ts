import type { Ledger } from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import type { Abilities } from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import { carryOut } from '../../../nodes/BrowserAutomation/execution/waiting/steps';
import type { RunStatus } from '../../../nodes/BrowserAutomation/service/runs/runs';
import { CanceledError, ServiceError } from '../../../nodes/BrowserAutomation/service/errors';
import { ledgerOf, node, request, RESUME_URL, running } from './ledgerOf';

const BEGIN = 1_700_000_000_000;

beforeEach(() => jest.useFakeTimers({ now: BEGIN }));
afterEach(() => jest.useRealTimers());

const ABLE = { canWatch: true, resumeUrl: RESUME_URL, suspendableFrom: 0, allowedStarts: 1 };

type Awake = Parameters<typeof carryOut>[0];
type Answers = ReadonlyMap<string, RunStatus>;

/** Carries out the steps of a batch that was resumed, whose runs are asked about like this. */
async function stepsOf(
	ledger: Ledger,
	ask: () => Promise<Answers>,
	{ read, ...more }: { read?: unknown; slots?: unknown; isResumed?: boolean } = {},
	able: Abilities = ABLE,
) {
	const cancel = async () => undefined;
	const readStatuses = async (_: string[], { onAnswers }: { onAnswers(read: Answers): void }) =>
		onAnswers(await ask());
	const runs: object = { endingBy: () => runs, read, readStatuses, cancel, concurrency: 5 };
	const awake = { openedAt: BEGIN, random: 0.5 };
	const slots = { noteEnds: jest.fn() };
	const known = { runs, ledger, awake, slots, isResumed: true, context: { getNode: () => node } };
	const steps = carryOut({ ...known, ...more } as unknown as Awake, async () => able);
	const [last] = await Promise.all([steps, jest.advanceTimersByTimeAsync(60_000)]);
	return last;
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
	const inPlace = { ...ABLE, canWatch: false, resumeUrl: undefined };
	const last = await stepsOf(ledger, async () => new Map([['1', 'finished']]), { read }, inPlace);

	expect(last).toEqual({ do: 'collect' });
	expect(read.mock.calls).toEqual([['1']]);
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
