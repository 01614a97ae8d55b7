import { setImmediate } from 'node:timers/promises';
import { createRunExecutionData, NodeHelpers, type IRunExecutionData } from 'n8n-workflow';

import { claim } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/claim';
import { untilAnswered } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/staleWrites';
import { keepLedger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	endSuspensions,
	noteHandlesRequests,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { WebhookResponse } from '../../../../nodes/BrowserAutomation/execution/webhook';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import { asleepWith, fallAsleep, ledgerOf, node, running } from '../ledgerOf';
import { suspensionWith, UNSIGNED_URL, type StoredSuspension } from '../ledgerOf';

/** The moment, which goes on only with pauses, in milliseconds since 1970. */
let now = 1_700_000_000_000;

jest.mock('n8n-workflow', () => ({
	...jest.requireActual<object>('n8n-workflow'),
	sleep: async (milliseconds: number): Promise<void> => {
		await setImmediate();
		now += milliseconds;
	},
}));

// A worker handles no calls; what is put to sleep here is resumed here.
noteHandlesRequests();

beforeEach(() => jest.spyOn(Date, 'now').mockImplementation(() => now));
afterEach(() => jest.restoreAllMocks());

/** An execution as n8n stores it that sleeps this sleep, or did before it was resumed. */
function storedAs(suspension: Suspension, { isAwake = false, suspensionId = suspension.id } = {}) {
	const data = createRunExecutionData();
	const { executionId } = suspension;
	const stored = suspensionId === '' ? {} : { suspension: suspensionWith(suspensionId) };
	const ledger = ledgerOf([], { executionId, ...stored });
	keepLedger(NodeHelpers.getContext(data, 'node', node), ledger);
	if (!isAwake) data.waitTill = new Date(now);
	return data;
}

/** A handler of a call to an execution, which n8n has not answered yet. */
class Handler {
	private close: () => void = () => undefined;
	private readonly response = {
		headersSent: false,
		statusCode: 200,
		once: (_event, listener: () => void) => (this.close = listener),
	} as WebhookResponse;

	/** @param stored what n8n's database has of the execution */
	constructor(
		private readonly stored: () => Promise<IRunExecutionData | undefined> = async () => undefined,
	) {}

	answer(statusCode: number): void {
		Object.assign(this.response, { headersSent: true, statusCode });
		this.close();
	}

	async claim(suspension: Suspension, late = new AbortController().signal): Promise<boolean> {
		const context = {
			additionalData: { getRunExecutionData: this.stored },
			getExecutionId: () => suspension.executionId,
			getNode: () => node,
			getRequestObject: () => ({ method: 'POST' }),
			getResponseObject: () => this.response,
		};
		return await claim(context, suspension, late);
	}
}

/** An execution that sleeps; its workflow is published, unless other processes may have resumed it. */
const asleep = (sleep: Partial<StoredSuspension> = {}, isProduction = true): Suspension => {
	const sleeps = { timerAt: now + 600_000, ...sleep };
	return fallAsleep(asleepWith([running()], { deadline: now + 900_000 }, sleeps), { isProduction });
};

describe('one handler resumes an execution', () => {
	it('the first, and none once the sleep is over', async () => {
		const [suspension, other] = [asleep(), asleep()];
		expect(await new Handler().claim(suspension)).toBe(true);
		expect(await new Handler().claim(suspension)).toBe(false);
		endSuspensions(other.executionId);
		expect(await new Handler().claim(other)).toBe(false);
	});

	it('not before n8n is done with the run that suspended it, unless that takes too long', async () => {
		const ready = new Promise<void>((resolve) => void setTimeout(resolve, 20));
		const ledger = asleepWith([running()], { deadline: now + 900_000 }, { timerAt: now + 600_000 });
		const suspension = fallAsleep(ledger, { isProduction: true, ready });
		const late = AbortSignal.abort(new Error('too late'));
		await expect(new Handler().claim(suspension, late)).rejects.toThrow('too late');
		const claimed = new Handler().claim(suspension);
		await Promise.resolve();
		expect(suspension.isClaimed).toBe(false);
		expect(await claimed).toBe(true);
	});

	it.each([
		['has answered 500', 500, 0, true],
		['has answered 499', 499, 0, false],
		['has not answered for a day', undefined, 86_400_000, false],
		['has answered 29,999 ms ago', 200, 29_999, false],
		['has answered 30,000 ms ago', 200, 30_000, true],
	])('another where n8n %s to the first', async (_, status, ms, expected) => {
		const suspension = asleep();
		const first = new Handler();
		await first.claim(suspension);
		if (status !== undefined) first.answer(status);
		now += ms;
		expect(await new Handler().claim(suspension)).toBe(expected);
	});

	it('another ever later, as n8n before 2.14 answers before it has resumed the execution', async () => {
		const suspension = asleep();
		const claimed: number[] = [];
		for (let after = 0; after <= 240_000; after += 10_000, now += 10_000) {
			const handler = new Handler();
			if (!(await handler.claim(suspension))) continue;
			handler.answer(200);
			await new Handler().claim(suspension);
			claimed.push(after / 1_000);
		}
		expect(claimed).toEqual([0, 30, 90, 210]);
	});

	describe('where other processes may have resumed it', () => {
		const elsewhere = (sleep = {}): Suspension => asleep(sleep, false);

		it.each<[string, object | undefined, boolean]>([
			['still sleeps this sleep', {}, true],
			['sleeps another', { suspensionId: 'later' }, false],
			['has ended its sleep', { suspensionId: '' }, false],
			['is awake', { isAwake: true }, false],
			['was deleted', undefined, false],
		])('if n8n says that the execution %s', async (_, how, expected) => {
			const suspension = elsewhere();
			const stored = async () => how && storedAs(suspension, how);
			expect(await new Handler(stored).claim(suspension)).toBe(expected);
		});

		it.each([
			[2_001, true],
			[2_000, false],
			[-10_000, false],
			[-10_001, true],
		])('but not %d ms before n8n’s wait timer, of which n8n stores nothing', async (ms, wins) => {
			const suspension = elsewhere({ timerAt: now + ms });
			const handler = new Handler(async () => storedAs(suspension));
			expect(await handler.claim(suspension)).toBe(wins);
		});

		it('and only one of several that n8n says so to', async () => {
			const suspension = elsewhere();
			const read = jest.fn(async () => storedAs(suspension));
			const claims = [1, 2, 3, 4, 5].map(async () => await new Handler(read).claim(suspension));
			expect((await Promise.all(claims)).filter(Boolean)).toHaveLength(1);
			// Three at once; n8n loads the execution for nobody who comes too late.
			expect(read).toHaveBeenCalledTimes(3);
		});

		it('not where its turn to ask, as one of three, comes too late to be answered', async () => {
			let answer: () => void = () => undefined;
			const held = new Promise<void>((resolve) => (answer = resolve));
			const asking = [1, 2, 3].map(async () => {
				const suspension = elsewhere();
				const stored = async () => await held.then(() => storedAs(suspension));
				return await new Handler(stored).claim(suspension);
			});
			const [suspension, late] = [elsewhere(), new AbortController()];
			const claimed = new Handler(async () => storedAs(suspension)).claim(suspension, late.signal);
			late.abort(new Error('too late'));

			await expect(claimed).rejects.toThrow('too late');
			answer();
			expect(await Promise.all(asking)).toEqual([true, true, true]);
		});

		it.each([
			[2_000, true],
			[2_001, false],
		])('if n8n reads that within two seconds: %d ms: %s', async (time, expected) => {
			const suspension = elsewhere();
			const handler = new Handler(async () => {
				now += time;
				return storedAs(suspension);
			});
			expect(await handler.claim(suspension).catch(() => false)).toBe(expected);
		});

		it('if n8n has taken longer before, too, as it is large', async () => {
			const suspension = elsewhere();
			const handler = new Handler(async () => {
				now += 3_000;
				return storedAs(suspension);
			});
			await expect(handler.claim(suspension)).rejects.toThrow('took too long');
			expect(await handler.claim(suspension)).toBe(true);
		});
	});

	it.each([
		[75_001, true],
		[75_000, false],
		[-10_000, false],
		[-10_001, true],
	])('but not %d ms before n8n’s wait timer, before version 2.14: %s', async (ms, expected) => {
		const timerAt = now + ms;
		expect(await new Handler().claim(asleep({ timerAt, resumeUrl: UNSIGNED_URL }))).toBe(expected);
		expect(await new Handler().claim(asleep({ timerAt }))).toBe(true);
	});
});

describe('the resumed execution goes on', () => {
	it.each([
		['as soon as n8n has answered', false, {}, 0],
		['after half a second where a page is answered first', true, {}, 500],
		['after half a second in an n8n that answers first', false, { resumeUrl: UNSIGNED_URL }, 500],
	])('%s', async (_, isPage, setting, expected) => {
		const [suspension, handler] = [asleep(setting), new Handler()];
		if (isPage) handler.answer(200);
		await handler.claim(suspension);
		handler.answer(200);
		const begun = now;
		await untilAnswered(endSuspensions(suspension.executionId));
		expect(now - begun).toBe(expected);
	});

	it('at once where no call has resumed it, and else not before n8n has answered, within ten seconds', async () => {
		const [begun, suspension] = [now, asleep()];
		await untilAnswered(endSuspensions(asleep().executionId));
		expect(now).toBe(begun);
		await new Handler().claim(suspension);
		await untilAnswered(endSuspensions(suspension.executionId));
		expect(now).toBe(begun + 10_000);
	});
});
