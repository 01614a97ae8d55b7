import fc from 'fast-check';
import { isTerminal, type RunStatus } from '../../nodes/BrowserAutomation/service/runStatus';
import {
	beginWatch,
	pollRuns,
	type Sighting,
	type Watching,
} from '../../nodes/BrowserAutomation/service/runPoller';
import { PollCursor } from '../../nodes/BrowserAutomation/service/pollCursor';
import { broken, ListedService, type ListOrder } from './listedService';

const ALL_EVENTS: Watching['filter'] = {
	events: ['runStarted', 'runStatusChanged', 'runCompleted'],
	statuses: [],
};

/** What happens: to the service's runs, to n8n, or to a poll. */
type Step =
	| { do: 'create'; count: number; delayMs: number }
	| { do: 'move'; which: number; status: RunStatus }
	| { do: 'pass'; ms: number }
	| { do: 'poll'; breaksAt: number | undefined; requests: number; meanwhile: number }
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
		}),
	},
	{ weight: 1, arbitrary: fc.record({ do: fc.constant('restart' as const) }) },
);

/** An n8n that polls: it keeps the state in memory, and stores it when a poll brings something. */
class PollingN8n {
	readonly sightings: Sighting[] = [];
	private stored: string;

	constructor(
		private readonly service: ListedService,
		private state: PollCursor,
	) {
		this.stored = JSON.stringify(state.write());
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
		const watching: Watching = {
			client: this.service.client,
			filter: ALL_EVENTS,
			hasTime: () => this.service.requests - before < requests,
		};
		try {
			const { state, sightings } = await pollRuns(watching, this.state);
			this.state = state;
			this.sightings.push(...sightings);
			if (sightings.length > 0) this.stored = JSON.stringify(state.write());
		} catch (error) {
			if (breaksAt === undefined) throw error;
		} finally {
			this.service.beforeAnswer = move;
		}
	}

	restart(): void {
		const state = PollCursor.read(JSON.parse(this.stored));
		if (state === undefined) throw new Error('The stored state cannot be read');
		this.state = state;
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
	const watching = { client: service.client, filter: ALL_EVENTS, hasTime: () => true };
	const n8n = new PollingN8n(service, await beginWatch(watching, undefined, NOW));
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
		await n8n.poll(event.requests, event.breaksAt);
		service.beforeAnswer = () => {};
	}
	service.clock += 31_000;
	for (let polls = 0, before = -1; before !== n8n.sightings.length || polls < 3; polls++) {
		if (polls > 300) throw new Error('It never comes to an end');
		before = n8n.sightings.length;
		await n8n.poll(Infinity);
	}
	return { service, n8n, old, overBefore };
}

function told(n8n: PollingN8n, name: string): string[] {
	return n8n.sightings
		.filter(({ event }) => event.event === name)
		.map(({ event }) => event.taskId)
		.sort();
}

describe('watching the list of runs', () => {
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
				for (const { event } of n8n.sightings) {
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
		const watching = { client: service.client, filter: ALL_EVENTS, hasTime: () => true };
		const n8n = new PollingN8n(service, await beginWatch(watching, undefined, NOW));
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

	it('keeps little, however many runs there are', async () => {
		const service = new ListedService({ order: 'newest', clock: NOW, pageSize: 100 });
		const watching = { client: service.client, filter: ALL_EVENTS, hasTime: () => true };
		const n8n = new PollingN8n(service, await beginWatch(watching, undefined, NOW));
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
		const watching = { client: service.client, filter: ALL_EVENTS, hasTime: () => true };
		const n8n = new PollingN8n(service, await beginWatch(watching, undefined, NOW));
		const before = service.requests;
		await n8n.poll(Infinity);
		expect(service.requests - before).toBe(1);
		expect(n8n.sightings).toEqual([]);
	});
});
