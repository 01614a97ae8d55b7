import fc from 'fast-check';
import type { ServiceClient } from '../../../nodes/BrowserAutomation/service/http/client';
import { refusal } from '../../../nodes/BrowserAutomation/service/http/envelope';
import { isJsonObject } from '../../../nodes/BrowserAutomation/service/json/json';
import {
	END_EVENTS,
	type RunEventName,
} from '../../../nodes/BrowserAutomation/service/events/runEvents';
import { isTerminal, type RunStatus } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import {
	firstCursor,
	RunPoller,
	type PolledEvent,
	type RunPollerOptions,
} from '../../../nodes/BrowserAutomation/service/events/runPoller';
import { PollCursor } from '../../../nodes/BrowserAutomation/service/events/pollCursor';
import { attempts } from '../../randomValues';
import { broken, ListedService, type ListOrder } from '../../triggers/listedService';

const ALL_EVENTS: RunPollerOptions['filter'] = {
	events: ['runStarted', 'runStatusChanged', ...END_EVENTS],
};

const moves: RunStatus[] = ['running', 'pausing', 'paused', 'finished', 'failed', 'canceled'];

/** A step of a kind that comes so often. */
function often<const Kind extends string, Rest>(
	weight: number,
	kind: Kind,
	rest: { [Name in keyof Rest]: fc.Arbitrary<Rest[Name]> },
) {
	return { weight, arbitrary: fc.record(rest).map((others) => ({ do: kind, ...others })) };
}

const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
const oneTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 1, max });
const perhaps = (value: fc.Arbitrary<number>) => fc.option(value, { nil: undefined });

/** What happens: to the service's runs, to n8n, or to a poll. */
const step = fc.oneof(
	often(4, 'create', {
		count: fc.oneof(fc.constant(1), oneTo(30)),
		delayMs: fc.oneof(fc.constant(0), upTo(30_000)),
	}),
	often(6, 'move', { which: fc.nat(), status: fc.constantFrom(...moves) }),
	often(3, 'pass', { ms: fc.oneof(upTo(900), upTo(300_000)) }),
	often(4, 'poll', {
		breaksAt: perhaps(oneTo(12)),
		requests: oneTo(40),
		meanwhile: upTo(4),
		// Which third of the runs cannot be read during this poll.
		unreadable: perhaps(upTo(2)),
	}),
	often(1, 'restart', {}),
	// A run is created that is dated ahead.
	often(1, 'odd', { aheadMs: upTo(30 * 86_400_000) }),
	// The service's clock is put back, once in a story at most.
	often(1, 'putBack', { ms: upTo(300_000) }),
);

type Step = typeof step extends fc.Arbitrary<infer Of> ? Of : never;

/** A poller of all events that has time without end, as far as nothing else is said. */
function pollerOf(
	{ client }: { client: ServiceClient },
	otherwise: Partial<RunPollerOptions> = {},
	cursor = new PollCursor(NOW),
): RunPoller {
	const options = { client, filter: ALL_EVENTS, hasTime: () => true, ...otherwise };
	return new RunPoller(options, cursor);
}

function listOf(order: ListOrder, pageSize = 4): ListedService {
	return new ListedService({ order, clock: NOW, pageSize });
}

async function activate(service: ListedService): Promise<PollingN8n> {
	return new PollingN8n(service, await firstCursor(service.client, undefined, undefined, NOW));
}

/** The first poll of one who takes all runs from now on as new. */
async function pollOnce(client: ServiceClient, otherwise?: Partial<RunPollerOptions>) {
	return await pollerOf({ client }, otherwise).poll();
}

/** A service whose list has the newest runs first, and an n8n that has begun to poll it. */
async function polling(): Promise<{ service: ListedService; n8n: PollingN8n }> {
	const service = listOf('newest');
	return { service, n8n: await activate(service) };
}

function readCursor(stored: string): PollCursor {
	const cursor = PollCursor.read(JSON.parse(stored));
	if (cursor === undefined) throw new Error('The stored cursor cannot be read');
	return cursor;
}

