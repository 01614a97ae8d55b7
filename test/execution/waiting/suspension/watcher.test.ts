import { Readable } from 'node:stream';
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import { knownSuspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspensions';
import type { Suspension } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/suspension';
import { type Ledger } from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import { type Watcher } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import {
	existingWatcher,
	dequeue,
	stopWatching,
	getOrMakeWatcher,
	watcherOf,
} from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/watcher';
import type { RunStatus } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import type { WaitSettings } from '../../../../nodes/BrowserAutomation/fields/waiting';
import { insideNode } from '../../insideNode';
import { ledgerOf, request, running, suspensionWith } from '../ledgerOf';

/** The beginning of each test, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

interface Answer {
	statusCode: number;
	body?: object;
}

let accounts = 0;

/** An account of the service, and an n8n in which executions sleep until its runs end. */
class World {
	readonly credential = { baseUrl: `https://service-${accounts++}.test`, apiKey: 'key' };
	/** The account's runs, newest last. */
	readonly runs = new Map<string, RunStatus>();
	/** The requests that the service got: `list`, `count`, or the ID of a run; in milliseconds since the beginning. */
	readonly requests: Array<{ at: number; what: string }> = [];
	/** The executions that n8n was called to resume. */
	readonly resumed: string[] = [];
	/** How the service answers instead. */
	fault: Answer | 'none' | undefined;
	/** How it answers about some runs instead, or that it never does. */
	readonly faults = new Map<string, Answer | 'never'>();

	/** How n8n answers a call to resume an execution. */
	answerCall = (executionId: string): Answer => {
		stopWatching(executionId);
		return { statusCode: 200, body: { resumed: true } };
	};

	/** What the watcher has asked the service for; when, in seconds since the beginning. */
	get asked(): string[] {
		return this.requests.map(({ what }) => what);
	}

	get askedAt(): number[] {
		return this.requests.map(({ at }) => at / SECOND);
	}

	receive(url: URL): object | Promise<object> {
		const { pathname, searchParams: query } = url;
		const taskId = /runs\/(.*)\/status$/.exec(pathname)?.[1] ?? query.get('task_id');
		const what = taskId ?? listOrCount(query);
		this.requests.push({ at: Date.now() - NOW, what });
		const fault = this.faults.get(what);
		if (fault === 'never') return new Promise(() => undefined);
		if (fault !== undefined) return wire(fault);
		if (this.fault === 'none') throw new Error('connection refused');
		if (this.fault !== undefined) return wire(this.fault);
		return wire({ statusCode: 200, body: { code: 0, msg: 'ok', data: this.dataOf(what, query) } });
	}

	call(url: URL): object {
		const executionId = url.pathname.split('/').at(-1) ?? '';
		this.resumed.push(executionId);
		return { headers: {}, ...this.answerCall(executionId) };
	}

	/** Has runs stand like this. */
	move(status: RunStatus, ...taskIds: string[]): void {
		for (const taskId of taskIds) this.runs.set(taskId, status);
	}

	private dataOf(what: string, query: URLSearchParams): object {
		if (what === 'count') {
			const running = [...this.runs].filter(([, status]) => status === 'running');
			const items = running.map(([task_id, status]) => ({ task_id, status })).reverse();
			return { items: items.slice(0, Number(query.get('limit'))), total_count: running.length };
		}
		if (what !== 'list') return { task_id: what, status: this.runs.get(what) ?? 'unknown' };
		const [page, limit] = [Number(query.get('page')), Number(query.get('limit'))];
		const items = [...this.runs].reverse().map(([task_id, status]) => ({ task_id, status }));
		const shown = items.slice((page - 1) * limit, page * limit);
		return { items: shown, page, limit, total_count: items.length };
	}
}

function listOrCount(query: URLSearchParams): string {
	return query.has('status') ? 'count' : 'list';
}

function wire({ statusCode, body = {} }: Answer): object {
	return { statusCode, headers: {}, body: Readable.from([Buffer.from(JSON.stringify(body))]) };
}

let world: World;
let inside: IExecuteFunctions;

beforeAll(async () => {
	const httpRequest = async ({ url }: IHttpRequestOptions): Promise<object> =>
		world.call(new URL(url));
	const httpRequestWithAuthentication = async (
		_: string,
		{ url }: IHttpRequestOptions,
	): Promise<object> => world.receive(new URL(url));
	inside = await insideNode(
		(context) => context,
		{},
		{
			helpers: { httpRequest, httpRequestWithAuthentication },
			getCredentials: async () => world.credential,
		},
	);
});

beforeEach(() => {
	jest.useFakeTimers({ now: NOW, doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
	world = new World();
});

afterEach(() => {
	for (const executionId of asleep.splice(0)) stopWatching(executionId);
	jest.useRealTimers();
	jest.restoreAllMocks();
});

const pass = async (milliseconds: number) => await jest.advanceTimersByTimeAsync(milliseconds);

/** How an execution is put to sleep. */
interface Setting {
	ledger?: Partial<Ledger>;
	settings?: Partial<WaitSettings>;
	/** Whether it was resumed before without anything having happened to its runs. */
	wasResumedInVain?: boolean;
	canResume?: boolean;
	/** Whether it is of a published workflow, which nobody looks at. */
	isPublished?: boolean;
	/** How many starts it still has to send. */
	starts?: number;
	/** For how long it has waited for a slot, in milliseconds. */
	queuedFor?: number;
}

const asleep: string[] = [];
let executions = 0;

/** Puts an execution to sleep until these runs end, which go on in the service. Its sleep has its ID. */
function sleepOn(taskIds: string[], setting: Setting = {}): string {
	const {
		ledger: more,
		settings,
		wasResumedInVain = false,
		canResume = true,
		isPublished = true,
		queuedFor,
	} = setting;
	const { starts = queuedFor === undefined ? 0 : 1 } = setting;
	const executionId = `execution-${executions++}`;
	const now = Date.now();
	const resumeUrl = `https://n8n.example.com/webhook-waiting/${executionId}?signature=a`;
	const suspension = suspensionWith(executionId, {
		resumeUrl,
		timerAt: now + 15 * MINUTE,
		wasResumedInVain,
	});
	const entries = [...taskIds.map(running), ...Array(starts).fill({ request })];
	const times = {
		begunAt: now,
		firstStartedAt: now,
		lastStartedAt: now,
		deadline: now + 420 * MINUTE,
	};
	const queued = queuedFor === undefined ? {} : { queuedAt: NOW - queuedFor };
	const ours = { executionId, waitMethod: 'timer', ...times, ...queued, ...more } as const;
	const ledger = ledgerOf(entries, ours, settings);
	world.move('running', ...taskIds);
	getOrMakeWatcher(inside, world.credential).watch(
		{ ...ledger, suspension },
		{
			canResume,
			isPublished,
		},
	);
	asleep.push(executionId);
	return executionId;
}

function suspensionAt(executionId: string): Suspension {
	const suspension = knownSuspension(executionId);
	if (suspension === undefined) throw new Error('Nothing is known of the sleep');
	return suspension;
}

function watcherAt(executionId: string): Watcher | undefined {
	return watcherOf({ suspension: suspensionWith(executionId) });
}

/** Has a run of an execution call back. */
async function handleCallback(executionId: string, taskId = 'a'): Promise<boolean | undefined> {
	return await watcherAt(executionId)?.handleCallback(suspensionAt(executionId), taskId);
}

/** Has somebody ask for a poll of an execution. */
async function pollRuns(executionId: string): Promise<boolean | undefined> {
	return await watcherAt(executionId)?.pollRuns(suspensionAt(executionId));
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

describe('the watcher polls', () => {
	it('each second at first, and then further apart', async () => {
		sleepOn(['a']);
		await pass(15 * SECOND);
		expect(world.askedAt).toEqual(Array.from({ length: 15 }, (_, index) => index + 1));
		await pass(5 * MINUTE);
		world.requests.length = 0;
		await pass(MINUTE);
		expect(world.requests).toHaveLength(15);
	});

	it('each second again where runs of a batch end one after the other', async () => {
		const taskIds = names(40);
		sleepOn(taskIds);
		await pass(2 * MINUTE);
		world.requests.length = 0;
		for (const taskId of taskIds.slice(0, 30)) {
			world.move('finished', taskId);
			await pass(SECOND);
		}
		expect(world.requests.length).toBeGreaterThan(24);
		expect(world.requests.length).toBeLessThan(32);
		await pass(5 * MINUTE);
		world.requests.length = 0;
		await pass(MINUTE);
		expect(world.requests).toHaveLength(15);
	});

	it('soon again, however old the runs are, where one of them has ended', async () => {
		sleepOn(['a', 'b'], { ledger: { lastStartedAt: NOW - 75 * MINUTE } });
		await pass(2 * SECOND);
		world.move('finished', 'a');
		await pass(30 * SECOND);
		expect(world.askedAt).toEqual([1, 1, 31, 31, 32]);
	});

	it('as seldom as the age of the run says, not that of the execution’s sleep', async () => {
		sleepOn(['a'], { ledger: { lastStartedAt: NOW - 75 * MINUTE } });
		await pass(2 * MINUTE);
		expect(world.askedAt).toEqual([1, 31, 61, 91]);
	});

	it.each([
		['at the list for many executions, at once for all of them', 4, ['list']],
		['at each of three', 3, ['run-0', 'run-1', 'run-2']],
		['at the run itself where it is the only one', 1, ['run-0']],
	])('%s', async (_, count, expected) => {
		for (const taskId of names(count)) sleepOn([taskId]);
		await pass(SECOND);
		expect(world.asked).toEqual(expected);
	});

	it('together at runs that are due soon after one another', async () => {
		for (const taskId of names(5)) {
			sleepOn([taskId]);
			await pass(80);
		}
		await pass(9 * SECOND);
		expect(world.asked.length).toBeLessThanOrEqual(11);
	});

	it('at the runs of each API with its own requests', async () => {
		const receive = jest.spyOn(world, 'receive');
		sleepOn(['a']);
		sleepOn(['b'], { ledger: { api: 'v2' } });
		await pass(SECOND);
		const asked = receive.mock.calls.map(([{ pathname, search }]) => `${pathname}${search}`);
		expect(asked).toEqual(['/v3/bots/runs/a/status', '/v2/workflow/get-task?task_id=b']);
	});

	it.each<[string, number | undefined, string | null]>([
		['from the first start of all', NOW - 60 * MINUTE, new Date(NOW - 70 * MINUTE).toISOString()],
		['of any age where some were started elsewhere', undefined, null],
	])('at the list for runs %s', async (_, firstStartedAt, from) => {
		const receive = jest.spyOn(world, 'receive');
		sleepOn(['a', 'b']);
		sleepOn(['c', 'd'], { ledger: { firstStartedAt } });
		await pass(SECOND);
		const asked = receive.mock.calls.map(([{ searchParams }]) => searchParams);
		expect(asked.map((query) => query.get('created_at_from'))).toEqual([from]);
	});

	it('and n8n’s debug log tells what it found', async () => {
		const debug = jest.spyOn(inside.logger, 'debug');
		sleepOn(['a', 'b']);
		await pass(SECOND);
		expect(debug).toHaveBeenCalledWith('Polled for 1 suspended executions: 2 runs go on');
	});

	it('with the means of the execution that came last, as those of an earlier one may be gone', async () => {
		sleepOn(['a']);
		const { httpRequestWithAuthentication } = inside.helpers;
		const send = jest.fn(httpRequestWithAuthentication);
		const helpers = { ...inside.helpers, httpRequestWithAuthentication: send };
		getOrMakeWatcher(Object.create(inside, { helpers: { value: helpers } }), world.credential);
		await pass(SECOND);
		expect(send).toHaveBeenCalledTimes(1);
	});

	it('at the list alone for all runs of a batch that is not large', async () => {
		sleepOn(names(100));
		await pass(SECOND);
		expect(world.asked).toEqual(['list']);
	});

	it('of a large batch first for one that goes on: in the list of running runs, then at the one that was started last', async () => {
		sleepOn(names(101));
		await pass(3 * SECOND);
		expect(world.asked).toEqual(['count', 'count', 'count']);
		world.move('created', ...names(101));
		await pass(SECOND);
		expect(world.asked.slice(3)).toEqual(['count', 'run-100']);
		world.move('finished', ...names(101));
		await pass(SECOND);
		expect(world.asked.slice(5)).toEqual(['count', 'run-100', 'list', 'list']);
	});

	it('of a thousand whose last ends first so seldom that the end of all is seen soon', async () => {
		const [runs, executionId] = [names(1_000), sleepOn(names(1_000))];
		await pass(4 * SECOND);
		for (let tenth = 0; tenth < 40; tenth++) {
			world.move('finished', ...runs.slice(975 - 25 * tenth, 1_000 - 25 * tenth));
			await pass(SECOND / 10);
		}
		await pass(2 * SECOND);
		expect(world.resumed).toEqual([executionId]);
		expect(world.requests.length).toBeLessThanOrEqual(25);
	});

	it('where somebody asks for it just after the service has answered again', async () => {
		const executionId = sleepOn(['a'], { canResume: false });
		const receive = jest.spyOn(world, 'receive');
		let second: Promise<boolean | undefined> | undefined;
		receive.mockImplementationOnce(() => {
			second = pollRuns(executionId);
			return wire({ statusCode: 400, body: { code: 10021, msg: 'not now' } });
		});
		await expect(pollRuns(executionId)).rejects.toThrow('not now');
		expect(await second).toBe(false);
		world.move('finished', 'a');
		expect(await pollRuns(executionId)).toBe(true);
	});

	it('again where somebody asks for it while it polls', async () => {
		const executionId = sleepOn(['a'], { canResume: false });
		const receive = world.receive.bind(world);
		let second: Promise<boolean | undefined> | undefined;
		jest.spyOn(world, 'receive').mockImplementationOnce((url) => {
			second = pollRuns(executionId);
			const answer = receive(url);
			world.move('finished', 'a');
			return answer;
		});
		expect(await pollRuns(executionId)).toBe(false);
		expect(await second).toBe(true);
	});

	it('until the wait limit, which is n8n’s wait timer’s business', async () => {
		sleepOn(['a'], { ledger: { deadline: NOW + 10 * SECOND } });
		await pass(MINUTE);
		expect(world.requests.at(-1)?.at).toBeLessThan(10 * SECOND);
		expect(world.resumed).toEqual([]);
		expect(existingWatcher(world.credential)).toBeUndefined();
	});
});

describe('the end of a run is seen within seconds', () => {
	it.each<[string, string, Answer | 'never']>([
		['the reads of another one hang', 'a', 'never'],
		['the reads of another one fail', 'a', { statusCode: 500 }],
		[
			'another one is refused in a way of its own',
			'a',
			{ statusCode: 400, body: { code: 1, msg: 'no' } },
		],
		['the list of running runs hangs, which a large batch needs', 'count', 'never'],
	])('though %s', async (_, what, fault) => {
		world.faults.set(what, fault);
		if (what === 'a') sleepOn(['a'], { ledger: { api: 'v2' } });
		else sleepOn(names(101));
		const executionId = sleepOn(['b']);
		await pass(5 * MINUTE);
		world.move('finished', 'b');
		await pass(12 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('though one of the same batch cannot be read', async () => {
		sleepOn(['a', 'b']);
		const next = sleepOn([], { queuedFor: 10 });
		world.faults.set('list', { statusCode: 400, body: { code: 1, msg: 'no list' } });
		world.faults.set('a', { statusCode: 500 });
		world.move('finished', 'b');
		await pass(1_900);
		expect(world.resumed).toEqual([next]);
	});

	it.each([-2, 2])('though the system’s clock is moved by %d hours', async (hours) => {
		const executionId = sleepOn(['a'], { ledger: { deadline: NOW + 10 * 60 * MINUTE } });
		await pass(60 * MINUTE);
		jest.setSystemTime(Date.now() + hours * 60 * MINUTE);
		await pass(MINUTE);
		world.move('finished', 'a');
		await pass(31 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('though the clock is set back while polls fail', async () => {
		world.fault = 'none';
		const executionId = sleepOn(['a']);
		await pass(30 * MINUTE);
		jest.setSystemTime(Date.now() - 120 * MINUTE);
		world.fault = undefined;
		world.move('finished', 'a');
		await pass(70 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});
});

describe('an account gets a request a second on average', () => {
	/** The most requests within so many seconds. */
	function maxWithin(seconds: number): number {
		const counts = world.requests.map(
			(first, index) =>
				world.requests.slice(index).filter(({ at }) => at - first.at < seconds * SECOND).length,
		);
		return Math.max(...counts);
	}

	/** What may be saved up, and how far one poll may go beyond it. */
	const SPARE = 20 + 13;

	it('although a thousand executions sleep, each of which is resumed soon after its run has ended', async () => {
		const runs = names(1_000);
		const executionIds: string[] = [];
		for (const taskId of runs) {
			executionIds.push(sleepOn([taskId]));
			if (executionIds.length % 50 === 0) await pass(SECOND);
		}
		await pass(3 * MINUTE);
		expect(maxWithin(60)).toBeLessThanOrEqual(60 + SPARE);
		expect(world.requests.length).toBeLessThanOrEqual((Date.now() - NOW) / SECOND + SPARE);
		expect(world.resumed).toEqual([]);

		world.move('finished', 'run-3', 'run-500', 'run-998');
		await pass(30 * SECOND);
		expect(new Set(world.resumed)).toEqual(
			new Set([executionIds[3], executionIds[500], executionIds[998]]),
		);
	});

	it('however often callbacks and people have it poll', async () => {
		const executionId = sleepOn(['a', 'b'], { settings: { resumeWhenPaused: true } });
		for (let second = 0; second < 120; second++) {
			void handleCallback(executionId);
			void pollRuns(executionId);
			await pass(SECOND);
		}
		expect(world.requests.length).toBeLessThanOrEqual(120 + SPARE);
		expect(world.requests.length).toBeGreaterThan(40);
	});
});

describe('an execution is resumed', () => {
	it('when all of its runs have ended', async () => {
		const executionId = sleepOn(['a', 'b']);
		await pass(5 * SECOND);
		world.move('finished', 'a');
		await pass(10 * SECOND);
		expect(world.resumed).toEqual([]);
		world.move('failed', 'b');
		await pass(2 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('when a run is paused, where that is to resume it', async () => {
		const patient = sleepOn(['a']);
		const watchful = sleepOn(['b'], { settings: { resumeWhenPaused: true } });
		world.move('paused', 'a', 'b');
		await pass(3 * SECOND);
		expect(world.resumed).toEqual([watchful]);
		expect(watcherAt(patient)).toBeDefined();
	});

	it.each([
		['when the service knows its run no more', 400, 10112],
		['when its key is refused, to say so', 401, 401],
	])('%s', async (_, statusCode, code) => {
		const executionId = sleepOn(['a']);
		world.fault = { statusCode, body: { code, msg: 'no' } };
		await pass(2 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('at once for the starts of a wave, when n8n has stored it', async () => {
		const executionId = sleepOn([], { starts: 100 });
		await pass(99);
		expect(world.resumed).toEqual([]);
		await pass(1);
		expect(world.resumed).toEqual([executionId]);
		expect(world.requests).toEqual([]);
	});
});

describe('nothing is read any more of an execution', () => {
	it('that need not be called again', async () => {
		world.answerCall = () => ({ statusCode: 404, body: { message: 'It does not exist.' } });
		sleepOn(['a']);
		world.move('finished', 'a');
		await pass(10 * MINUTE);
		expect(world.asked).toEqual(['a']);
		expect(world.resumed).toHaveLength(1);
		expect(existingWatcher(world.credential)).toBeUndefined();
	});

	it('that is awake', async () => {
		const executionId = sleepOn(['a']);
		await pass(1_500);
		expect([...(stopWatching(executionId).suspensions[0]?.runs ?? [])]).toEqual([['a', 'running']]);
		await pass(10 * MINUTE);
		expect(world.asked).toEqual(['a']);
		expect(watcherAt(executionId)).toBeUndefined();
	});

	it('and the watcher ends when nothing sleeps', async () => {
		const executionIds = [sleepOn(['a']), sleepOn(['b'])];
		await pass(5 * SECOND);
		world.move('finished', 'a', 'b');
		await pass(10 * SECOND);
		expect(world.resumed.sort()).toEqual(executionIds.sort());
		expect(existingWatcher(world.credential)).toBeUndefined();
		await pass(30 * SECOND);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('while the service cannot be asked', () => {
	it.each<[string, Answer | 'none']>([
		['as it has a fault', { statusCode: 500 }],
		['as it does not answer', 'none'],
	])('%s, the watcher polls more and more seldom, and goes on afterwards', async (_, fault) => {
		world.fault = fault;
		const executionId = sleepOn(['a']);
		await pass(30 * MINUTE);
		expect(world.requests.length).toBeLessThan(250);
		expect(world.resumed).toEqual([]);
		world.move('finished', 'a');
		world.fault = undefined;
		await pass(70 * SECOND);
		expect(world.resumed).toEqual([executionId]);
	});

	it('whoever asks for a poll hears why, and has it asked again after the pause', async () => {
		const executionId = sleepOn(['a'], { canResume: false });
		world.fault = { statusCode: 400, body: { code: 10021, msg: 'not now' } };
		await expect(pollRuns(executionId)).rejects.toThrow('not now');
		world.fault = undefined;
		await pass(1_999);
		await expect(pollRuns(executionId)).rejects.toThrow('not now');
		expect(world.requests).toHaveLength(1);
		await pass(1);
		expect(await pollRuns(executionId)).toBe(false);
	});

	it('the status page can tell why', async () => {
		world.fault = 'none';
		const executionId = sleepOn(['a']);
		await pass(20 * SECOND);
		const { requestError, polledAt } = suspensionAt(executionId).activity;
		expect(requestError).toContain('could not be reached');
		expect(polledAt).toBeUndefined();
	});
});

describe('a callback', () => {
	it('of the only run is believed once, with no request', async () => {
		expect(await handleCallback(sleepOn(['a']))).toBe(true);
		expect(world.asked).toEqual([]);
	});

	it('of one among several resumes nothing, those of all of them do', async () => {
		const executionId = sleepOn(['a', 'b']);
		expect(await handleCallback(executionId, 'a')).toBe(false);
		expect(await handleCallback(executionId, 'a')).toBe(false);
		expect(await handleCallback(executionId, 'b')).toBe(true);
		expect(world.asked).toEqual([]);
	});

	it.each<[string, Setting, RunStatus]>([
		['the last one was about nothing', { wasResumedInVain: true }, 'finished'],
		['a pause resumes', { settings: { resumeWhenPaused: true } }, 'paused'],
	])('is polled where %s', async (_, setting, status) => {
		const executionId = sleepOn(['a'], setting);
		expect(await handleCallback(executionId)).toBe(false);
		world.move(status, 'a');
		expect(await handleCallback(executionId)).toBe(true);
		expect(world.asked).toEqual(['a', 'a']);
	});

	it('of one among several is polled where a pause resumes', async () => {
		const executionId = sleepOn(['a', 'b'], { settings: { resumeWhenPaused: true } });
		world.move('paused', 'a', 'b');
		expect(await handleCallback(executionId)).toBe(true);
	});

	it('of one among several is polled where starts of the execution wait for a slot', async () => {
		await handleCallback(sleepOn(['a', 'b'], { queuedFor: 10 }));
		expect(world.asked).toEqual(['a', 'b']);
	});

	it('frees no slot where the run may only have paused', async () => {
		const executionId = sleepOn(['a', 'b'], { settings: { resumeWhenPaused: true } });
		sleepOn([], { queuedFor: 10 });
		await handleCallback(executionId);
		await pass(10);
		expect(world.resumed).toEqual([]);
	});

	it('is heard by the execution where the key is refused, which then says so', async () => {
		world.fault = { statusCode: 401, body: { code: 401, msg: 'no such key' } };
		expect(await handleCallback(sleepOn(['a'], { wasResumedInVain: true, canResume: false }))).toBe(
			true,
		);
	});

	it('gives its slot to whoever is next in line, at once and once, with no request', async () => {
		const executionId = sleepOn(['a', 'b'], { ledger: { lastStartedAt: NOW - 25 * MINUTE } });
		const [first, second] = [20, 10].map((queuedFor) => sleepOn([], { queuedFor }));
		for (let times = 0; times < 3; times++) await handleCallback(executionId, 'a');
		await pass(10);
		expect(world.resumed).toEqual([first]);
		expect(world.requests).toEqual([]);
		world.move('finished', 'a');
		await pass(1_500);
		expect(suspensionAt(executionId).runs.get('a')).toBe('finished');
		expect(world.resumed).toEqual([first]);
		await handleCallback(executionId, 'b');
		await pass(10);
		expect(world.resumed).toEqual([first, second]);
	});

	it('does not have a service asked that is out of order', async () => {
		// Chance decides how long the pauses between tries are.
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		world.fault = 'none';
		const id = sleepOn(['a'], { settings: { resumeWhenPaused: true } });
		for (let second = 0; second < 600; second++) {
			handleCallback(id).catch(() => undefined);
			await pass(SECOND);
		}
		expect(world.requests.length).toBeLessThan(100);
	});
});

describe('where n8n does not reach itself, the watcher', () => {
	it('neither polls of its own accord nor calls, waiting for a slot or not', async () => {
		sleepOn([], { queuedFor: 30, canResume: false });
		const id = sleepOn(['a'], { settings: { resumeWhenPaused: true }, canResume: false });
		await pass(30 * MINUTE);
		expect(world.requests).toEqual([]);
		await handleCallback(id);
		world.move('finished', 'a');
		await pass(30 * MINUTE);
		expect(await pollRuns(id)).toBe(true);
		await pass(SECOND);
		expect(world.resumed).toEqual([]);
	});

	it('polls once where somebody asks for it, also while it polls for others', async () => {
		const executionId = sleepOn(['a'], { canResume: false });
		sleepOn(['b']);
		expect(await pollRuns(executionId)).toBe(false);
		await pass(MINUTE);
		expect(world.asked.filter((what) => what === 'a')).toHaveLength(1);
	});
});

describe('executions that wait for a slot', () => {
	/** Puts three executions in line, while an execution waits for the runs that take all slots of the plan. */
	function putInLine(): string[] {
		sleepOn(['x', 'y', 'z']);
		return [30, 20, 10].map((queuedFor) => sleepOn([], { queuedFor }));
	}

	it('are resumed in order, as many as runs have ended, and cost no further requests', async () => {
		const [first, second] = putInLine();
		await pass(900);
		world.move('failed', 'x', 'y');
		await pass(200);
		expect(world.resumed).toEqual([first, second]);
		expect(world.asked).toEqual(['x', 'y', 'z']);
	});

	it('are granted at once where an execution finds that runs have ended', async () => {
		const [first] = putInLine();
		existingWatcher(world.credential)?.recordEnds(['x']);
		await pass(10);
		expect(world.resumed).toEqual([first]);
	});

	it('try one by one whether a slot is free, and need no run of their own to go on', async () => {
		const [first] = [20, 10].map((queuedFor) => sleepOn([], { queuedFor }));
		await pass(1_900);
		expect(world.resumed).toEqual([]);
		await pass(200);
		expect(world.resumed).toEqual([first]);
		expect(world.requests).toEqual([]);
	});

	const finished = { statusCode: 409, body: { message: 'It has finished already.' } };

	it.each<[string, Answer]>([
		['let the next pass when the first was stopped in n8n', finished],
		['let the next pass when the first was deleted', { statusCode: 404, body: { message: '' } }],
		['let the next pass: a head of the line that n8n cannot resume', { statusCode: 500 }],
	])('%s', async (_, answer) => {
		const [first, second] = putInLine();
		const { answerCall } = world;
		world.answerCall = (executionId) => (executionId === first ? answer : answerCall(executionId));
		world.move('finished', 'x');
		await pass(30 * SECOND);
		expect([...new Set(world.resumed)].slice(0, 2)).toEqual([first, second]);
	});

	it('keep the slots that they were granted, though n8n answers before it executes them', async () => {
		const [first = ''] = putInLine();
		world.answerCall = (executionId) => {
			suspensionAt(executionId).recordClaim({ isAnswered: () => true, hasFailed: () => false });
			return { statusCode: 200, body: { resumed: true } };
		};
		world.move('finished', 'x');
		await pass(1_100);
		stopWatching(first);
		expect(world.resumed).toEqual([first]);
		const queue = existingWatcher(world.credential)?.queue;
		expect(queue?.allowedStarts(first, NOW - 30, Date.now())).toBe(1);
	});

	it('leave the line where they ended after n8n had resumed them, before they were executed', async () => {
		const [first = '', second] = putInLine();
		const { answerCall } = world;
		let calls = 0;
		world.answerCall = (executionId) => {
			if (executionId !== first) return answerCall(executionId);
			if (calls++ > 0) return { statusCode: 404, body: { message: 'gone' } };
			const claimedAt = Date.now();
			const hasFailed = (): boolean => Date.now() - claimedAt > 30 * SECOND;
			suspensionAt(first).recordClaim({ isAnswered: () => true, hasFailed });
			return { statusCode: 200, body: { resumed: true } };
		};
		world.move('finished', 'x');
		await pass(5 * MINUTE);
		expect(calls).toBe(2);
		const queue = existingWatcher(world.credential)?.queue;
		expect(queue?.positionOf(first)).toBeUndefined();
		expect(world.resumed).toContain(second);
	});

	it('leave their slot to the execution that another process goes on with', async () => {
		const [first = '', second] = putInLine();
		world.answerCall = () => ({ statusCode: 200, body: { resumed: true } });
		world.move('finished', 'x');
		await pass(1_900);
		expect(world.resumed).toEqual([first]);
		const queue = existingWatcher(world.credential)?.queue;
		expect([first, second].map((id = '') => queue?.positionOf(id))).toEqual([undefined, 1]);
	});

	it('keep their places when n8n answers late to the call that ended an earlier sleep', async () => {
		const executionId = sleepOn(['a']);
		world.answerCall = () => {
			stopWatching(executionId);
			const slowed = { until: NOW + 60 * MINUTE, times: 1 };
			sleepOn([], { queuedFor: 10, ledger: { executionId, slowed } });
			return { statusCode: 200, body: { resumed: true } };
		};
		world.move('finished', 'a');
		await pass(MINUTE);
		expect(existingWatcher(world.credential)?.queue.positionOf(executionId)).toBe(1);
	});

	it('leave the line when they have no more to start, and let the next pass where they are awake', async () => {
		const [first = '', second = '', third] = putInLine();
		dequeue(first);
		stopWatching(second);
		world.move('finished', 'x');
		await pass(1_100);
		expect(world.resumed).toEqual([third]);
	});
});
