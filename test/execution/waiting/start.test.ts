import type {
	Entry,
	Ledger,
	Refusal,
} from '../../../nodes/BrowserAutomation/execution/waiting/ledger';
import {
	callbackExtra,
	callbackUrlFor,
	startRuns,
	toRefusal,
	uncertainRefusal,
	type StartingLine,
} from '../../../nodes/BrowserAutomation/execution/waiting/start';
import {
	ConnectionError,
	InputError,
	ServiceError,
} from '../../../nodes/BrowserAutomation/service/errors';
import type { JsonObject } from '../../../nodes/BrowserAutomation/service/json';
import type { ServiceRequest } from '../../../nodes/BrowserAutomation/service/request';
import { V3_RUNS } from '../../../nodes/BrowserAutomation/service/runs';
import { ledgerOf } from './ledgerOf';

const RESUME_URL = 'https://n8n.example.com/webhook-waiting/7?signature=abc';

const request: ServiceRequest = { method: 'POST', path: '/v3/bots/1/runs', body: { a: 1 } };
const waiting = (count: number): Entry[] => Array.from({ length: count }, () => ({ request }));

const full = new ServiceError('The plan’s limit is met', 'wait', { code: 10118, httpStatus: 400 });
const refused = new ServiceError('no such bot', 'choose', { code: 5, httpStatus: 400 });
const badParameter = new ServiceError('bad parameter', 'look', { code: 99001, httpStatus: 400 });

/** Starts what is due, with a service that answers each start in turn with a run, or refuses it. */
async function start(
	ledger: Ledger,
	answers: Array<JsonObject | Error>,
	more: Partial<StartingLine> = {},
) {
	const sent: ServiceRequest[] = [];
	const client = {
		baseUrl: 'https://service.test',
		send: async (one: ServiceRequest) => {
			const answer = answers[sent.length] ?? { task_id: `run ${sent.length}` };
			sent.push(one);
			if (answer instanceof Error) throw answer;
			return answer;
		},
	};
	const line = { client, api: V3_RUNS, ledger, resumeUrl: RESUME_URL, goesOn: false, ...more };
	const failure = await startRuns(line);
	return { failure, bodies: sent.map(({ body }) => body) };
}

describe('a start', () => {
	it('is sent once with its item’s own callback, and its run noted', async () => {
		const ledger = ledgerOf([{ request, isDue: true }, { taskId: '5' }, { request, isDue: true }]);
		ledger.inWaves = true;
		ledger.callbackKey = 'key';
		const { failure, bodies } = await start(ledger, [
			{ task_id: '1' },
			{ task_id: '2', status: 'running', profile_id: 'p' },
		]);

		expect(failure).toBeUndefined();
		expect(bodies).toEqual([
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 0, ledger) },
			{ a: 1, callback_url: callbackUrlFor(RESUME_URL, 2, ledger) },
		]);
		expect(ledger.entries).toStrictEqual([
			{ taskId: '1', status: 'created' },
			{ taskId: '5' },
			{ taskId: '2', status: 'running', profileId: 'p' },
		]);
	});

	it('has the service call for changes of the status, too, where a pause wakes', async () => {
		const ledger = ledgerOf(waiting(1), { callbackKey: 'key' }, { wakeWhenPaused: true });
		const url = callbackUrlFor(RESUME_URL, 0, ledger);
		const { bodies } = await start(ledger, []);
		expect(bodies).toEqual([{ a: 1, callback_url: url, status_change_callback_url: url }]);
	});

	it('has no callback where none can wake the execution', async () => {
		const polled = await start(ledgerOf(waiting(1), { way: 'clock' }), []);
		expect(polled.bodies).toEqual([{ a: 1 }]);
		const nowhere = await start(ledgerOf(waiting(1)), [], { resumeUrl: undefined });
		expect(nowhere.bodies).toEqual([{ a: 1 }]);
	});

	it('is sent again without a callback where Automatic’s is refused, and n8n’s clock wakes instead', async () => {
		const ledger = ledgerOf(waiting(1), {}, { mode: 'automatic' });
		const { failure, bodies } = await start(ledger, [badParameter]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(bodies[1]).toEqual({ a: 1 });
		expect(ledger).toMatchObject({ way: 'clock', entries: [{ taskId: 'run 1' }] });
	});

	it('is not sent again when a callback was asked for, or when something else is refused', async () => {
		const asked = ledgerOf(waiting(1), {}, { mode: 'sleep' });
		expect(await start(asked, [badParameter])).toMatchObject({
			failure: { error: badParameter, itemIndex: 0 },
			bodies: [expect.anything()],
		});
		const automatic = ledgerOf(waiting(1), {}, { mode: 'automatic' });
		expect(await start(automatic, [refused])).toMatchObject({
			failure: { error: refused, itemIndex: 0 },
			bodies: [expect.anything()],
		});
		expect([asked.way, automatic.way]).toEqual(['callback', 'callback']);
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
	it('the rest waits, where it may', async () => {
		const ledger = ledgerOf(waiting(4), {}, { waitForSlot: true });
		const { failure, bodies } = await start(ledger, [{ task_id: '1' }, full]);
		expect(failure).toBeUndefined();
		expect(bodies).toHaveLength(2);
		expect(ledger.slots).toBe(1);
		expect(ledger.entries.slice(1)).toEqual(waiting(3));
	});

	it('the batch ends where it may not', async () => {
		const ledger = ledgerOf(waiting(2));
		expect((await start(ledger, [full])).failure).toEqual({ error: full, itemIndex: 0 });
		expect(ledger.slots).toBeUndefined();
	});

	it('as many are started as of our own have ended', async () => {
		const running: Entry[] = [
			{ taskId: '1', status: 'running' },
			{ taskId: '2', status: 'finished' },
			{ taskId: '3', status: 'failed' },
		];
		const ledger = ledgerOf([...running, ...waiting(4)], { slots: 3 }, { waitForSlot: true });
		expect((await start(ledger, [])).bodies).toHaveLength(2);
	});

	it('one at a time is tried where none of our own has ended, as others’ may have', async () => {
		const open: Entry[] = [
			{ taskId: '1', status: 'running' },
			{ taskId: '2', status: 'running' },
		];
		const ledger = ledgerOf(
			[...open, ...waiting(4)],
			{ slots: 1 },
			{ waitForSlot: true, concurrency: 4 },
		);
		expect((await start(ledger, [{ task_id: '9' }, full])).bodies).toHaveLength(2);
		expect(ledger.slots).toBe(3);
	});
});

it('a start that n8n may have been sending when it stopped is told like one without an answer', () => {
	expect(uncertainRefusal()).toEqual({
		message: 'n8n stopped while the run was being started. Whether it was started is not known',
		advice: 'Look for it with Run > Get Many before you start it again.',
		facts: {},
		isUncertain: true,
	});
});

it('callback URLs are as long as was reckoned with', () => {
	const ledger = ledgerOf(waiting(10), { callbackKey: 'key' });
	const extra = (item: number) =>
		callbackUrlFor(RESUME_URL, item, ledger).length - RESUME_URL.length;
	expect(extra(5)).toBe(callbackExtra(5));
	expect(extra(9)).toBeLessThan(callbackExtra(10));
});

it('what was refused is kept in words', () => {
	expect(toRefusal(new InputError('what', 'advice'))).toEqual({
		message: 'what',
		advice: 'advice',
		facts: {},
	});
	expect(toRefusal('a text')).toEqual({ message: 'a text', advice: '', facts: {} });
});
