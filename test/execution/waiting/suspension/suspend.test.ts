import type {
	Entry,
	Ledger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { recordStarted } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import {
	endSuspensions,
	remember,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import { statusPageUrlFor } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage';
import { suspend } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspend';
import { insideNode } from '../../insideNode';
import { ledgerOf, request, RESUME_URL, running, suspensionWith, UNSIGNED_URL } from '../ledgerOf';

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

/** Puts an execution to sleep. @returns what the node shows, in how long n8n's wait timer resumes it, and the page's address */
async function putToSleep(
	ledger: Ledger,
	{
		timeLimitMs,
		canResume = true,
		isPolled = false,
		resumeUrl = RESUME_URL,
		mode = 'trigger',
	}: Partial<Record<'canResume' | 'isPolled', boolean>> & {
		timeLimitMs?: number;
		resumeUrl?: string;
		mode?: 'trigger' | 'manual';
	} = {},
) {
	let inMs = 0;
	let pageUrl = '';
	const host = { isPolled, endsAt: timeLimitMs && NOW + timeLimitMs };
	const n8n = {
		putExecutionToWait: async (date: Date) => void (inMs = date.getTime() - NOW),
		setMetadata: ({ resumeUrl }: { resumeUrl: string }) => (pageUrl = resumeUrl),
		// Without its own record of the node, n8n carries it out only once.
		executeData: undefined,
	};
	const page = statusPageUrlFor(resumeUrl, ledger);
	const { output: items, suspended } = await insideNode(
		async (context) => await suspend({ context, host, ledger, canResume }, resumeUrl, true, page),
		{ mode },
		n8n,
	);
	expect(suspended).toBe(ledger);
	expect(suspended.suspension).toMatchObject({
		resumeUrl,
		timerAt: NOW + inMs,
		wasResumedInVain: true,
	});
	expect(suspended.suspension.id).toMatch(/^[0-9a-f]{32}$/);
	return { items, inMs, pageUrl };
}

it('shows the run of each item, and leads to the status page', async () => {
	const { items, pageUrl } = await putToSleep(waitingFor(runs(2)));

	expect(items).toMatchObject([
		{ json: { task_id: '0' }, pairedItem: { item: 0 } },
		{ json: { task_id: '1' }, pairedItem: { item: 1 } },
	]);
	expect(pageUrl).toBe(
		'https://n8n.example.com/webhook-waiting/1/watch?signature=a&key=key&progress=0+of+2+runs+ended.',
	);
});

describe('n8n’s wait timer resumes it', () => {
	const later = { begunAt: NOW - 40 * MINUTE };
	const ended: Entry[] = [{ taskId: '1', status: 'finished' }];
	const SOONER = 100_000;

	it.each([
		['after a quarter of the time where callbacks may come', runs(1), 'callback', true, 600_000],
		['as late where nothing watches its runs', runs(11), 'callback', false, 600_000],
		['sooner where no callback can come', runs(1), 'timer', true, SOONER],
		['sooner where runs are too many for callbacks', runs(11), 'callback', true, SOONER],
		['sooner where nothing watches its runs either', runs(1), 'timer', false, SOONER],
		['sooner where no open run can call back', ended, 'callback', false, SOONER],
		['sooner where none can, though it is watched', ended, 'callback', true, SOONER],
	] as const)('%s', async (_, entries, way, canResume, expected) => {
		const ledger = waitingFor([...entries], { ...later, waitMethod: way });
		expect((await putToSleep(ledger, { canResume })).inMs).toBe(expected);
	});

	it('in less than a minute at first where one of n8n’s Agents polls it', async () => {
		expect((await putToSleep(waitingFor(), { isPolled: true })).inMs).toBe(50_000);
		const long = waitingFor(runs(1), later);
		expect((await putToSleep(long, { isPolled: true })).inMs).toBeGreaterThan(60_000);
	});

	it('seldom in the editor, which shows each sleep as a run of its own', async () => {
		expect((await putToSleep(waitingFor(), { mode: 'manual' })).inMs).toBe(15 * MINUTE);
		const alone = { mode: 'manual', canResume: false } as const;
		expect((await putToSleep(waitingFor(runs(1), { waitMethod: 'timer' }), alone)).inMs).toBe(
			MINUTE,
		);
	});

	it.each([
		['seldom where its runs are watched', 'timer', true, 15 * MINUTE],
		['seldom where they call back', 'callback', false, 15 * MINUTE],
		['as ever where nothing else would resume it', 'timer', false, SOONER],
	] as const)(
		'in an n8n that resumes also what is awake: %s',
		async (_, way, canResume, expected) => {
			const ledger = waitingFor(runs(1), { ...later, waitMethod: way });
			expect((await putToSleep(ledger, { canResume, resumeUrl: UNSIGNED_URL })).inMs).toBe(
				expected,
			);
		},
	);

	describe('where many are suspended that callbacks resume', () => {
		const others = Array.from({ length: 300 }, () => waitingFor());
		const timerAt = NOW + MINUTE;

		beforeEach(() => {
			for (const other of others) {
				const suspension = suspensionWith(other.executionId, { timerAt });
				remember({ ...other, suspension }, { canResume: true, isPublished: true });
			}
		});

		afterEach(() => {
			for (const { executionId } of others) endSuspensions(executionId);
		});

		const inMs = async (ledger: Ledger): Promise<number> => (await putToSleep(ledger)).inMs;

		it('later, but once more soon after it was awake, as its callback may have come then', async () => {
			const ledger = waitingFor();
			const dates = [await inMs(ledger), await inMs(ledger), await inMs(ledger)];
			expect(dates).toEqual([MINUTE + 600_000, MINUTE, MINUTE + 600_000]);
		});

		it('later also where it was stored before its runs were started', async () => {
			const ledger = waitingFor([{ request }]);
			expect(await inMs(ledger)).toBe(MINUTE);
			recordStarted(ledger, 0, running(), NOW);
			expect(await inMs(ledger)).toBe(MINUTE + 600_000);
		});

		it('not later where none resumes it', async () => {
			const batch = waitingFor(runs(11));
			expect([await inMs(batch), await inMs(batch)]).toEqual([MINUTE, MINUTE]);
		});
	});

	it('at the wait limit at the latest', async () => {
		expect((await putToSleep(waitingFor(runs(1), { deadline: NOW + 1_000 }))).inMs).toBe(1_000);
	});

	it.each<[string, number, number]>([
		['as ever where n8n’s own time limit is far', 131_000, MINUTE],
		[
			'ten seconds before n8n’s own time limit, where it would be less than a minute then',
			129_999,
			119_999,
		],
		['ten seconds before n8n’s own time limit', 69_000, 59_000],
		['as ever where these ten seconds have begun', 10_000, MINUTE],
		['as ever after n8n’s own time limit', -10_000, MINUTE],
	])('%s', async (_, timeLimitMs, expected) => {
		expect((await putToSleep(waitingFor(), { timeLimitMs })).inMs).toBe(expected);
	});

	it('at the wait limit where n8n’s own time limit is later', async () => {
		const ledger = waitingFor(runs(1), { deadline: NOW + 30_000 });
		expect((await putToSleep(ledger, { timeLimitMs: 60_000 })).inMs).toBe(30_000);
	});

	it('by the time limit as it was when it first slept', async () => {
		const ledger = waitingFor(runs(1), { executionEndsAt: NOW + 69_000 });
		expect((await putToSleep(ledger, { timeLimitMs: 3_600_000 })).inMs).toBe(59_000);
	});
});
