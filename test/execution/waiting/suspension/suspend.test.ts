import type { IExecuteFunctions } from 'n8n-workflow';
import { hostOf } from '../../../../nodes/BrowserAutomation/execution/host';
import { recordStarted } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { endSuspensions } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { suspend } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspend';
import { insideNode } from '../../insideNode';
import { asleepWith, fallAsleep, ledgerOf, request, running } from '../ledgerOf';
import { RESUME_URL, UNSIGNED_URL, type Entry, type Ledger } from '../ledgerOf';

const MINUTE = 60_000;
const NOW = 1_700_000_000_000;

// The clock stands, and there is no chance.
beforeEach(() => {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(Math, 'random').mockReturnValue(0);
});
afterEach(() => jest.restoreAllMocks());

let executions = 0;

const runs = (count: number) => Array.from({ length: count }, (_, index) => running(`${index}`));

/** An execution that has begun now and may wait for seven hours. */
function waitingFor(entries: Entry[] = [running()], more: Partial<Ledger> = {}): Ledger {
	const executionId = `suspended ${executions++}`;
	return ledgerOf(entries, { executionId, begunAt: NOW, deadline: NOW + 420 * MINUTE, ...more });
}

interface How {
	canWatch?: boolean;
	isPolled?: boolean;
	timeLimitMs?: number;
	resumeUrl?: string;
	mode?: 'trigger' | 'manual';
	/** The type of the node behind. */
	next?: string;
}

/** Puts an execution to sleep. @returns in how long n8n's wait timer resumes it, in milliseconds */
async function putToSleep(ledger: Ledger, how: How = {}): Promise<number> {
	const { timeLimitMs, canWatch = true, isPolled = false, resumeUrl = RESUME_URL } = how;
	const { next = 'n8n-nodes-base.set' } = how;
	let inMs = 0;
	const host = { isPolled, endsAt: timeLimitMs && NOW + timeLimitMs };
	const n8n = {
		putExecutionToWait: async (date: Date) => void (inMs = date.getTime() - NOW),
		setMetadata: () => undefined,
		// Without its own record of the node, n8n carries it out only once.
		executeData: undefined,
		getChildNodes: () => [{ name: 'Next', type: next }],
	};
	const sleep = async (context: IExecuteFunctions) => {
		const batch = { context, host: { ...hostOf(context), ...host }, ledger, canWatch };
		return await suspend(batch, resumeUrl, true, '');
	};
	const { suspendedLedger } = await insideNode(sleep, { mode: how.mode ?? 'trigger' }, n8n);
	expect(suspendedLedger).toBe(ledger);
	const kept = { suspendedAt: NOW, resumeUrl, timerAt: NOW + inMs, wasResumedInVain: true };
	expect(suspendedLedger.suspension).toMatchObject(kept);
	expect(suspendedLedger.suspension.id).toMatch(/^[0-9a-f]{32}$/);
	return inMs;
}