/** An n8n that takes all runs from now on as new. */
const fromNow = (service: ListedService): PollingN8n =>
	new PollingN8n(service, new PollCursor(NOW));

/** An n8n that polls: it keeps the cursor in memory, and stores it when a poll brings something. */
class PollingN8n {
	readonly events: PolledEvent[] = [];
	stored: string;

	constructor(
		private readonly service: ListedService,
		private cursor: PollCursor,
	) {
		this.stored = JSON.stringify(cursor.write());
	}

	async requestsOfPoll(): Promise<number> {
		const before = this.service.requests;
		await this.poll();
		return this.service.requests - before;
	}

	async poll(requests = Infinity, breaksAt?: number): Promise<void> {
		const before = this.service.requests;
		const move = this.service.beforeAnswer;
		this.service.beforeAnswer = () => {
			move();
			if (this.service.requests - before === breaksAt) throw broken();
		};
		const hasTime = (): boolean => this.service.requests - before < requests;
		try {
			const cursor = readCursor(JSON.stringify(this.cursor.write()));
			const { events } = await pollerOf(this.service, { hasTime }, cursor).poll();
			this.cursor = cursor;
			this.events.push(...events);
			if (events.length > 0) this.stored = JSON.stringify(cursor.write());
		} catch (error) {
			if (breaksAt === undefined) throw error;
		} finally {
			this.service.beforeAnswer = move;
		}
	}

	restart(): void {
		this.cursor = readCursor(this.stored);
	}
}

const history = fc.record({
	order: fc.constantFrom<ListOrder>('newest', 'oldest', 'none'),
	// How far the service's clock is ahead of n8n's.
	skewMs: fc.integer({ min: -86_000_000, max: 86_000_000 }),
	early: fc.array(step, { maxLength: 20 }),
	steps: fc.array(step, { minLength: 5, maxLength: 80 }),
});

type History = typeof history extends fc.Arbitrary<infer Of> ? Of : never;

const NOW = Date.parse('2026-03-01T10:00:00Z');

function change(service: ListedService, event: Step): void {
	if (event.do === 'create') {
		for (let count = 0; count < event.count; count++) service.create(event.delayMs);
	} else if (event.do === 'move') {
		service.move(event.which % Math.max(1, service.runs.length), event.status);
	} else if (event.do === 'odd') {
		service.create(0, '1001', event.aheadMs);
	} else if (event.do === 'pass') {
		service.clock += event.ms;
	} else if (event.do === 'putBack' && !service.isPutBack) {
		service.isPutBack = true;
		service.clock -= event.ms;
	}
}

async function live({ order, skewMs, early, steps: all }: History) {
	const steps = [...all];
	const service = new ListedService({ order, clock: NOW + skewMs, pageSize: 4 });
	for (const event of early)
		change(service, { ...event, ...(event.do === 'create' && { delayMs: 0 }) });
	const old = new Set(service.runs.map(({ taskId }) => taskId));
	const overBefore = new Set(
		service.runs.filter(({ status }) => isTerminal(status)).map(({ taskId }) => taskId),
	);
	service.clock += 1_000;
	const n8n = await activate(service);
	for (let index = 0; index < steps.length; index++) {
		const event = steps[index];
		if (event === undefined) continue;
		if (event.do === 'restart') n8n.restart();
		if (event.do !== 'poll') {
			change(service, event);
			// It is noticed, and that is stored, before the clock has caught up: n8n polls each minute.
			if (event.do === 'putBack') {
				service.create();
				await n8n.poll();
			}
			continue;
		}
		const meanwhile = steps
			.splice(index + 1, event.meanwhile)
			.filter((each) => each.do !== 'putBack');
		service.beforeAnswer = () => {
			const next = meanwhile.shift();
			if (next !== undefined) change(service, next);
		};
		const { unreadable } = event;
		service.isUnreadable = (run) => run % 3 === unreadable;
		await n8n.poll(event.requests, event.breaksAt);
		service.isUnreadable = () => false;
		service.beforeAnswer = () => {};
	}
	service.clock += 31_000;
	for (let polls = 0, before = -1; before !== n8n.events.length || polls < 3; polls++) {
		if (polls > 300) throw new Error('It never comes to an end');
		before = n8n.events.length;
		await n8n.poll();
	}
	return { service, n8n, old, overBefore };
}

