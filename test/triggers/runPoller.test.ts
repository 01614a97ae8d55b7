import fc from 'fast-check';
import { isTerminal, type RunStatus } from '../../nodes/BrowserAutomation/service/runStatus';
import {
	RunPoller,
	type PolledEvent,
	type RunPollerOptions,
} from '../../nodes/BrowserAutomation/service/runPoller';
import { PollCursor } from '../../nodes/BrowserAutomation/service/pollCursor';
import { broken, ListedService, type ListOrder } from './listedService';

const ALL_EVENTS: RunPollerOptions['filter'] = {
	events: ['runStarted', 'runStatusChanged', 'runCompleted'],
	statuses: [],
};

/** What happens: to the service's runs, to n8n, or to a poll. */
type Step =
	| { do: 'create'; count: number; delayMs: number }
	| { do: 'move'; which: number; status: RunStatus }
	| { do: 'pass'; ms: number }
	| {
			do: 'poll';
			breaksAt: number | undefined;
			requests: number;
			meanwhile: number;
			/** Which third of the runs cannot be read during this poll. */
			unreadable: number | undefined;
	  }
	| { do: 'restart' };

const moves: RunStatus[] = ['running', 'pausing', 'paused', 'finished', 'failed', 'canceled'];

const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant('create' as const),
			count: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 30 })),
			delayMs: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30_000 })),
		}),
	},
	{
		weight: 6,
		arbitrary: fc.record({
			do: fc.constant('move' as const),
			which: fc.nat(),
			status: fc.constantFrom(...moves),
		}),
	},
	{
		weight: 3,
		arbitrary: fc.record({
			do: fc.constant('pass' as const),
			ms: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 300_000 })),
		}),
	},
	{
		weight: 4,
		arbitrary: fc.record({
			do: fc.constant('poll' as const),
			breaksAt: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
			requests: fc.integer({ min: 1, max: 40 }),
			meanwhile: fc.integer({ min: 0, max: 4 }),
			unreadable: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

function pollerOf(service: ListedService, hasTime: () => boolean = () => true): RunPoller {
	return new RunPoller({ client: service.client, filter: ALL_EVENTS, hasTime });
}

async function activate(service: ListedService): Promise<PollingN8n> {
	return new PollingN8n(service, await pollerOf(service).begin(undefined, NOW));
}

/** An n8n that polls: it keeps the cursor in memory, and stores it when a poll brings something. */
class PollingN8n {
	readonly events: PolledEvent[] = [];
	private stored: string;

	constructor(
		private readonly service: ListedService,
		private cursor: PollCursor,
	) {
		this.stored = JSON.stringify(cursor.write());
	}

	get storedSize(): number {
		return this.stored.length;
	}

	async poll(requests: number, breaksAt?: number): Promise<void> {
		const before = this.service.requests;
		const move = this.service.beforeAnswer;
		this.service.beforeAnswer = () => {
			move();
			if (this.service.requests - before === breaksAt) throw broken();
		};
		const hasTime = (): boolean => this.service.requests - before < requests;
		try {
			const { cursor, events } = await pollerOf(this.service, hasTime).poll(this.cursor);
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
		const cursor = PollCursor.read(JSON.parse(this.stored));
		if (cursor === undefined) throw new Error('The stored cursor cannot be read');
		this.cursor = cursor;
	}
}

interface History {
	order: ListOrder;
	/** How far the service's clock is ahead of n8n's. */
	skewMs: number;
	early: Step[];
	steps: Step[];
}

const history: fc.Arbitrary<History> = fc.record({
	order: fc.constantFrom<ListOrder>('newest', 'oldest', 'none'),
	skewMs: fc.integer({ min: -86_000_000, max: 86_000_000 }),
	early: fc.array(step, { maxLength: 20 }),
	steps: fc.array(step, { minLength: 5, maxLength: 80 }),
});

const NOW = Date.parse('2026-03-01T10:00:00Z');

function change(service: ListedService, event: Step): void {
	if (event.do === 'create') {
		for (let count = 0; count < event.count; count++) service.create(event.delayMs);
	} else if (event.do === 'move') {
		service.move(event.which % Math.max(1, service.runs.length), event.status);
	} else if (event.do === 'pass') {
		service.clock += event.ms;
	}
}

async function live({ order, skewMs, early, steps }: History) {
	const service = new ListedService({ order, clock: NOW + skewMs, pageSize: 4 });
	for (const event of early)
		change(service, event.do === 'create' ? { ...event, delayMs: 0 } : event);
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
			continue;
		}
		const meanwhile = steps.splice(index + 1, event.meanwhile);
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
		await n8n.poll(Infinity);
	}
	return { service, n8n, old, overBefore };
}

function told(n8n: PollingN8n, name: string): string[] {
	return n8n.events
		.filter(({ event }) => event.event === name)
		.map(({ event }) => event.taskId)
		.sort();
}

describe('polling the list of runs', () => {
	it('tells every run that began and every run that ended exactly once', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (past) => {
				const { service, n8n, old, overBefore } = await live(past);
				const fresh = service.runs.filter(({ taskId }) => !old.has(taskId));
				const ended = service.runs.filter(
					({ taskId, status }) => isTerminal(status) && !overBefore.has(taskId),
				);
				expect(told(n8n, 'runStarted')).toEqual(fresh.map(({ taskId }) => taskId).sort());
				expect(told(n8n, 'runCompleted')).toEqual(ended.map(({ taskId }) => taskId).sort());
			}),
			{ numRuns: 250 },
		);
	}, 120_000);

	it('tells of a status only when it is another than before, and of the last one in any case', async () => {
		await fc.assert(
			fc.asyncProperty(history, async (past) => {
				const { service, n8n, overBefore } = await live(past);
				const last = new Map<string, RunStatus>();
				for (const { event } of n8n.events) {
					if (event.event !== 'runStatusChanged') continue;
					expect(event.status).not.toBe(last.get(event.taskId));
					expect(event.status).not.toBe('created');
					expect([undefined, event.previousStatus]).toContain(last.get(event.taskId));
					last.set(event.taskId, event.status);
				}
				for (const { taskId, status } of service.runs) {
					if (overBefore.has(taskId) || status === 'created') continue;
					if (last.has(taskId)) expect(last.get(taskId)).toBe(status);
				}
			}),
			{ numRuns: 200 },
		);
	}, 120_000);

	it('loses no run when others vanish from the list while it is read', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 4 });
		const n8n = await activate(service);
		for (let count = 0; count < 8; count++) {
			service.create();
			service.clock += 10;
		}
		let pages = 0;
		service.beforeAnswer = () => {
			if (++pages === 3) service.runs.splice(-2);
		};
		await n8n.poll(Infinity);
		expect(told(n8n, 'runStarted')).toHaveLength(8);
	});

	it('tells of the others while one run cannot be read, and of that one when it can', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 4 });
		const n8n = await activate(service);
		const taskIds = Array.from({ length: 20 }, () => service.create());
		service.isUnreadable = (index) => index === 3;
		await n8n.poll(Infinity);
		service.clock += 600_000;
		taskIds.push(service.create());
		for (let polls = 0; polls < 3; polls++) await n8n.poll(Infinity);
		expect(told(n8n, 'runStarted')).toEqual(taskIds.filter((_, index) => index !== 3));
		n8n.restart();

		service.move(3, 'finished');
		service.isUnreadable = () => false;
		await n8n.poll(Infinity);
		expect(told(n8n, 'runStarted')).toEqual(taskIds);
		expect(told(n8n, 'runCompleted')).toEqual([taskIds[3]]);
	});

	it('loses no change of a run whose status cannot be read for a while', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 4 });
		const taskId = service.create();
		const n8n = await activate(service);
		service.clock += 600_000;
		service.create();
		service.move(0, 'running');
		await n8n.poll(Infinity);
		service.isUnreadable = (index) => index === 0;
		service.move(0, 'finished');
		await n8n.poll(Infinity);
		service.isUnreadable = () => false;
		await n8n.poll(Infinity);

		const [last] = n8n.events.slice(-1);
		expect(last?.event).toEqual({
			event: 'runCompleted',
			taskId,
			status: 'finished',
			previousStatus: 'running',
		});
	});

	it('goes on hearing of runs after one whose date lies in the far future', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 4 });
		const n8n = await activate(service);
		const taskIds = [service.create()];
		service.clock = Date.parse('9000-01-01T00:00:00Z');
		taskIds.push(service.create());
		await n8n.poll(Infinity);
		service.clock = NOW + 600_000;
		taskIds.push(service.create());
		service.clock = Date.parse('9000-01-01T00:00:01Z');
		for (let polls = 0; polls < 3; polls++) await n8n.poll(Infinity);

		expect(told(n8n, 'runStarted')).toEqual(taskIds);
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
		const poller = new RunPoller({ client, filter: ALL_EVENTS, hasTime: () => true });
		const { events } = await poller.poll(await poller.begin(undefined, NOW));

		expect(events.length).toBeLessThanOrEqual(1_000);
	});

	it('keeps little, however many runs there are', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 100 });
		const n8n = await activate(service);
		for (let minute = 0; minute < 10; minute++) {
			for (let count = 0; count < 300; count++) {
				service.create();
				service.move(service.runs.length - 1, 'finished');
				service.clock += 200;
			}
			await n8n.poll(Infinity);
		}
		for (let polls = 0; polls < 10; polls++) await n8n.poll(Infinity);

		expect(told(n8n, 'runCompleted')).toHaveLength(3_000);
		expect(new Set(told(n8n, 'runCompleted')).size).toBe(3_000);
		expect(n8n.storedSize).toBeLessThan(20_000);
	}, 60_000);

	it('asks for one page while nothing happens', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 100 });
		for (let count = 0; count < 1_000; count++) {
			service.create();
			service.move(count, 'finished');
			service.clock += 60_000;
		}
		const n8n = await activate(service);
		const before = service.requests;
		await n8n.poll(Infinity);
		expect(service.requests - before).toBe(1);
		expect(n8n.events).toEqual([]);
	});
});
