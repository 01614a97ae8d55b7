import type { INodeExecutionData } from 'n8n-workflow';

import type {
	Entry,
	Ledger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	endSleeps,
	remember,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import { suspend } from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/suspend';
import { insideNode } from '../../insideNode';
import { ledgerOf } from '../ledgerOf';

const MINUTE = 60_000;

const NOW = 1_700_000_000_000;

const RESUME_URL = 'https://n8n.example.com/webhook-waiting/1?signature=a';

/** Does some work while the clock stands, and without chance. */
async function atThisMoment<T>(work: () => Promise<T>): Promise<T> {
	jest.spyOn(Date, 'now').mockReturnValue(NOW);
	jest.spyOn(Math, 'random').mockReturnValue(0);
	try {
		return await work();
	} finally {
		jest.restoreAllMocks();
	}
}

let executions = 0;

const running = (taskId: string): Entry => ({ taskId, status: 'running' });

/** An execution that has begun now and may wait for seven hours. */
function waitingFor(entries: Entry[], more: Partial<Ledger> = {}): Ledger {
	const executionId = `suspended ${executions++}`;
	return ledgerOf(entries, { executionId, begunAt: NOW, deadline: NOW + 420 * MINUTE, ...more });
}

interface Suspended {
	/** What the node shows. */
	items: INodeExecutionData[];
	/** When n8n's clock wakes it, in milliseconds from now. */
	inMs: number;
	/** The address of the status page. */
	pageUrl: string;
}

/** Puts an execution to sleep. */
async function putToSleep(
	ledger: Ledger,
	{
		timeLimitMs,
		isWatched = true,
		resumeUrl = RESUME_URL,
	}: { timeLimitMs?: number; isWatched?: boolean; resumeUrl?: string } = {},
): Promise<Suspended> {
	let inMs = 0;
	let pageUrl = '';
	// Without its own record of the node, n8n carries it out only once.
	const n8n = {
		putExecutionToWait: async (date: Date) => {
			await Promise.resolve();
			inMs = date.getTime() - NOW;
		},
		setMetadata: ({ resumeUrl }: { resumeUrl: string }) => (pageUrl = resumeUrl),
	};
	const additionalData = timeLimitMs && { executionTimeoutTimestamp: NOW + timeLimitMs };
	const { shown: items, sleep } = await insideNode(
		async (context) =>
			await atThisMoment(
				async () => await suspend({ context, ledger, isWatched }, resumeUrl, true),
			),
		{},
		{ ...n8n, additionalData, executeData: undefined },
	);
	expect(ledger.sleep).toBe(sleep);
	expect(sleep).toMatchObject({ resumeUrl, date: NOW + inMs, isIdle: true });
	expect(sleep.id).toMatch(/^[0-9a-f]{32}$/);
	return { items, inMs, pageUrl };
}

it('shows the run of each item, and leads to the status page', async () => {
	const { items, pageUrl } = await putToSleep(waitingFor([running('1'), running('2')]));

	expect(items).toMatchObject([
		{ json: { task_id: '1' }, pairedItem: { item: 0 } },
		{ json: { task_id: '2' }, pairedItem: { item: 1 } },
	]);
	expect(pageUrl).toBe('https://n8n.example.com/webhook-waiting/1/watch?signature=a&key=key');
});

it('its address says that a person is needed where one of the runs is paused', async () => {
	const { pageUrl } = await putToSleep(
		waitingFor([running('1'), { taskId: '2', status: 'paused' }]),
	);
	expect(new URL(pageUrl).searchParams.get('state')).toBe('paused');
});

describe('n8n’s clock wakes it', () => {
	const later = { begunAt: NOW - 40 * MINUTE };

	const ended: Entry[] = [{ taskId: '1', status: 'finished' }];
	const tenMinutes = 10 * MINUTE;
	const watched = { isWatched: true };
	const unwatched = { isWatched: false };

	it.each([
		[
			'after a quarter of the time spent where callbacks may come',
			1,
			'callback',
			watched,
			tenMinutes,
		],
		['after as long where nothing watches its runs', 11, 'callback', unwatched, tenMinutes],
		['sooner where none can come', 1, 'clock', watched, 100_000],
		['sooner where there are too many runs for callbacks', 11, 'callback', watched, 100_000],
		['sooner where nothing watches its runs either', 1, 'clock', unwatched, 100_000],
	] as const)('%s (%d %s)', async (_, runs, way, how, expected) => {
		const entries = Array.from({ length: runs }, (__, index) => running(String(index)));
		const ledger = waitingFor(entries, { ...later, waitMethod: way });
		expect((await putToSleep(ledger, how)).inMs).toBe(expected);
	});

	it('sooner where no open run can call back', async () => {
		expect((await putToSleep(waitingFor(ended, later), unwatched)).inMs).toBe(100_000);
		expect((await putToSleep(waitingFor(ended, later), watched)).inMs).toBe(100_000);
	});

	describe('where many that callbacks wake sleep', () => {
		const asleep = { account: undefined, canWake: true, sleptHere: true };
		const others = Array.from({ length: 300 }, () => waitingFor([running('1')]));

		beforeEach(async () => {
			await atThisMoment(async () => {
				for (const other of others) {
					const sleep = { id: other.executionId, resumeUrl: '', date: NOW + MINUTE, isIdle: false };
					remember(other, sleep, asleep);
				}
				await Promise.resolve();
			});
		});

		afterEach(async () => {
			await atThisMoment(async () => {
				for (const { executionId } of others) endSleeps(executionId);
				await Promise.resolve();
			});
		});

		const inMs = async (ledger: Ledger): Promise<number> => (await putToSleep(ledger)).inMs;

		it('later, but once more soon after it was awake, as its callback may have come then', async () => {
			const ledger = waitingFor([running('1')]);
			const dates = [await inMs(ledger), await inMs(ledger), await inMs(ledger)];
			expect(dates).toEqual([MINUTE + 600_000, MINUTE, MINUTE + 600_000]);
		});

		it('later also where it was stored before its runs were started', async () => {
			const ledger = waitingFor([{}]);
			expect(await inMs(ledger)).toBe(MINUTE);
			ledger.entries = [running('1')];
			expect(await inMs(ledger)).toBe(MINUTE + 600_000);
		});

		it('not later where none wakes it', async () => {
			const batch = waitingFor(Array.from({ length: 11 }, (_, index) => running(String(index))));
			expect([await inMs(batch), await inMs(batch)]).toEqual([MINUTE, MINUTE]);
		});
	});

	it.each([
		['seldom where its runs are watched', 'clock', true, 15 * MINUTE],
		['seldom where they call back', 'callback', false, 15 * MINUTE],
		['as ever where nothing else would wake it', 'clock', false, 100_000],
	] as const)(
		'in an n8n that wakes also what is awake: %s',
		async (_, way, isWatched, expected) => {
			const resumeUrl = 'https://n8n.example.com/webhook-waiting/1';
			const ledger = waitingFor([running('1')], { ...later, waitMethod: way });
			expect((await putToSleep(ledger, { isWatched, resumeUrl })).inMs).toBe(expected);
		},
	);

	it('at the wait limit at the latest', async () => {
		const ledger = waitingFor([running('1')], { deadline: NOW + 1_000 });
		expect((await putToSleep(ledger)).inMs).toBe(1_000);
	});

	it.each([
		[70_000, MINUTE],
		[69_999, 420 * MINUTE],
	])(
		'not less than ten seconds before n8n’s own time limit of %d ms, nor after it: in %d ms',
		async (timeLimitMs, expected) => {
			expect((await putToSleep(waitingFor([running('1')]), { timeLimitMs })).inMs).toBe(expected);
		},
	);

	it('as the time limit was when it first slept', async () => {
		const ledger = waitingFor([running('1')], { timeout: NOW + 69_000 });
		expect((await putToSleep(ledger, { timeLimitMs: 3_600_000 })).inMs).toBe(420 * MINUTE);
	});
});
