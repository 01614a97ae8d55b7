import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import {
	callUntilResumed,
	reachesItself,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/resumeCall';
import { noteHandlesRequests } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import { insideNode } from '../../insideNode';
import { asleepWith, fallAsleep, running } from '../ledgerOf';

const NOW = 1_700_000_000_000;
const HOUR = 3_600_000;

/** What n8n answers at its own address; undefined when no answer comes. */
type Answer = { statusCode: number; body?: unknown } | undefined;

const noAnswer = (): Answer | Promise<Answer> => undefined;

/** n8n at its own address: what it was called with, what it logged, and how it answers. */
const n8n = { calls: [''], warnings: [''], infos: [''], answer: noAnswer };

const helpers = {
	httpRequest: async ({ method, url, timeout = 0 }: IHttpRequestOptions): Promise<object> => {
		n8n.calls.push(`${method} ${url} within ${timeout / 1_000} s`);
		const answer = await n8n.answer();
		if (answer === undefined) throw new Error('connection refused');
		return { headers: {}, ...answer };
	},
};

let context: IExecuteFunctions;

beforeAll(async () => {
	const logger = {
		warn: (message: string) => n8n.warnings.push(message),
		info: (message: string) => n8n.infos.push(message),
		debug: () => undefined,
	};
	context = await insideNode((inside) => inside, {}, { helpers, logger });
});

beforeEach(() => {
	jest.useFakeTimers({ now: NOW });
	Object.assign(n8n, { calls: [], warnings: [], infos: [] });
});
afterEach(() => jest.useRealTimers());

/** The claim of a handler whose call n8n has still to answer. */
const HELD = { isAnswered: () => false, mayBeTakenOver: () => false };

/** A sleep that began now. */
function asleep(): Suspension {
	const known = { executionId: '12', deadline: NOW + HOUR };
	return fallAsleep(asleepWith(['a', 'b'].map(running), known, { id: 'the sleep' }));
}

/** Calls n8n until it has resumed the execution, within the time that is given. */
async function callWithin(suspension: Suspension, time = HOUR): Promise<boolean> {
	const calling = callUntilResumed(suspension, () => context);
	await jest.advanceTimersByTimeAsync(time);
	return await calling;
}

describe('an execution is called until it is awake', () => {
	/** The moments at which n8n was called, in milliseconds since the beginning, and what it answered in turn. */
	async function callsOf(suspension: Suspension, ...answers: Answer[]): Promise<number[]> {
		const moments: number[] = [];
		n8n.answer = () => {
			moments.push(Date.now() - NOW);
			return answers.length > 1 ? answers.shift() : answers[0];
		};
		await callWithin(suspension, 2 * HOUR);
		return moments;
	}

	const resumed: Answer = { statusCode: 200, body: { resumed: true } };
	const conflict = (message: string): Answer => ({ statusCode: 409, body: { message } });
	const isRunning = conflict('The execution "1" is running already.');

	it('with longer and longer pauses', async () => {
		const moments = await callsOf(asleep(), undefined, { statusCode: 503 }, undefined, resumed);
		expect(moments).toEqual([0, 50, 150, 350]);
	});

	it.each<[string, Answer, boolean]>([
		['is about an execution that was deleted', { statusCode: 404, body: { message: '' } }, true],
		['comes while n8n starts', { statusCode: 200, body: 'n8n is starting up. Please wait' }, false],
		['comes before n8n knows its paths', { statusCode: 404, body: '<pre>No /</pre>' }, false],
		['is answered by somebody else', { statusCode: 200, body: { message: 'Welcome' } }, false],
		['is sent elsewhere', { statusCode: 302, body: {} }, false],
		['finds it ended', conflict('The execution "1" has finished already.'), true],
		['finds it running, as n8n has not stored its sleep yet', isRunning, false],
		['finds it running, without words', { statusCode: 409, body: {} }, false],
		['meets a fault', { statusCode: 500, body: { message: 'Busy' } }, false],
		['comes too often', { statusCode: 429, body: { message: 'Slowly' } }, false],
	])('no call follows one that %s: %j %s', async (_, answer, isLast) => {
		expect(await callsOf(asleep(), answer, resumed)).toHaveLength(isLast ? 1 : 2);
		expect([...n8n.infos, ...n8n.warnings]).toEqual([]);
	});

	it('and n8n counts as out of its own reach where somebody else answers in its place for minutes', async () => {
		const suspension = asleep();
		n8n.answer = () => ({ statusCode: 200, body: '<h1>Sign in</h1>' });
		const reaches = async () => await reachesItself(context, suspension.resumeUrl);
		expect(await reaches()).toBe(true);
		const calling = callUntilResumed(suspension, () => context);
		await jest.advanceTimersByTimeAsync(60_000);
		expect(await reaches()).toBe(true);
		await jest.advanceTimersByTimeAsync(60_000);
		expect([await reaches(), n8n.warnings.length]).toEqual([false, 1]);
		expect(n8n.warnings[0]).toContain('does not reach its own address');
		suspension.end();
		await jest.advanceTimersByTimeAsync(15_000);
		expect(await calling).toBe(false);
	});

	it.each([
		['process that suspended it, while another may execute it', 'infos'],
		['only process', 'warnings'],
	] as const)('up to half a minute: then the log of the %s names its runs', async (_, log) => {
		if (log === 'warnings') noteHandlesRequests();
		// Before, n8n may not have stored that it sleeps.
		const moments = await callsOf(asleep(), isRunning);
		expect(moments.at(-1)).toBeGreaterThan(30_000);
		expect(moments.length).toBeLessThan(15);
		expect([n8n.warnings.length, n8n.infos.length]).toEqual(log === 'infos' ? [0, 1] : [1, 0]);
		expect(n8n[log][0]).toContain('n8n calls execution 12 running, though it was to sleep.');
		expect(n8n[log][0]).toContain('its runs: a, b.');
	});

	it('and n8n’s log says nothing where another call has resumed it meanwhile', async () => {
		const suspension = asleep();
		n8n.answer = () => {
			suspension.end();
			return isRunning;
		};
		await callWithin(suspension);
		expect([...n8n.infos, ...n8n.warnings]).toEqual([]);
	});

	it('or carried on by whoever else resumed it', async () => {
		const suspension = asleep();
		jest.setSystemTime(NOW + 31_000);
		expect(await callsOf(suspension, isRunning, resumed)).toHaveLength(1);
	});

	it.each<[string, (suspension: Suspension) => void]>([
		['awake', (suspension) => suspension.end()],
		['claimed', (suspension) => suspension.noteClaim(HELD)],
	])('or whose turn comes when it is %s: three are called at once', async (_, happens) => {
		const answers: Array<(answer: Answer) => void> = [];
		n8n.answer = async () => await new Promise((resolve) => answers.push(resolve));
		const suspensions = [1, 2, 3, 4].map(asleep);
		const calls = suspensions.map(async (one) => await callUntilResumed(one, () => context));
		await jest.advanceTimersByTimeAsync(1);
		expect(n8n.calls).toHaveLength(3);
		suspensions.slice(3).forEach(happens);
		for (const answer of answers) answer(resumed);
		await jest.advanceTimersByTimeAsync(HOUR / 2);
		expect(n8n.calls).toHaveLength(3);
		for (const suspension of suspensions) suspension.end();
		await jest.advanceTimersByTimeAsync(HOUR);
		await Promise.all(calls);
	});

	it('and not while n8n has still to answer who resumes it: that may take hours within a limit of executions', async () => {
		const suspension = asleep();
		let hasFailed = false;
		suspension.noteClaim({ isAnswered: () => hasFailed, mayBeTakenOver: () => hasFailed });
		n8n.answer = () => resumed;
		const calling = callUntilResumed(suspension, () => context);
		await jest.advanceTimersByTimeAsync(HOUR / 2);
		expect(n8n.calls).toEqual([]);
		hasFailed = true;
		await jest.advanceTimersByTimeAsync(15_000);
		expect(n8n.calls).toHaveLength(1);
		await calling;
	});

	it('and those that n8n holds back, though a handler has claimed them, keep nobody waiting', async () => {
		const held = [1, 2, 3].map(asleep);
		n8n.answer = async () => await new Promise(() => undefined);
		for (const suspension of held) void callUntilResumed(suspension, () => context);
		await jest.advanceTimersByTimeAsync(1);
		for (const suspension of held) suspension.noteClaim(HELD);
		const next = asleep();
		n8n.answer = () => resumed;
		expect(await callWithin(next, 1_500)).toBe(true);
		expect(n8n.calls).toHaveLength(4);
		for (const suspension of held) suspension.end();
		await jest.advanceTimersByTimeAsync(HOUR);
	});

	it('until its wait limit is over for two minutes, and n8n’s log says so', async () => {
		const [last] = (await callsOf(asleep(), undefined)).slice(-1);
		expect(last).toBeGreaterThan(HOUR);
		expect(last).toBeLessThan(HOUR + 120_000);
		expect(n8n.infos).toEqual([
			'Execution 12 could not be resumed at its wait limit, which is left to n8n’s wait timer. It waits for the runs a, b.',
		]);
	});
});

describe('whether n8n reaches its own address', () => {
	let hosts = 0;

	/** An address that nobody has asked about. */
	const newHost = (): string => `https://n8n-${hosts++}.example.com`;

	it.each([
		[204, true],
		[300, false],
	])('is known by its answer %i to a call that loads no execution: %s', async (statusCode, is) => {
		const url = `${newHost()}/webhook-waiting/1?signature=a`;
		n8n.answer = () => ({ statusCode });
		expect(await reachesItself(context, url)).toBe(is);
		expect(new Set(n8n.calls)).toEqual(new Set([`OPTIONS ${url} within 2 s`]));
	});

	it('is asked once by all who begin at the same moment, and once more if no answer comes in time', async () => {
		const host = newHost();
		const answers: Answer[] = [undefined, { statusCode: 204 }];
		n8n.answer = () => answers.shift();
		const ask = async (id: number) => await reachesItself(context, `${host}/webhook-waiting/${id}`);
		expect(await Promise.all([1, 2, 3].map(ask))).toEqual([true, true, true]);
		expect(n8n.calls).toHaveLength(2);
		expect(n8n.warnings).toEqual([]);
	});

	it.each([404, 429, 503])('is asked again seconds after a %i, ever later', async (statusCode) => {
		const address = `${newHost()}/webhook-waiting/1`;
		const ask = async () => await reachesItself(context, address);
		// So n8n answers, or what is before it, while it starts.
		n8n.answer = () => ({ statusCode });
		for (const seconds of [2, 4, 8]) {
			expect(await ask()).toBe(false);
			jest.setSystemTime(Date.now() + 1_000 * seconds);
		}
		expect([n8n.warnings.length, await ask(), n8n.warnings.length]).toEqual([0, false, 1]);
		n8n.answer = () => ({ statusCode: 204 });
		jest.setSystemTime(Date.now() + 15_999);
		expect(await ask()).toBe(false);
		jest.setSystemTime(Date.now() + 1);
		expect(await ask()).toBe(true);
		// It was reached before: no answer in time most likely says that it is busy.
		n8n.answer = () => undefined;
		jest.setSystemTime(Date.now() + 23 * HOUR);
		expect([await ask(), n8n.warnings.length]).toEqual([false, 1]);
		n8n.answer = () => ({ statusCode: 204 });
		jest.setSystemTime(Date.now() + 2_000);
		expect(await ask()).toBe(true);
	});

	it.each<[string, Answer, number, number]>([
		['once an hour while it does', { statusCode: 204 }, 60, 0],
		['every five minutes while it does not, with a warning each time', undefined, 5, 1],
		['so, too, where something else answers', { statusCode: 302 }, 5, 1],
	])('is asked %s', async (_, answer, minutes, warnings) => {
		const host = newHost();
		n8n.answer = () => answer;
		const asked: number[] = [];
		for (let passed = 0; passed < minutes + 2; passed++) {
			n8n.calls = [];
			await reachesItself(context, `${host}/webhook-waiting/1`);
			if (n8n.calls.length > 0) asked.push(passed);
			jest.setSystemTime(Date.now() + 60_000);
		}
		expect(asked).toEqual([0, minutes]);
		expect(n8n.warnings).toHaveLength(2 * warnings);
		const words = 'n8n does not reach its own address https://n8n-';
		for (const warning of n8n.warnings) expect(warning).toContain(words);
	});
});
