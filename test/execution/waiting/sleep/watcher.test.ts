import { Readable } from 'node:stream';
import type { IExecuteFunctions, IHttpRequestOptions } from 'n8n-workflow';

import {
	knownSleeper,
	type Sleeper,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/sleepers';
import type {
	Entry,
	Ledger,
} from '../../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	knownWatcher,
	leaveLine,
	stopWatching,
	watcherFor,
	watcherOf,
	type Watcher,
} from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/watcher';
import type { StatusAnswer } from '../../../../nodes/BrowserAutomation/service/runs/statuses';
import type { RunStatus } from '../../../../nodes/BrowserAutomation/service/runs/runApi';
import type { WaitSettings } from '../../../../nodes/BrowserAutomation/fields/waiting';
import { insideNode } from '../../insideNode';
import { ledgerOf } from '../ledgerOf';

/** The beginning of each test, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** What came when, in milliseconds since the beginning. */
interface Seen {
	at: number;
	what: string;
}

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
	/** The requests that the service got: `list`, `count`, or the ID of a run. */
	readonly requests: Seen[] = [];
	/** The executions that n8n was called to wake. */
	readonly calls: Seen[] = [];
	/** What executions that were woken have been told of their runs. */
	readonly told = new Map<string, ReadonlyMap<string, StatusAnswer | undefined>>();
	/** How the service answers instead. */
	fault: Answer | 'none' | undefined;

	/** How n8n answers a call to wake an execution. */
	answerCall = (executionId: string): Answer => {
		const [slept] = stopWatching(executionId).sleeps;
		if (slept !== undefined) this.told.set(executionId, slept.runs);
		return { statusCode: 200, body: { woken: true } };
	};

	/** What the watcher has asked the service for. */
	get asked(): string[] {
		return this.requests.map(({ what }) => what);
	}

	/** The executions that n8n was called to wake. */
	get woken(): string[] {
		return this.calls.map(({ what }) => what);
	}

	receive(url: URL): object {
		const { pathname, searchParams: query } = url;
		const what = /runs\/(.*)\/status$/.exec(pathname)?.[1] ?? listOrCount(query);
		this.requests.push({ at: Date.now() - NOW, what });
		if (this.fault === 'none') throw new Error('connection refused');
		if (this.fault !== undefined) return wire(this.fault);
		return wire({ statusCode: 200, body: { code: 0, msg: 'ok', data: this.dataOf(what, query) } });
	}

	async call(url: URL): Promise<object> {
		const executionId = url.pathname.split('/').at(-1) ?? '';
		this.calls.push({ at: Date.now() - NOW, what: executionId });
		return await Promise.resolve({ headers: {}, ...this.answerCall(executionId) });
	}

	private dataOf(what: string, query: URLSearchParams): object {
		if (what === 'count') {
			const running = [...this.runs].filter(([, status]) => status === 'running');
			return { items: running.map(([task_id]) => ({ task_id })), total_count: running.length };
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
		await world.call(new URL(url));
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

const since = () => Date.now() - NOW;

/** How an execution is put to sleep. */
interface Setting {
	ledger?: Partial<Ledger>;
	settings?: Partial<WaitSettings>;
	/** Whether it was woken before without anything having happened to its runs. */
	isIdle?: boolean;
	canWake?: boolean;
	/** How many starts it still has to send. */
	starts?: number;
}

const asleep: string[] = [];
let executions = 0;

const request = { method: 'POST', path: '/v3/bots/1/runs' } as const;

/** Puts an execution to sleep until these runs end, which go on in the service. */
function sleepOn(
	taskIds: string[],
	{ ledger: more, settings, isIdle = false, canWake = true, starts = 0 }: Setting = {},
): string {
	const executionId = `execution-${executions++}`;
	const now = Date.now();
	const sleep = {
		id: sleepOf(executionId),
		resumeUrl: `https://n8n.example.com/webhook-waiting/${executionId}?signature=a`,
		date: now + 15 * MINUTE,
		isIdle,
	};
	const started = taskIds.map((taskId): Entry => ({ taskId, status: 'running' }));
	const waiting = Array.from({ length: starts }, (): Entry => ({ request }));
	const times = { begunAt: now, since: now, startedAt: now, deadline: now + 420 * MINUTE };
	const ledger = ledgerOf([...started, ...waiting], { executionId, ...times, ...more }, settings);
	for (const taskId of taskIds) world.runs.set(taskId, 'running');
	watcherFor(inside, world.credential).watch(ledger, sleep, { canWake, sleptHere: true });
	asleep.push(executionId);
	return executionId;
}

function sleepOf(executionId: string): string {
	return `sleep of ${executionId}`;
}

function sleeperAt(executionId: string): Sleeper {
	const sleeper = knownSleeper(sleepOf(executionId));
	if (sleeper === undefined) throw new Error('Nothing is known of the sleep');
	return sleeper;
}

function watcherAt(executionId: string): Watcher | undefined {
	const sleep = { id: sleepOf(executionId), resumeUrl: '', date: 0, isIdle: false };
	return watcherOf({ sleep });
}

function watcherThat(executionId: string): Watcher {
	const watcher = watcherAt(executionId);
	if (watcher === undefined) throw new Error('Nobody watches the execution');
	return watcher;
}

const names = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

describe('the watcher looks', () => {
	it('each second at first, and then further apart', async () => {
		sleepOn(['a']);
		await pass(15 * SECOND);
		expect(world.requests.map(({ at }) => at / SECOND)).toEqual([
			1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
		]);
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
			world.runs.set(taskId, 'finished');
			await pass(SECOND);
		}
		expect(world.requests.length).toBeGreaterThan(24);
		expect(world.requests.length).toBeLessThan(32);
		await pass(5 * MINUTE);
		world.requests.length = 0;
		await pass(MINUTE);
		expect(world.requests).toHaveLength(15);
	});

	it('as seldom as the age of the run says, not that of the execution’s sleep', async () => {
		sleepOn(['a'], { ledger: { startedAt: NOW - 75 * MINUTE } });
		await pass(2 * MINUTE);
		expect(world.requests.map(({ at }) => at / SECOND)).toEqual([1, 31, 61, 91]);
	});

	it('at the list for many executions, at once for all of them', async () => {
		for (const taskId of ['a', 'b', 'c', 'd']) sleepOn([taskId]);
		await pass(2 * SECOND);
		expect(world.asked).toEqual(['list', 'list']);
	});

	it('at each run below four', async () => {
		for (const taskId of ['a', 'b', 'c']) sleepOn([taskId]);
		await pass(SECOND);
		expect(world.asked).toEqual(['a', 'b', 'c']);
	});

	it('together at runs that are due soon after one another', async () => {
		for (const taskId of ['a', 'b', 'c', 'd', 'e']) {
			sleepOn([taskId]);
			await pass(80);
		}
		await pass(9 * SECOND);
		expect(world.asked.length).toBeLessThanOrEqual(11);
	});

	it('at the runs of each API with its own requests', async () => {
		const receive = jest.spyOn(world, 'receive');
		for (const taskId of ['a', 'b']) sleepOn([taskId]);
		for (const taskId of ['c', 'd']) sleepOn([taskId], { ledger: { api: 'v2' } });
		await pass(SECOND);
		const asked = receive.mock.calls.map(([{ pathname, search }]) => `${pathname}${search}`);
		expect(asked.sort()).toEqual([
			'/v2/workflow/get-task?task_id=c',
			'/v2/workflow/get-task?task_id=d',
			'/v3/bots/runs/a/status',
			'/v3/bots/runs/b/status',
		]);
	});

	it.each<[string, number | undefined, string | null]>([
		['from the first start of all', NOW - 60 * MINUTE, new Date(NOW - 70 * MINUTE).toISOString()],
		['of any age where some were started elsewhere', undefined, null],
	])('at the list for runs %s', async (_, since, from) => {
		const receive = jest.spyOn(world, 'receive');
		sleepOn(['a', 'b']);
		sleepOn(['c', 'd'], { ledger: { since } });
		await pass(SECOND);
		const asked = receive.mock.calls.map(([{ searchParams }]) => searchParams);
		expect(asked.map((query) => query.get('created_at_from'))).toEqual([from]);
	});

	it('and n8n’s debug log tells what it found', async () => {
		const debug = jest.spyOn(inside.logger, 'debug');
		sleepOn(['a', 'b']);
		await pass(SECOND);
		expect(debug).toHaveBeenCalledWith('Looked for 1 sleeping executions: 2 runs go on');
	});

	it('first at the run of a large batch that was started last, which ends last in all likelihood', async () => {
		sleepOn(names(101));
		await pass(3 * SECOND);
		expect(world.asked).toEqual(['run-100', 'run-100', 'run-100']);
		world.runs.set('run-100', 'finished');
		await pass(SECOND);
		expect(world.asked.slice(3)).toEqual(['run-100', 'list', 'list']);
	});

	it('also after the machine’s clock was put back', async () => {
		sleepOn(['a']);
		await pass(2 * SECOND);
		const before = world.requests.length;
		jest.setSystemTime(NOW - 60 * MINUTE);
		world.runs.set('a', 'finished');
		await pass(5 * SECOND);
		expect(world.requests.length).toBeGreaterThan(before);
		expect(world.woken).toHaveLength(1);
	});

	it('also where it was put back while there was nothing to look at', async () => {
		const first = sleepOn(['a'], { canWake: false });
		for (let look = 0; look < 30; look++) await watcherThat(first).lookAt(sleeperAt(first));
		await pass(2 * SECOND);
		jest.setSystemTime(NOW - 60 * MINUTE);
		const second = sleepOn(['b']);
		world.runs.set('b', 'finished');
		await pass(5 * SECOND);
		expect(world.woken).toEqual([second]);
	});

	it('where somebody asks for it, also after that clock was put back', async () => {
		world.fault = 'none';
		const executionId = sleepOn(['a'], { canWake: false });
		const watcher = watcherThat(executionId);
		const looked = watcher.lookAt(sleeperAt(executionId)).catch(() => 'in vain');
		await pass(30 * SECOND);
		expect(await looked).toBe('in vain');
		jest.setSystemTime(NOW - 60 * MINUTE);
		world.fault = undefined;
		world.runs.set('a', 'finished');
		expect(await watcher.lookAt(sleeperAt(executionId))).toBe(true);
	});

	it('where somebody asks for it just after the service has answered again', async () => {
		const executionId = sleepOn(['a'], { canWake: false });
		const [watcher, sleeper] = [watcherThat(executionId), sleeperAt(executionId)];
		const receive = jest.spyOn(world, 'receive');
		let second: Promise<boolean> | undefined;
		receive.mockImplementationOnce(() => {
			second = watcher.lookAt(sleeper);
			return wire({ statusCode: 400, body: { code: 10021, msg: 'not now' } });
		});
		await expect(watcher.lookAt(sleeper)).rejects.toThrow('not now');
		expect(await second).toBe(false);
		world.runs.set('a', 'finished');
		expect(await watcher.lookAt(sleeper)).toBe(true);
	});

	it('until the wait limit, which is n8n’s clock’s business', async () => {
		sleepOn(['a'], { ledger: { deadline: NOW + 10 * SECOND } });
		await pass(MINUTE);
		expect(world.requests.at(-1)?.at).toBeLessThan(10 * SECOND);
		expect(world.woken).toEqual([]);
		expect(knownWatcher(world.credential)).toBeUndefined();
	});
});

describe('an account gets a request a second on average', () => {
	/** The most requests within so many seconds. */
	function mostWithin(seconds: number): number {
		const counts = world.requests.map(
			(first, index) =>
				world.requests.slice(index).filter(({ at }) => at - first.at < seconds * SECOND).length,
		);
		return Math.max(...counts);
	}

	/** What may be saved up, and how far one look may go beyond it. */
	const SPARE = 20 + 13;

	it('although a thousand executions sleep, each of which is woken soon after its run has ended', async () => {
		const runs = names(1_000);
		const executionIds: string[] = [];
		for (const taskId of runs) {
			executionIds.push(sleepOn([taskId]));
			if (executionIds.length % 50 === 0) await pass(SECOND);
		}
		await pass(3 * MINUTE);
		expect(mostWithin(60)).toBeLessThanOrEqual(60 + SPARE);
		expect(world.requests.length).toBeLessThanOrEqual(since() / SECOND + SPARE);
		expect(world.woken).toEqual([]);

		for (const taskId of ['run-3', 'run-500', 'run-998']) world.runs.set(taskId, 'finished');
		await pass(30 * SECOND);
		expect(new Set(world.woken)).toEqual(
			new Set([executionIds[3], executionIds[500], executionIds[998]]),
		);
	});

	it('however often callbacks and people have it look', async () => {
		const executionId = sleepOn(['a', 'b'], { settings: { wakeWhenPaused: true } });
		const watcher = watcherThat(executionId);
		for (let second = 0; second < 120; second++) {
			void watcher.hear(sleeperAt(executionId), 'a');
			void watcher.lookAt(sleeperAt(executionId));
			await pass(SECOND);
		}
		expect(world.requests.length).toBeLessThanOrEqual(120 + SPARE);
		expect(world.requests.length).toBeGreaterThan(40);
	});
});

describe('an execution is woken', () => {
	it('when all of its runs have ended, and is told how', async () => {
		const executionId = sleepOn(['a', 'b']);
		await pass(5 * SECOND);
		world.runs.set('a', 'finished');
		await pass(10 * SECOND);
		expect(world.woken).toEqual([]);
		world.runs.set('b', 'failed');
		await pass(2 * SECOND);
		expect(world.woken).toEqual([executionId]);
		expect([...(world.told.get(executionId) ?? [])]).toEqual([
			['a', 'finished'],
			['b', 'failed'],
		]);
	});

	it('when a run is paused, where that is to wake it', async () => {
		const patient = sleepOn(['a']);
		const watchful = sleepOn(['b'], { settings: { wakeWhenPaused: true } });
		world.runs.set('a', 'paused').set('b', 'paused');
		await pass(3 * SECOND);
		expect(world.woken).toEqual([watchful]);
		expect(watcherAt(patient)).toBeDefined();
	});

	it('when the service knows its run no more', async () => {
		const executionId = sleepOn(['a']);
		world.fault = { statusCode: 400, body: { code: 10112, msg: 'no such run' } };
		await pass(2 * SECOND);
		expect(world.woken).toEqual([executionId]);
	});

	it('again and again, less and less often, until it is awake', async () => {
		const answers = [409, 503, 500, 429];
		const { answerCall } = world;
		world.answerCall = (executionId) => {
			const statusCode = answers.shift();
			return statusCode === undefined ? answerCall(executionId) : { statusCode };
		};
		const executionId = sleepOn(['a']);
		world.runs.set('a', 'finished');
		await pass(5 * SECOND);
		const [first, ...later] = world.calls.map(({ at }) => at);
		expect(later.map((at) => at - (first ?? 0))).toEqual([50, 150, 350, 750]);
		expect(new Set(world.woken)).toEqual(new Set([executionId]));
		await pass(10 * MINUTE);
		expect(world.calls).toHaveLength(5);
	});

	it('every fifteen seconds while n8n does not answer at all', async () => {
		world.answerCall = () => {
			throw new Error('connection refused');
		};
		sleepOn(['a']);
		world.runs.set('a', 'finished');
		await pass(10 * MINUTE);
		const last = world.calls.slice(-3).map(({ at }) => at);
		expect((last[2] ?? 0) - (last[1] ?? 0)).toBe(15 * SECOND);
		expect((last[1] ?? 0) - (last[0] ?? 0)).toBe(15 * SECOND);
	});

	it('at once for the starts of a wave, when n8n has stored it', async () => {
		const executionId = sleepOn([], { starts: 100 });
		await pass(99);
		expect(world.woken).toEqual([]);
		await pass(1);
		expect(world.woken).toEqual([executionId]);
		expect(world.requests).toEqual([]);
	});

	it('three at a time of many', async () => {
		let [open, most] = [0, 0];
		const finish: Array<() => void> = [];
		const call = world.call.bind(world);
		jest.spyOn(world, 'call').mockImplementation(async (url) => {
			most = Math.max(most, ++open);
			await new Promise<void>((resolve) => finish.push(resolve));
			open -= 1;
			return call(url);
		});
		for (const taskId of names(7)) {
			sleepOn([taskId]);
			world.runs.set(taskId, 'finished');
		}
		await pass(2 * SECOND);
		expect(finish).toHaveLength(3);
		for (let turn = 0; turn < 10; turn++) {
			for (const resolve of finish.splice(0)) resolve();
			await pass(10);
		}
		expect(most).toBe(3);
		expect(world.calls).toHaveLength(7);
	});
});

describe('nothing is read any more of an execution', () => {
	it.each([
		['that has ended', { statusCode: 409, body: { message: 'It has finished already.' } }],
		['that was deleted', { statusCode: 404 }],
		['that sleeps another sleep', { statusCode: 403 }],
	])('%s', async (_, answer) => {
		world.answerCall = () => answer;
		sleepOn(['a']);
		world.runs.set('a', 'finished');
		await pass(10 * MINUTE);
		expect(world.asked).toEqual(['a']);
		expect(world.calls).toHaveLength(1);
	});

	it('that another process has carried on, which runs long after it was put to sleep here', async () => {
		world.answerCall = () => ({ statusCode: 409, body: { message: 'It is running already.' } });
		sleepOn(['a']);
		await pass(31 * SECOND);
		world.runs.set('a', 'finished');
		await pass(10 * MINUTE);
		expect(world.calls).toHaveLength(1);
	});

	it('that is awake', async () => {
		const executionId = sleepOn(['a']);
		await pass(1_500);
		expect([...(stopWatching(executionId).sleeps[0]?.runs ?? [])]).toEqual([['a', 'running']]);
		await pass(10 * MINUTE);
		expect(world.asked).toEqual(['a']);
		expect(watcherAt(executionId)).toBeUndefined();
	});

	it('and the watcher ends when nothing sleeps', async () => {
		const executionIds = [sleepOn(['a']), sleepOn(['b'])];
		await pass(5 * SECOND);
		world.runs.set('a', 'finished').set('b', 'finished');
		await pass(10 * SECOND);
		expect(world.woken.sort()).toEqual(executionIds.sort());
		expect(knownWatcher(world.credential)).toBeUndefined();
		await pass(30 * SECOND);
		expect(jest.getTimerCount()).toBe(0);
	});
});

describe('while the service cannot be asked', () => {
	it.each<[string, Answer | 'none']>([
		['as it has a fault', { statusCode: 500 }],
		['as it does not answer', 'none'],
	])('%s, the watcher looks more and more seldom, and goes on afterwards', async (_, fault) => {
		world.fault = fault;
		const executionId = sleepOn(['a']);
		await pass(30 * MINUTE);
		const before = world.requests.length;
		expect(before).toBeLessThan(250);
		expect(world.woken).toEqual([]);
		world.runs.set('a', 'finished');
		world.fault = undefined;
		await pass(70 * SECOND);
		expect(world.woken).toEqual([executionId]);
	});

	it('the status page can tell why', async () => {
		world.fault = 'none';
		const executionId = sleepOn(['a']);
		await pass(20 * SECOND);
		const { refusal, lookedAt } = knownSleeper(sleepOf(executionId))?.activity ?? {};
		expect(refusal).toContain('could not be reached');
		expect(lookedAt).toBeUndefined();
	});

	it('a refused key wakes the execution, which says so', async () => {
		world.fault = { statusCode: 401, body: { code: 401, msg: 'no such key' } };
		const executionId = sleepOn(['a']);
		await pass(2 * SECOND);
		expect(world.woken).toEqual([executionId]);
	});
});

describe('a callback', () => {
	it('of the only run is believed once, with no request', async () => {
		const executionId = sleepOn(['a']);
		expect(await watcherThat(executionId).hear(sleeperAt(executionId), 'a')).toBe(true);
		expect(world.asked).toEqual([]);
	});

	it('of one among several wakes nothing, those of all of them do', async () => {
		const executionId = sleepOn(['a', 'b']);
		const watcher = watcherThat(executionId);
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(false);
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(false);
		expect(world.asked).toEqual([]);
		expect(await watcher.hear(sleeperAt(executionId), 'b')).toBe(true);
		expect(world.asked).toEqual([]);
	});

	it('is looked into where the last one was about nothing', async () => {
		const executionId = sleepOn(['a'], { isIdle: true });
		const watcher = watcherThat(executionId);
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(false);
		expect(world.asked).toEqual(['a']);
		world.runs.set('a', 'finished');
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(true);
	});

	it('is looked into where a pause wakes', async () => {
		const executionId = sleepOn(['a'], { settings: { wakeWhenPaused: true } });
		const watcher = watcherThat(executionId);
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(false);
		world.runs.set('a', 'paused');
		expect(await watcher.hear(sleeperAt(executionId), 'a')).toBe(true);
		expect(world.asked).toEqual(['a', 'a']);
	});

	it('of one among several is looked into where a pause wakes', async () => {
		const executionId = sleepOn(['a', 'b'], { settings: { wakeWhenPaused: true } });
		world.runs.set('a', 'paused').set('b', 'paused');
		expect(await watcherThat(executionId).hear(sleeperAt(executionId), 'a')).toBe(true);
	});

	it('is heard by the execution where the key is refused, which then says so', async () => {
		world.fault = { statusCode: 401, body: { code: 401, msg: 'no such key' } };
		const executionId = sleepOn(['a'], { isIdle: true, canWake: false });
		expect(await watcherThat(executionId).hear(sleeperAt(executionId), 'a')).toBe(true);
	});

	it('gives the slot that it tells of to whoever is next in line, at once', async () => {
		const executionId = sleepOn(['a', 'b']);
		const waiting = sleepOn([], { starts: 1, ledger: { queuedAt: NOW - 10 } });
		await pass(3 * SECOND);
		expect(world.woken).toEqual([]);
		world.runs.set('a', 'finished');
		await watcherThat(executionId).hear(sleeperAt(executionId), 'a');
		await pass(10);
		expect(world.woken).toEqual([waiting]);
	});
});

it('a callback of a run has its execution start the next one at once, also where the service does not tell how many run', async () => {
	const receive = world.receive.bind(world);
	jest
		.spyOn(world, 'receive')
		.mockImplementation((url) =>
			listOrCount(url.searchParams) === 'count'
				? wire({ statusCode: 200, body: { code: 0, msg: 'ok', data: { items: [] } } })
				: receive(url),
		);
	const id = sleepOn(['a', 'b'], { starts: 1, ledger: { queuedAt: NOW - 10 } });
	await pass(3 * SECOND + 100);
	expect(world.woken).toEqual([]);
	world.runs.set('a', 'finished');
	await watcherThat(id).hear(sleeperAt(id), 'a');
	await pass(10);
	expect(world.woken).toEqual([id]);
});

describe('where n8n does not reach itself, the watcher', () => {
	it('does not look of its own accord', async () => {
		sleepOn(['a'], { canWake: false });
		await pass(30 * MINUTE);
		expect(world.requests).toEqual([]);
	});

	it('looks once where somebody asks for it, also while it looks at others', async () => {
		const executionId = sleepOn(['a'], { canWake: false });
		sleepOn(['b']);
		expect(await watcherThat(executionId).lookAt(sleeperAt(executionId))).toBe(false);
		await pass(MINUTE);
		expect(world.asked.filter((what) => what === 'a')).toHaveLength(1);
	});
});

describe('executions that wait for a slot', () => {
	const queued = (since: number) => ({ starts: 1, ledger: { queuedAt: NOW - since } });

	/** Puts three executions in line, while others' runs take all slots of the plan. */
	function putInLine(): string[] {
		for (const taskId of ['x', 'y', 'z']) world.runs.set(taskId, 'running');
		return [sleepOn([], queued(30)), sleepOn([], queued(20)), sleepOn([], queued(10))];
	}

	it('are woken in order, as many as runs have ended', async () => {
		const [first, second] = putInLine();
		await pass(5 * SECOND);
		expect(world.woken).toEqual([]);
		world.runs.set('x', 'finished').set('y', 'failed');
		await pass(3 * SECOND);
		expect(world.woken).toEqual([first, second]);
	});

	it('are told by the list of running runs, too, which runs go on', async () => {
		putInLine();
		sleepOn(['a', 'b']);
		await pass(10 * SECOND);
		const countedTogether = world.asked.length;
		world.runs.set('a', 'finished');
		await pass(3 * SECOND);

		expect(countedTogether).toBeLessThanOrEqual(12);
		expect(world.asked.slice(countedTogether)).toContain('a');
		expect(world.asked.slice(countedTogether)).not.toContain('b');
	});

	it('are looked after at once where an execution finds that runs have ended', async () => {
		putInLine();
		await pass(10 * SECOND + 100);
		const before = world.asked.length;
		await pass(1);
		knownWatcher(world.credential)?.end(0);
		await pass(1);
		expect(world.asked).toHaveLength(before);
		knownWatcher(world.credential)?.end(1);
		await pass(1);
		expect(world.asked.slice(before)).toEqual(['count']);
	});

	it('cost a request every two seconds, while no other runs are looked at', async () => {
		putInLine();
		await pass(80 * SECOND);
		expect(new Set(world.asked)).toEqual(new Set(['count']));
		expect(world.requests.length).toBeLessThanOrEqual(41);
		expect(world.requests.length).toBeGreaterThan(36);
	});

	/** n8n's answer when it is to wake the first of three: no other can be woken before it. */
	async function wokenWhereFirst(answer: Answer, seconds: number): Promise<number[]> {
		const executionIds = putInLine();
		const { answerCall } = world;
		world.answerCall = (executionId) =>
			executionId === executionIds[0] ? answer : answerCall(executionId);
		await pass(seconds * SECOND);
		world.runs.set('x', 'finished');
		await pass(10 * SECOND);
		return world.woken.map((executionId) => executionIds.indexOf(executionId) + 1);
	}

	it('let the next pass when the first is carried on by another process', async () => {
		// After half a minute the first tries its luck.
		expect(await wokenWhereFirst({ statusCode: 409 }, 40)).toEqual([1, 2]);
	});

	it('let the next pass when the first was stopped in n8n', async () => {
		const finished = { statusCode: 409, body: { message: 'It has finished already.' } };
		expect(await wokenWhereFirst(finished, 5)).toEqual([1, 2]);
	});

	it('leave the line when they have no more to start', async () => {
		const [first = '', second] = putInLine();
		leaveLine(first);
		await pass(3 * SECOND);
		world.runs.set('x', 'finished');
		await pass(3 * SECOND);
		expect(world.woken).toEqual([second]);
	});

	it('get no slot that a run takes which has been created, and does not run yet', async () => {
		for (const taskId of ['x', 'y']) world.runs.set(taskId, 'running');
		sleepOn(['z']);
		sleepOn([], queued(10));
		await pass(3 * SECOND);
		world.runs.set('z', 'created');
		await pass(10 * SECOND);
		expect(world.woken).toEqual([]);
	});
});

it('a callback that is repeated does not have the running runs counted again', async () => {
	for (const taskId of ['x', 'y']) world.runs.set(taskId, 'running');
	const id = sleepOn(['a', 'b']);
	sleepOn([], { starts: 1, ledger: { queuedAt: NOW - 10 } });
	const counts = () => world.asked.filter((what) => what === 'count').length;
	await pass(100);
	const before = counts();
	for (let times = 0; times < 5; times++) await watcherThat(id).hear(sleeperAt(id), 'a');
	expect(counts() - before).toBe(1);
	await watcherThat(id).hear(sleeperAt(id), 'b');
	expect(counts() - before).toBe(2);
});

describe('where things go wrong', () => {
	const queued = (since: number) => ({ starts: 1, ledger: { queuedAt: NOW - since } });

	it('a head of the line that n8n cannot wake lets the next one pass', async () => {
		for (const taskId of ['x', 'y', 'z']) world.runs.set(taskId, 'running');
		const ids = [sleepOn([], queued(30)), sleepOn([], queued(20))];
		const { answerCall } = world;
		world.answerCall = (id) => (id === ids[0] ? { statusCode: 500 } : answerCall(id));
		await pass(5 * SECOND);
		world.runs.set('x', 'finished');
		await pass(MINUTE);
		expect(world.woken).toContain(ids[1]);
	});

	it('nobody is called where n8n does not reach itself, waiting for a slot or not', async () => {
		sleepOn([], { ...queued(30), canWake: false });
		const id = sleepOn(['a'], { settings: { wakeWhenPaused: true }, canWake: false });
		world.runs.set('a', 'running');
		await watcherThat(id).hear(sleeperAt(id), 'a');
		world.runs.set('a', 'finished');
		await pass(30 * MINUTE);
		expect(world.calls).toEqual([]);
	});

	it('callbacks do not have a service asked that is out of order', async () => {
		// Chance decides how long the pauses between tries are.
		jest.spyOn(Math, 'random').mockReturnValue(0.5);
		world.fault = 'none';
		const id = sleepOn(['a'], { settings: { wakeWhenPaused: true } });
		const watcher = watcherThat(id);
		for (let second = 0; second < 600; second++) {
			watcher.hear(sleeperAt(id), 'a').catch(() => undefined);
			await pass(SECOND);
		}
		expect(world.requests.length).toBeLessThan(100);
	});

	it('runs that begin to run are not counted twice', async () => {
		for (const taskId of ['x', 'y', 'z']) world.runs.set(taskId, 'running');
		sleepOn([], queued(10));
		sleepOn(['z'], { ledger: { startedAt: NOW - 75 * MINUTE } });
		world.runs.set('z', 'created');
		await pass(1_500);
		world.runs.set('z', 'running');
		await pass(10 * SECOND);
		expect(knownWatcher(world.credential)?.line.capacity).toBe(3);
	});
});