function reported({ events }: Pick<RunPoller, 'events'>, ...names: RunEventName[]): string[] {
	return events
		.filter(({ event }) => names.includes(event.event))
		.map(({ event }) => event.task_id)
		.sort();
}

describe('polling the list of runs', () => {
	it('tells once of each beginning, of each end and of each status that it sees, the last one in any case', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (past) => {
				const { service, n8n, old, overBefore } = await live(past);
				const fresh = service.runs.filter(({ taskId }) => !old.has(taskId));
				const going = service.runs.filter(({ taskId }) => !overBefore.has(taskId));
				const ended = going.filter(({ status }) => isTerminal(status));
				expect(reported(n8n, 'runStarted')).toEqual(fresh.map(({ taskId }) => taskId).sort());
				expect(reported(n8n, ...END_EVENTS)).toEqual(ended.map(({ taskId }) => taskId).sort());
				const last = new Map<string, RunStatus>();
				for (const { event } of n8n.events) {
					if (event.event !== 'runStatusChanged') continue;
					expect(['created', last.get(event.task_id)]).not.toContain(event.status);
					expect([undefined, event.previous_status]).toContain(last.get(event.task_id));
					last.set(event.task_id, event.status);
				}
				for (const { taskId, status } of going) {
					if (last.has(taskId) && status !== 'created') expect(last.get(taskId)).toBe(status);
				}
			}),
			attempts(150),
		);
	});

	it.each([
		['a few seconds earlier than asked', 25_000, (from: string) => `${from.slice(0, 17)}00.000Z`],
		['with the first run', 300_000, () => undefined],
	])('tells nothing again where the service begins its list %s', async (_, every, begin) => {
		const { service, n8n } = await polling();
		const { send } = service.client;
		service.client.send = async ({ query, ...request }) => {
			const from = begin(String(query?.created_at_from));
			return await send({ ...request, query: { ...query, created_at_from: from } });
		};
		for (let count = 0; count < 6; count++) {
			service.clock += every;
			service.create();
			service.move(count, 'finished');
			await n8n.poll();
		}
		const taskIds = service.runs.map(({ taskId }) => taskId);
		expect(reported(n8n, 'runFinished')).toEqual(taskIds);
	});

	it('tells of all runs where the list always counts one more than it shows', async () => {
		const { service, n8n } = await polling();
		service.create();
		await n8n.poll();
		const { send } = service.client;
		service.client.send = async (request) => {
			const body = await send(request);
			if (!isJsonObject(body) || !('items' in body)) return body;
			return { ...body, total_count: Number(body.total_count) + 1 };
		};
		createEvery(service, 60_000, 40);
		finishAll(service);
		for (let polls = 0; polls < 6; polls++) await n8n.poll();
		const taskIds = service.runs.map(({ taskId }) => taskId);
		expect(reported(n8n, 'runFinished')).toEqual(taskIds);
	});

	it('goes on hearing of runs after one whose date lies in the far future', async () => {
		const { service, n8n } = await polling();
		const taskIds = [service.create()];
		service.clock = Date.parse('9000-01-01T00:00:00Z');
		taskIds.push(service.create());
		await n8n.poll();
		service.clock = NOW + 600_000;
		taskIds.push(service.create());
		service.clock = Date.parse('9000-01-01T00:00:01Z');
		for (let polls = 0; polls < 3; polls++) await n8n.poll();

		expect(reported(n8n, 'runStarted')).toEqual(taskIds);
	});

	it('asks for no more than before where the service’s clock is put back an hour', async () => {
		const { service, n8n } = await polling();
		service.create();
		await n8n.poll();
		service.clock -= 3_600_000;
		const before = service.requests;
		for (let polls = 0; polls < 3; polls++) await n8n.poll(100);
		expect(service.requests - before).toBeLessThan(12);
	});

	it.each([3, 5])(
		'loses no run that comes (at request %d) or is shown late while a long poll reads on into the future',
		async (request) => {
			const { service, n8n } = await polling();
			const taskIds = [service.create()];
			await n8n.poll();
			for (let count = 0; count < 20; count++) taskIds.push(service.create(0, '1001', 3_600_000));
			taskIds.push(service.create(30_000));
			const before = service.requests;
			service.beforeAnswer = () => {
				if (service.requests - before === request) taskIds.push(service.create());
				service.clock += 10_000;
			};
			await n8n.poll();
			service.beforeAnswer = () => {};
			for (let polls = 0; polls < 3; polls++) await n8n.poll();

			expect(reported(n8n, 'runStarted')).toEqual(taskIds);
		},
	);

	it('asks for many runs that go on by the list, a page for each status and hundred', async () => {
		const service = listOf('newest', 100);
		for (let count = 0; count < 900; count++) service.create();
		const n8n = await activate(service);
		service.clock += 3_600_000;
		service.create();
		await n8n.poll();
		expect(await n8n.requestsOfPoll()).toBeLessThan(20);
		service.move(7, 'failed');
		service.move(8, 'running');
		await n8n.poll();
		expect(reported(n8n, 'runFailed')).toEqual([service.runs[7]?.taskId]);
		expect(reported(n8n, 'runStatusChanged')).toContain(service.runs[8]?.taskId);
	});

	it('ends where a service always shows another, newer run', async () => {
		let requests = 0;
		const send = async () => {
			requests += 1;
			const created = new Date(NOW + requests).toISOString();
			const run = { task_id: String(requests), status: 'finished', created_at: created };
			return { items: [run], page: 1, limit: 1, total_pages: 1e9, total_count: requests };
		};
		const client = { baseUrl: 'https://service.test', send };
		const cursor = await firstCursor(client, undefined, undefined, NOW);
		const { events } = await pollerOf({ client }, {}, cursor).poll();

		expect(events.length).toBeLessThanOrEqual(1_000);
	});

	it('keeps little, however many runs there are', async () => {
		const service = listOf('newest', 100);
		const n8n = await activate(service);
		for (let minute = 0; minute < 10; minute++) {
			for (let count = 0; count < 300; count++) {
				service.create();
				service.move(service.runs.length - 1, 'finished');
				service.clock += 200;
			}
			await n8n.poll();
		}
		for (let polls = 0; polls < 10; polls++) await n8n.poll();
		expect(reported(n8n, ...END_EVENTS)).toEqual(service.runs.map(({ taskId }) => taskId));
		expect(n8n.stored.length).toBeLessThan(20_000);
	});
});

