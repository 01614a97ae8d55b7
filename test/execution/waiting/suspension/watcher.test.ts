import { Readable } from 'node:stream';
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { rememberedSuspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import {
	existingWatcher,
	endAndUnwatch,
	getOrMakeWatcher,
	slotsFor,
	watcherOf,
	type Watcher,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import type { RunStatus } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import { pollForPage } from '../../../../nodes/BrowserAutomation/execution/waiting/statusPage/view';
import { runsOf } from '../../../../nodes/BrowserAutomation/service/runs/runs';
import { connectToWatch } from '../../../../nodes/BrowserAutomation/transport/client';
import { insideNode } from '../../insideNode';
import { asleepWith, ledgerOf, request, running, suspensionWith, type Ledger } from '../ledgerOf';

/** The beginning of each test, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface Answer {
	statusCode: number;
	headers?: object;
	body?: object;
}

const refused = (code: number, statusCode = 400) => ({ statusCode, body: { code, msg: 'no' } });
const OUT_OF_ORDER: Answer = { statusCode: 500 };
const RESUMED: Answer = { statusCode: 200, body: { resumed: true } };

/** How the service answers instead, or never. */
type Fault = Answer | 'never' | undefined;

let accounts = 0;

/** An account of the service, and an n8n in which executions sleep until its runs end. */
class World {
	readonly credential = { baseUrl: `https://service-${accounts++}.test`, apiKey: 'key' };
	/** The account's runs, newest last. */
	readonly runs = new Map<string, RunStatus>();
	/** The requests that the service got: for the `list`, the `count` of running runs, or a run by its ID. */
	readonly requests: Array<{ at: number; what: string; url: URL }> = [];
	/** The executions that n8n was called to resume. */
	readonly resumed: string[] = [];
	/** How the service answers instead when it is asked for something. */
	fault: (what: string) => Fault = () => undefined;
	/** How long the service takes to answer otherwise, in milliseconds. */
	answersWithin = 0;

	answerCall = (executionId: string): Answer => {
		endAndUnwatch(executionId);
		return RESUMED;
	};

	/** What the watcher has asked the service for; when, in seconds since the beginning. */
	get asked(): string[] {
		return this.requests.map(({ what }) => what);
	}

	get askedAt(): number[] {
		return this.requests.map(({ at }) => at / SECOND);
	}

	async receive(url: URL): Promise<object> {
		const { pathname, searchParams: query } = url;
		const taskId = /runs\/([^/]+)(?:\/status)?$/.exec(pathname)?.[1] ?? query.get('task_id');
		const what = taskId ?? (query.has('status') ? 'count' : 'list');
		this.requests.push({ at: Date.now() - NOW, what, url });
		const fault = this.fault(what);
		if (fault === 'never') await new Promise(() => undefined);
		if (fault === undefined && this.answersWithin > 0)
			await new Promise((resolve) => setTimeout(resolve, this.answersWithin));
		const data = this.dataOf(what, Number(query.get('page') ?? 1), Number(query.get('limit')));
		const answer = fault ?? { statusCode: 200, body: { code: 0, data } };
		const { statusCode, headers = {}, body = {} } = Object(answer);
		return { statusCode, headers, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
	}

	call(url: URL): object {
		const executionId = url.pathname.split('/').at(-2) ?? '';
		this.resumed.push(executionId);
		return { headers: {}, ...this.answerCall(executionId) };
	}

	move(status: RunStatus, ...taskIds: string[]): void {
		for (const taskId of taskIds) this.runs.set(taskId, status);
	}

	private dataOf(what: string, page: number, limit: number): object {
		const isList = what === 'list' || what === 'count';
		if (!isList) return { task_id: what, status: this.runs.get(what) ?? 'unknown' };
		const all = [...this.runs].reverse().map(([task_id, status]) => ({ task_id, status }));
		const items = all.filter(({ status }) => what === 'list' || status === 'running');
		const shown = items.slice((page - 1) * limit, page * limit);
		return { items: shown, page, limit, total_count: items.length };
	}
}

let world: World;
let inside: IExecuteFunctions;

beforeAll(async () => {
	const httpRequest = async ({ url }: IHttpRequestOptions) => world.call(new URL(url));
	const httpRequestWithAuthentication = async (_: string, { url }: IHttpRequestOptions) =>
		await world.receive(new URL(url));
	const helpers = { httpRequest, httpRequestWithAuthentication };
	const getCredentials = async () => world.credential;
	inside = await insideNode((context) => context, {}, { helpers, getCredentials });
});

beforeEach(() => {
	jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	jest.spyOn(AbortSignal, 'timeout').mockImplementation((milliseconds) => {
		const end = new AbortController();
		setTimeout(() => end.abort(new DOMException('Too late', 'TimeoutError')), milliseconds);
		return end.signal;
	});
	world = new World();
});

afterEach(() => {
	for (const executionId of asleep.splice(0)) endAndUnwatch(executionId);
	jest.useRealTimers();
	jest.restoreAllMocks();
});

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

interface Setting extends Partial<Ledger> {
	isPauseEnough?: boolean;
	/** How old a run gets until it is canceled, in milliseconds. */
	cancelAfterMs?: number;
	/** For how long it has waited for a slot, in milliseconds. */
	queuedFor?: number;
}

const PAUSING: Setting = { isPauseEnough: true };

const asleep: string[] = [];
let executions = 0;

/** Puts an execution to sleep until these runs end, which go on in the service. Its sleep has its ID. */
function sleepOn(taskIds: string[], setting: Setting = {}): string {
	const { isPauseEnough = false, cancelAfterMs, ...rest } = setting;
	const { executionId = `execution-${executions++}`, queuedFor, ...more } = rest;
	const isQueued = queuedFor !== undefined;
	const now = Date.now();
	const resumeUrl = `https://n8n.example.com/webhook-waiting/${executionId}?signature=a`;
	const suspension = suspensionWith(executionId, { resumeUrl, timerAt: now + 15 * MINUTE });
	const runs = taskIds.map((taskId) => ({ ...running(taskId), startedAt: now }));
	const entries = [...runs, ...(isQueued ? [{ request }] : [])];
	const begun = { begunAt: now, startsSince: now, lastStartAt: now };
	const times = { ...begun, deadline: now + 420 * MINUTE };
	const queued = isQueued && { queuedAt: NOW - queuedFor };
	const ours = { executionId, waitMethod: 'noCallbacks', ...times, ...queued, ...more } as const;
	const settings = { isPauseEnough, ...(cancelAfterMs && { cancelAfterMs }) };
	const ledger = { ...ledgerOf(entries, ours, settings), suspension };
	world.move('running', ...taskIds);
	const ready = Promise.resolve();
	getOrMakeWatcher(inside, world.credential).watch(ledger, { isProduction: true, ready });
	asleep.push(executionId);
	return executionId;
}

function suspensionAt(executionId: string): Suspension {
	const suspension = rememberedSuspension(executionId);
	if (suspension === undefined) throw new Error('Nothing is known of the sleep');
	return suspension;
}

function watcherAt(executionId: string): Watcher | undefined {
	return watcherOf(asleepWith([], {}, { id: executionId }));
}

const queue = () => existingWatcher(world.credential)?.queue;

function callBack(executionId: string, taskId = 'a'): boolean | undefined {
	return watcherAt(executionId)?.noteCallback(suspensionAt(executionId), taskId);
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

describe('the watcher polls', () => {
	it('as seldom as the age of the runs says, not that of the execution’s sleep, and soon again where one of them has ended', async () => {
		sleepOn(['a', 'b'], { lastStartAt: NOW - 75 * MINUTE });
		await pass(32 * SECOND);
		world.move('finished', 'a');
		await pass(30 * SECOND);
		expect(world.askedAt).toEqual([1, 1, 31, 31, 61, 61, 62]);
	});

	it('at the list for many executions, together for those that are due soon after one another', async () => {
		for (const taskId of names(5)) {
			sleepOn([taskId]);
			await pass(80);
		}
		await pass(9 * SECOND);
		expect(new Set(world.asked)).toEqual(new Set(['list']));
		expect(world.asked.length).toBeLessThanOrEqual(11);
	});

	it('at the runs of each API with its own requests', async () => {
		sleepOn(['a']);
		sleepOn(['b'], { api: 'v2' });
		await pass(SECOND);
		const asked = world.requests.map(({ url: { pathname, search } }) => `${pathname}${search}`);
		expect(asked).toEqual(['/v3/bots/runs/a/status', '/v2/workflow/get-task?task_id=b']);
	});

	it.each<[string, number | undefined, string | null]>([
		['from the first start of all', NOW - 60 * MINUTE, new Date(NOW - 70 * MINUTE).toISOString()],
		['of any age where some were started elsewhere', undefined, null],
	])('at the list for runs %s', async (_, startsSince, from) => {
		sleepOn(['a', 'b']);
		sleepOn(['c', 'd'], { startsSince });
		await pass(SECOND);
		const asked = world.requests.map(({ url }) => url.searchParams.get('created_at_from'));
		expect(asked).toEqual([from]);
	});

	it('with the means of the execution that came last, as those of an earlier one may be gone', async () => {
		sleepOn(['a']);
		const send = jest.fn(inside.helpers.httpRequestWithAuthentication);
		const helpers = { ...inside.helpers, httpRequestWithAuthentication: send };
		getOrMakeWatcher(Object.create(inside, { helpers: { value: helpers } }), world.credential);
		await pass(SECOND);
		expect(send).toHaveBeenCalledTimes(1);
	});

	it('of a large batch first for one that goes on: in the list of running runs, then at that of the last item', async () => {
		sleepOn(names(101));
		await pass(3 * SECOND);
		world.move('created', ...names(101));
		await pass(SECOND);
		world.move('finished', ...names(101));
		await pass(SECOND);
		const seen = ['count', 'count', 'count'];
		const unseen = ['count', 'run-100'];
		expect(world.asked).toEqual([...seen, ...unseen, ...unseen, 'list', 'list']);
	});

	it.each([
		['answers', undefined, SECOND],
		['refuses', refused(10021), 3 * SECOND],
	])('once more where a run calls back while the service %s', async (_, fault, resumedAt) => {
		const executionId = sleepOn(['a'], { ...PAUSING, lastStartAt: NOW - 75 * MINUTE });
		world.fault = () => {
			world.fault = () => undefined;
			callBack(executionId);
			process.nextTick(() => world.move('paused', 'a'));
			return fault;
		};
		await pass(resumedAt + 100);
		expect(world.resumed).toEqual([executionId]);
	});

	it('soon again where the poll fails that a callback has asked for', async () => {
		const executionId = sleepOn(['a'], { ...PAUSING, lastStartAt: NOW - 75 * MINUTE });
		await pass(2 * SECOND);
		world.move('paused', 'a');
		world.fault = () => {
			world.fault = () => undefined;
			return refused(10021);
		};
		callBack(executionId);
		await pass(3 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it.each<[string, Setting]>([
		['at the wait limit', { deadline: NOW + 45 * SECOND }],
		['to cancel a run that is too old', { cancelAfterMs: 45 * SECOND }],
	])('until it resumes the execution %s, though the service never answers', async (_, setting) => {
		world.fault = () => OUT_OF_ORDER;
		const executionId = sleepOn(['a'], setting);
		await pass(45 * SECOND - 1);
		expect(world.resumed).toEqual([]);
		await pass(100);
		expect(world.resumed).toEqual([executionId]);
		await pass(5 * SECOND);
		expect(existingWatcher(world.credential)).toBeUndefined();
	});
});

describe('the end of a run is seen within seconds', () => {
	it.each<[string, string, Fault]>([
		['the reads of another one hang', 'a', 'never'],
		['the reads of another one fail', 'a', OUT_OF_ORDER],
		['another one is refused in a way of its own', 'a', refused(1)],
		['the list of running runs hangs, which a large batch needs', 'count', 'never'],
	])('though %s', async (_, faulty, fault) => {
		world.fault = (what) => (what === faulty ? fault : undefined);
		if (faulty === 'a') sleepOn(['a'], { api: 'v2' });
		else sleepOn(names(101));
		const executionId = sleepOn(['b']);
		await pass(5 * MINUTE);
		world.move('finished', 'b');
		await pass(12 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('though the account’s requests are used up when it calls back', async () => {
		const executionId = sleepOn(['a'], { isPauseEnough: true });
		await pass(60 * MINUTE);
		for (let polls = 0; polls < 25; polls++) {
			callBack(executionId);
			await pass(10);
		}
		world.move('finished', 'a');
		expect(callBack(executionId)).toBe(false);
		await pass(3 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('though the key may not read one of the other API, whose execution alone is resumed at once', async () => {
		world.fault = (what) => (what === 'a' ? refused(401, 401) : undefined);
		world.answersWithin = 50;
		const refusedOne = sleepOn(['a'], { api: 'v2' });
		const executionId = sleepOn(['b']);
		await pass(5 * MINUTE);
		expect(world.resumed).toEqual([refusedOne]);
		world.move('finished', 'b');
		await pass(12 * SECOND);
		expect(world.resumed).toEqual([refusedOne, executionId]);
	});

	it('though one of the same batch cannot be read', async () => {
		sleepOn(['a', 'b']);
		const next = sleepOn([], { queuedFor: 10 });
		const faults: Record<string, Answer> = { list: refused(1), a: OUT_OF_ORDER };
		world.fault = (what) => faults[what];
		world.move('finished', 'b');
		await pass(1_900);
		expect(world.resumed).toEqual([next]);
	});
});

describe('an account gets forty requests a minute on average', () => {
	/** How many it may get so far: what may be saved up, and how far one poll may go beyond it, come on top. */
	const allowed = () => (40 * (Date.now() - NOW)) / MINUTE + 20 + 13;

	it('although a thousand executions sleep, each of which is resumed soon after its run has ended', async () => {
		const executionIds: string[] = [];
		for (const taskId of names(1_000)) {
			executionIds.push(sleepOn([taskId]));
			if (executionIds.length % 50 === 0) await pass(SECOND);
		}
		await pass(3 * MINUTE);
		expect(world.requests.length).toBeLessThanOrEqual(allowed());
		expect(world.resumed).toEqual([]);

		world.move('finished', 'run-3', 'run-500', 'run-998');
		await pass(30 * SECOND);
		const ended = [3, 500, 998].map((index) => executionIds[index]);
		expect(new Set(world.resumed)).toEqual(new Set(ended));
	});

	it('however often runs call back', async () => {
		const executionId = sleepOn(['a', 'b'], PAUSING);
		for (let second = 0; second < 120; second++) {
			callBack(executionId);
			await pass(SECOND);
		}
		expect(world.requests.length).toBeLessThanOrEqual(allowed());
		expect(world.requests.length).toBeGreaterThan(40);
	});
});

describe('an execution is resumed', () => {
	it('when all of its runs have ended, and the watcher ends when nothing sleeps', async () => {
		const executionId = sleepOn(['a', 'b']);
		await pass(5 * SECOND);
		world.move('finished', 'a');
		await pass(10 * SECOND);
		expect(world.resumed).toEqual([]);
		world.move('failed', 'b');
		await pass(2 * SECOND);
		expect(world.resumed).toEqual([executionId]);
		expect(existingWatcher(world.credential)).toBeUndefined();
		await pass(30 * SECOND);
		expect(jest.getTimerCount()).toBe(0);
	});

	it('once, though another process goes on with it and the rest of the poll is answered later', async () => {
		const [first] = [sleepOn(['a']), sleepOn(['b'])];
		world.answerCall = () => RESUMED;
		world.move('finished', 'a');
		world.fault = (what) => {
			world.answersWithin = what === 'b' ? 3 * SECOND : 0;
			return undefined;
		};
		await pass(10 * SECOND);
		expect(world.resumed).toEqual([first]);
	});

	it('when a run is paused, where that is to resume it, or the service knows its run no more for a minute', async () => {
		const [patient, watchful] = [sleepOn(['a']), sleepOn(['b'], PAUSING)];
		const forgotten = sleepOn(['c']);
		world.move('paused', 'a', 'b');
		world.runs.delete('c');
		world.fault = (what) => (what === 'c' ? refused(10112) : undefined);
		await pass(59 * SECOND);
		expect(world.resumed).toEqual([watchful]);
		await pass(10 * SECOND);
		expect(new Set(world.resumed)).toEqual(new Set([watchful, forgotten]));
		expect(watcherAt(patient)).toBeDefined();
	});
});

describe('while the service cannot be asked', () => {
	it('it is left alone for as long as it asks', async () => {
		world.fault = () => ({ statusCode: 429, headers: { 'retry-after': '40' } });
		sleepOn(['a']);
		await pass(39 * SECOND);
		expect(world.asked).toEqual(['a']);
		await pass(4 * SECOND);
		expect(world.asked).toEqual(['a', 'a']);
	});

	it('the watcher polls more and more seldom, can tell why, and goes on afterwards', async () => {
		world.fault = () => OUT_OF_ORDER;
		const executionId = sleepOn(['a']);
		await pass(30 * MINUTE);
		expect(world.requests.length).toBeLessThan(250);
		expect(world.resumed).toEqual([]);
		const { requestError, polledAt } = suspensionAt(executionId).activity;
		expect([requestError, polledAt]).toEqual([expect.stringContaining('HTTP 500'), undefined]);
		world.move('finished', 'a');
		world.fault = () => undefined;
		await pass(70 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});
});

describe('a callback', () => {
	type Call = [taskId: string, status: RunStatus, goesOn: boolean];
	const BOTH = ['a', 'b'];
	const twice = ['a', 'a', 'b'].map((called): Call => [called, 'running', called === 'b']);

	it.each<[string, string[], Setting, Call[], string[]]>([
		['of the only run is believed once, with no request', ['a'], {}, [['a', 'running', true]], []],
		['of one among several resumes nothing, those of all of them do', BOTH, {}, twice, []],
		['is polled where a pause resumes', ['a'], PAUSING, [['a', 'running', false]], ['a']],
		['of one of several is polled there, too', BOTH, PAUSING, [['a', 'paused', false]], BOTH],
	])('%s', async (_, taskIds, setting, calls, asked) => {
		const executionId = sleepOn(taskIds, setting);
		for (const [called, status, goesOn] of calls) {
			world.move(status, called);
			expect(callBack(executionId, called)).toBe(goesOn);
			await pass(10);
		}
		expect(world.asked).toEqual(asked);
	});

	it('frees no slot where the run may only have paused', async () => {
		const executionId = sleepOn(BOTH, PAUSING);
		sleepOn([], { queuedFor: 10 });
		callBack(executionId);
		await pass(10);
		expect(world.resumed).toEqual([]);
	});

	it('gives its slot to whoever is next in line, at once and once, with no request', async () => {
		const executionId = sleepOn(BOTH, { lastStartAt: NOW - 25 * MINUTE });
		const [first, second] = [20, 10].map((queuedFor) => sleepOn([], { queuedFor }));
		for (let times = 0; times < 3; times++) callBack(executionId, 'a');
		await pass(10);
		expect(world.resumed).toEqual([first]);
		expect(world.requests).toEqual([]);
		world.move('finished', 'a');
		await pass(1_500);
		expect(suspensionAt(executionId).answers.get('a')).toBe('finished');
		expect(world.resumed).toEqual([first]);
		callBack(executionId, 'b');
		await pass(10);
		expect(world.resumed).toEqual([first, second]);
	});
});

/** Polls these runs as a person's page does. @returns whether the execution can go on */
async function seenByPage(executionId: string, ...taskIds: string[]): Promise<boolean> {
	const ledger = asleepWith(taskIds.map(running), { executionId }, { id: executionId });
	const page = new AbortController().signal;
	const getRuns = async () => runsOf(connectToWatch(inside, world.credential), 'v3');
	const found = pollForPage(inside.getNode(), ledger, getRuns, page, true);
	await pass(10);
	const read = await found;
	return read.ok && read.value;
}

it('what a person’s page finds resumes the execution, also where the page cannot', async () => {
	const executionId = sleepOn(['a']);
	world.move('finished', 'a');
	expect(await seenByPage(executionId, 'a')).toBe(true);
	expect(world.resumed).toEqual([executionId]);
});

it('what a person’s page finds has the other runs polled soon, which may end, too', async () => {
	const executionId = sleepOn(['a', 'b'], { lastStartAt: NOW - 75 * MINUTE });
	await pass(SECOND);
	world.move('finished', 'a');
	await seenByPage(executionId, 'a', 'b');
	world.move('finished', 'b');
	await pass(2 * SECOND);
	expect(world.resumed).toEqual([executionId]);
});

describe('executions that wait for a slot', () => {
	/** Puts three executions in line, while an execution waits for the runs that take all slots of the plan. */
	function putInLine(): [first: string, second: string, third: string] {
		sleepOn(['x', 'y', 'z']);
		const inLine = (queuedFor: number) => sleepOn([], { queuedFor });
		return [inLine(30), inLine(20), inLine(10)];
	}

	/** n8n answers that it resumes the execution, and does not yet execute it. */
	const claimAlone = (executionId: string): Answer => {
		suspensionAt(executionId).noteClaim({ isAnswered: () => true, mayBeTakenOver: () => false });
		return RESUMED;
	};

	const gone: Answer = { statusCode: 404, body: { message: 'gone' } };

	it.each<[string, Answer]>([
		['let the next pass when the first was deleted', gone],
		['let the next pass: a head of the line that n8n cannot resume', OUT_OF_ORDER],
	])('%s', async (_, answer) => {
		const [first, second] = putInLine();
		const { answerCall } = world;
		world.answerCall = (executionId) => (executionId === first ? answer : answerCall(executionId));
		world.move('finished', 'x');
		await pass(30 * SECOND);
		expect([...new Set(world.resumed)].slice(0, 2)).toEqual([first, second]);
	});

	it('keep the slots that they were granted, though n8n answers before it executes them', async () => {
		const [first] = putInLine();
		world.answerCall = claimAlone;
		world.move('finished', 'x');
		await pass(1_100);
		endAndUnwatch(first);
		expect(world.resumed).toEqual([first]);
		expect(queue()?.allowedStarts(first, NOW - 30)).toBe(1);
	});

	it('leave the line where they ended after n8n had resumed them, before they were executed', async () => {
		const [first, second] = putInLine();
		world.answerCall = claimAlone;
		world.move('finished', 'x');
		await pass(25 * SECOND);
		expect(world.resumed).toContain(second);
		expect(queue()?.positionOf(first)).toBeUndefined();
	});

	it('leave their slot to the execution that another process goes on with', async () => {
		const [first, second] = putInLine();
		world.answerCall = () => RESUMED;
		world.move('finished', 'x');
		await pass(1_900);
		expect(world.resumed).toEqual([first]);
		expect([first, second].map((id) => queue()?.positionOf(id))).toEqual([undefined, 1]);
	});

	it('keep their places when n8n answers late to the call that ended an earlier sleep', async () => {
		const executionId = sleepOn(['a']);
		world.answerCall = () => {
			endAndUnwatch(executionId);
			const slowed = { until: NOW + 60 * MINUTE, times: 1 };
			sleepOn([], { queuedFor: 10, executionId, slowed });
			return RESUMED;
		};
		world.move('finished', 'a');
		await pass(MINUTE);
		expect(queue()?.positionOf(executionId)).toBe(1);
	});

	describe('and one that is awake', () => {
		const slotsOf = (executionId: string, more: Partial<Ledger> = {}) =>
			slotsFor(inside, world.credential, ledgerOf([], { executionId, ...more }));

		it('starts any number of runs, unless others wait, which hear what it finds', async () => {
			const slots = slotsOf('awake');
			slots.noteStart();
			slots.noteNoSlot();
			slots.noteEnds(['w']);
			expect([slots.allowed(), existingWatcher(world.credential)]).toEqual([Infinity, undefined]);
			const [first, second] = putInLine();
			expect(slots.allowed()).toBe(0);
			slots.noteEnds(['x']);
			await pass(10);
			expect(world.resumed).toEqual([first]);
			slots.noteStart();
			await pass(1_100);
			expect(world.resumed).toEqual([first, second]);
		});

		it('uses the slots that it was granted up to a refusal, and joins the line by when it began to wait', async () => {
			const [first] = putInLine();
			world.answerCall = () => ({ statusCode: 409, body: { message: 'is running already' } });
			existingWatcher(world.credential)?.noteEnds(['x']);
			await pass(10);
			const slots = slotsOf(first, { queuedAt: NOW - 5 });
			expect(slots.allowed()).toBe(1);
			slots.noteNoSlot();
			expect(slots.allowed()).toBe(0);
			slots.enqueue(1);
			expect(queue()?.positionOf(first)).toBe(3);
			slots.dequeue();
			expect(queue()?.positionOf(first)).toBeUndefined();
			const slowed = { until: NOW + MINUTE, times: 1 };
			slotsOf(first, { slowed }).enqueue(1);
			expect([queue()?.positionOf(first), queue()?.nextGrantAt()]).toEqual([3, NOW + MINUTE]);
		});
	});
});