describe('n8n’s wait timer resumes it', () => {
	const later = { begunAt: NOW - 40 * MINUTE };
	const ended: Entry[] = [{ taskId: '1', status: 'finished' }];
	const SOONER = 100_000;

	it.each([
		['after a quarter of the time where callbacks may come', runs(1), 'callback', true, 600_000],
		['as late where nothing watches its runs', runs(11), 'callback', false, 600_000],
		['sooner where no callback can come', runs(1), 'noCallbacks', true, SOONER],
		['sooner where no open run can call back', ended, 'callback', false, SOONER],
		['sooner where none can, though it is watched', ended, 'callback', true, SOONER],
	] as const)('%s', async (_, entries, way, canWatch, expected) => {
		const ledger = waitingFor([...entries], { ...later, waitMethod: way });
		expect(await putToSleep(ledger, { canWatch })).toBe(expected);
	});

	const timer = { waitMethod: 'noCallbacks' } as const;
	const uncalled = { ...timer, begunAt: NOW - 300 * MINUTE };
	const old = { resumeUrl: UNSIGNED_URL };
	const unwatched = { canWatch: false };
	const manual = { mode: 'manual' } as const;
	const wait = { next: 'n8n-nodes-base.wait' };

	it.each<[string, Partial<Ledger>, How, number]>([
		['soon at first where one of n8n’s Agents polls it', {}, { isPolled: true }, 50_000],
		['later then', later, { isPolled: true }, 600_000],
		['within five minutes at last where no callback comes', uncalled, unwatched, 5 * MINUTE],
		['seldom in the editor, which shows each sleep as a run of its own', {}, manual, 15 * MINUTE],
		['as ever there where nothing else would', timer, { ...manual, ...unwatched }, MINUTE],
		['seldom in an n8n that resumes also what is awake', { ...later, ...timer }, old, 15 * MINUTE],
		['seldom there where runs call back', later, { ...old, ...unwatched }, 15 * MINUTE],
		['seldom where n8n would wake a later node by the same timer', later, wait, 15 * MINUTE],
		['as ever where nothing else would', { ...later, ...timer }, { ...old, ...unwatched }, SOONER],
	])('%s', async (_, more, how, expected) => {
		expect(await putToSleep(waitingFor(runs(1), more), how)).toBe(expected);
	});

	describe('where many are suspended that callbacks resume', () => {
		const sleep = { timerAt: NOW + MINUTE };
		const others = Array.from({ length: 300 }, () => asleepWith([running()], waitingFor(), sleep));

		beforeEach(() => others.forEach((other) => fallAsleep(other)));
		afterEach(() => {
			for (const { executionId } of others) endSuspensions(executionId);
		});

		it('later, but once more soon after it was awake, as its callback may have come then', async () => {
			const ledger = waitingFor();
			const sleep = async () => await putToSleep(ledger);
			const dates = [await sleep(), await sleep(), await sleep()];
			expect(dates).toEqual([MINUTE + 600_000, MINUTE, MINUTE + 600_000]);
		});

		it('later also where it was stored before its runs were started', async () => {
			const ledger = waitingFor([{ request }]);
			expect(await putToSleep(ledger)).toBe(MINUTE);
			recordStarted(ledger, 0, running(), NOW);
			expect(await putToSleep(ledger)).toBe(MINUTE + 600_000);
		});

		it('not later where none resumes it', async () => {
			const batch = waitingFor(runs(1), { waitMethod: 'noCallbacks' });
			expect([await putToSleep(batch), await putToSleep(batch)]).toEqual([MINUTE, MINUTE]);
		});
	});

	it.each<[string, number, How, number]>([
		['at the wait limit at the latest', 1_000, unwatched, 1_000],
		['if a watcher resumes it then, not before the timer could be set', 1_000, {}, 91_000],
		['nor if its usual date is later than the limit', MINUTE - 1, {}, 150_000 - 1],
		['at its usual date before', MINUTE + 1, {}, MINUTE],
		['soon where one of n8n’s Agents polls it', 49_000, { isPolled: true }, 49_000],
	])('%s', async (_, deadline, how, expected) => {
		const ledger = waitingFor(runs(1), { deadline: NOW + deadline });
		expect(await putToSleep(ledger, how)).toBe(expected);
	});

	const endsAt = (executionEndsAt: number) => ({ executionEndsAt: NOW + executionEndsAt });

	it.each<[string, number | undefined, Partial<Ledger>, number]>([
		['also where the wait limit is later', 69_000, { deadline: NOW + 65_000 }, 59_000],
		['where that is earlier, and a watcher resumes it then', 69_000, { deadline: NOW }, 59_000],
		['as ever where n8n’s own time limit is far', 131_000, {}, MINUTE],
		['ten seconds before it, where less than a minute would be left', 129_999, {}, 119_999],
		['ten seconds before it', 69_000, {}, 59_000],
		['as ever where these ten seconds have begun', 10_000, {}, MINUTE],
		['by the time limit as it was when it first slept', 3_600_000, endsAt(69_000), 59_000],
	])('%s', async (_, timeLimitMs, more, expected) => {
		const how = timeLimitMs === undefined ? {} : { timeLimitMs };
		expect(await putToSleep(waitingFor(runs(1), more), how)).toBe(expected);
	});
});