const LIST = '/v3/bots/runs';

/** The service, with something that happens before it hears of a request. */
function heardBy(service: ListedService, hear: (path: string) => void): ServiceClient {
	const { send } = service.client;
	return {
		...service.client,
		send: async (request) => {
			hear(request.path);
			return await send(request);
		},
	};
}

/** Creates runs, each so long after the one before. */
function createEvery(service: ListedService, ms: number, count: number): string[] {
	return Array.from({ length: count }, () => {
		service.clock += ms;
		return service.create();
	});
}

function finishAll(service: ListedService): void {
	for (const index of service.runs.keys()) service.move(index, 'finished');
}

describe('the first poll', () => {
	it('knows the runs from before a moment that still go on, and takes all from then on as new', async () => {
		const service = listOf('newest');
		const early = createEvery(service, 1_000, 6);
		service.clock += 1_000;
		const from = service.clock;
		const later = [service.create(), ...createEvery(service, 1_000, 6)];
		const n8n = new PollingN8n(service, await firstCursor(service.client, undefined, from, NOW));
		finishAll(service);
		await n8n.poll();

		expect(reported(n8n, 'runStarted')).toEqual(later);
		expect(reported(n8n, ...END_EVENTS)).toEqual([...early, ...later]);
		const ends = n8n.events.filter(({ event }) => END_EVENTS.includes(event.event));
		const ofEarly = ends.filter(({ event }) => early.includes(event.task_id));
		expect(ofEarly.map(({ event }) => event.previous_status)).toEqual(early.map(() => 'created'));
	});

	it('does not read all runs that there are', async () => {
		const service = listOf('newest');
		createEvery(service, 300_000, 60);
		finishAll(service);
		await activate(service);
		expect(service.requests).toBeLessThan(10);
	});

	it.each([
		['does not name it', ''],
		['has null in its place', '"bot_id":null,'],
	])('finds the runs of a bot, and of no other, also where the list %s', async (_, given) => {
		const service = listOf('newest');
		const { send } = service.client;
		service.client.send = async (request) => {
			const body = await send(request);
			if (request.path !== LIST) return body;
			return JSON.parse(JSON.stringify(body).replaceAll('"bot_id":"1001",', given));
		};
		const filter = { ...ALL_EVENTS, botId: '1001' };
		const followed = service.create(0, '1001');
		service.create(0, '1002');
		const cursor = await firstCursor(service.client, '1001', undefined, NOW);
		service.clock += 600_000;
		const taskIds = [followed, service.create(0, '1001')];
		finishAll(service);
		const poller = await pollerOf(service, { filter }, cursor).poll();

		expect(reported(poller, ...END_EVENTS)).toEqual(taskIds);
		expect(cursor.runs.creations()).toHaveLength(2);
	});
});

describe('a poll cut short', () => {
	const coded = (code: number) => refusal(200, { code, msg: 'no', traceId: 't', data: null });

	it.each([
		['the key is refused by its code', coded(401)],
		['the key is refused by the HTTP status', refusal(401, undefined)],
		['the service asks to slow down', refusal(429, undefined)],
		['the connection breaks', broken()],
	])('keeps what it found, and fails without anything, when %s', async (_, error) => {
		const service = listOf('newest', 100);
		const taskIds = createEvery(service, 30_000, 20);
		const answering = (reads: number) =>
			heardBy(service, (path) => {
				if (path !== LIST && --reads < 0) throw error;
			});
		await expect(pollOnce(answering(0))).rejects.toBe(error);
		const cursor = new PollCursor(NOW);
		const { events, unread } = await pollerOf({ client: answering(8) }, {}, cursor).poll();
		const rest = await pollerOf(service, {}, cursor).poll();

		expect(events).toHaveLength(8);
		expect(unread).toEqual([]);
		const all = [...events, ...rest.events].map(({ event }) => event.task_id);
		expect(all.sort()).toEqual(taskIds);
	});

	it('goes on with the other runs when a run may not be read', async () => {
		const service = listOf('newest');
		const taskIds = createEvery(service, 1_000, 3);
		const error = coded(99002);
		const client = heardBy(service, (path) => {
			if (path.endsWith(String(taskIds[1]))) throw error;
		});
		const { events, unread } = await pollOnce(client);
		expect(events.map(({ event }) => event.task_id).sort()).toEqual([taskIds[0], taskIds[2]]);
		expect(unread).toEqual([{ taskId: taskIds[1], error }]);
	});

	it('reads no further part of the list when the time is up, and loses none', async () => {
		const service = listOf('newest');
		const n8n = fromNow(service);
		const taskIds = createEvery(service, 30_000, 30);
		await n8n.poll(0);
		expect(reported(n8n, 'runStarted').length).toBeLessThanOrEqual(8);
		expect(reported(n8n, 'runStarted').length).toBeGreaterThan(0);
		await n8n.poll();
		expect(reported(n8n, 'runStarted')).toEqual(taskIds);
	});

	it('tells of new runs before those that go on', async () => {
		const service = listOf('oldest', 100);
		createEvery(service, 1_000, 10);
		const n8n = await activate(service);
		for (const index of service.runs.keys()) service.move(index, 'running');
		const fresh = createEvery(service, 1_000, 3);
		await n8n.poll(0);
		expect(reported(n8n, 'runStarted')).toEqual(fresh);
	});

	it('reads again where the list did not show all that it counts', async () => {
		const service = listOf('newest');
		const [hidden, ...others] = [
			...createEvery(service, 1_000, 1),
			...createEvery(service, 120_000, 5),
		];
		const client: ServiceClient = {
			...service.client,
			send: async (request) => {
				const body = await service.client.send(request);
				if (!isJsonObject(body) || !Array.isArray(body.items)) return body;
				const items = body.items.filter((run) => !isJsonObject(run) || run.task_id !== hidden);
				return { ...body, items };
			},
		};
		const cursor = new PollCursor(NOW);
		const first = await pollerOf({ client }, {}, cursor).poll();
		const second = await pollerOf(service, {}, cursor).poll();

		expect(reported(first, 'runStarted')).toEqual(others);
		expect(reported(second, 'runStarted')).toEqual([hidden]);
	});
});

describe('polls while nothing happens', () => {
	it('ask for one page after runs have come', async () => {
		const service = listOf('newest');
		const n8n = fromNow(service);
		createEvery(service, 120_000, 8);
		finishAll(service);
		await n8n.poll();
		expect(await n8n.requestsOfPoll()).toBe(1);
	});

	it('ask for no more than the status of a run that goes on', async () => {
		const service = listOf('newest');
		const [taskId] = createEvery(service, 1_000, 1);
		const n8n = await activate(service);
		service.clock += 600_000;
		service.create();
		await n8n.poll();
		service.move(1, 'finished');
		await n8n.poll();
		const asked: string[] = [];
		service.client.send = heardBy(service, (path) => asked.push(path)).send;
		await n8n.poll();
		expect(asked).toEqual([LIST, `${LIST}/${taskId}/status`]);
	});

	it('ask for no run that nobody wants to hear of', async () => {
		const service = listOf('newest');
		createEvery(service, 1_000, 3);
		const asked: string[] = [];
		const client = heardBy(service, (path) => asked.push(path));
		await pollOnce(client, { filter: { events: END_EVENTS } });
		expect(asked).toEqual([LIST]);
	});

	it.each([
		['goes on', activate],
		['could not be read', fromNow],
	])('ask no more for a run that %s and then is gone', async (_, beginning) => {
		const service = listOf('newest');
		createEvery(service, 1_000, 1);
		const n8n = await beginning(service);
		service.isUnreadable = (index) => index === 0;
		await n8n.poll();
		service.isUnreadable = () => false;
		service.runs.pop();
		await n8n.poll();
		expect(await n8n.requestsOfPoll()).toBe(1);
		expect(n8n.events).toEqual([]);
	});
});

describe('an example of an event', () => {
	const ended: RunPollerOptions['filter'] = { events: END_EVENTS };
	const toItems = async (events: PolledEvent[]) => events.map(({ event }) => event);

	it('is of the newest run that fits, whatever the order of the list', async () => {
		const service = listOf('oldest');
		const taskIds = createEvery(service, 1_000, 3);
		service.move(0, 'finished');
		service.move(1, 'failed');
		const sample = await pollerOf(service, { filter: ended }).sample(toItems);
		const event = { event: 'runFailed', task_id: taskIds[1], status: 'failed' };
		expect(sample.items).toEqual([event]);
	});

	it('is looked for no further when the time is up', async () => {
		const service = listOf('newest');
		createEvery(service, 1_000, 12);
		service.move(0, 'finished');
		const hasTime = (): boolean => service.requests < 3;
		const { items } = await pollerOf(service, { filter: ended, hasTime }).sample(toItems);
		expect(items).toEqual([]);
		// The list of each status that fits.
		expect(service.requests).toBe(3);
	});

	it('is of the next run where one cannot be read, until the time is up', async () => {
		const service = listOf('newest');
		const taskIds = createEvery(service, 1_000, 3);
		service.isUnreadable = (index) => index === 2;
		const sample = await pollerOf(service).sample(toItems);
		expect(sample.items).toMatchObject([{ task_id: taskIds[1] }]);

		const before = service.requests;
		const hasTime = (): boolean => service.requests - before < 2;
		const poller = pollerOf(service, { hasTime });
		await expect(poller.sample(toItems)).rejects.toThrow('(HTTP 500)');
	});
});
