import { SlotQueue } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/slotQueue';
import { asleepWith, fallAsleep } from '../ledgerOf';

/** The beginning, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** Moves the clock to so many seconds after the beginning. */
const at = (seconds: number) => jest.setSystemTime(NOW + seconds * SECOND);

const suspended = (executionId: string) => fallAsleep(asleepWith([], { executionId }));

/** A queue in which executions are suspended, by their names. */
class Line {
	readonly queue = new SlotQueue();
	private readonly suspensions = new Map<string, ReturnType<typeof suspended>>();
	private ends = 0;

	/** Suspends one that waits since then, in milliseconds from the beginning. */
	suspend(name: string, since: number, starts = 1, slowUntil?: number): void {
		const suspension = suspended(name);
		this.suspensions.set(name, suspension);
		this.queue.enqueue(name, NOW + since, starts, slowUntil, suspension);
	}

	/** Has so many runs end. @returns who is resumed */
	end(count = 1): string[] {
		const taskIds = Array.from({ length: count }, () => `run-${this.ends++}`);
		this.queue.noteEnds(taskIds);
		return this.resumed();
	}

	resumed(): string[] {
		return this.queue.grantSlots().map(({ executionId }) => executionId);
	}

	/** How many runs one may start now, which began to wait then. */
	allowed(name: string, since?: number): number {
		const queuedAt = since === undefined ? undefined : NOW + since;
		return this.queue.allowedStarts(name, queuedAt);
	}

	/** Has one that was resumed start so many runs, and leave if it has no more to start. */
	start(name: string, count = 1, isLast = true): void {
		this.suspensions.get(name)?.end();
		for (let started = 0; started < count; started++) this.queue.noteStart(name);
		if (isLast) this.queue.dequeue(name);
	}

	/** Has one that was resumed be refused, and suspends it again. */
	refuse(name: string, since: number, starts = 1): void {
		this.queue.noteNoSlot(name);
		this.suspend(name, since, starts);
	}

	/** When it is looked at next, in seconds after the beginning. */
	get nextAt(): number {
		return (this.queue.nextGrantAt() - NOW) / SECOND;
	}
}

const NAMES = ['first', 'second', 'third'];

/** A line of three, which joined in another order than they began to wait. */
function lineOfThree(starts = 1): Line {
	const line = new Line();
	for (const index of [1, 2, 0]) line.suspend(NAMES[index] ?? '', -30 + 10 * index, starts);
	return line;
}

/** A line of so many, by their numbers. */
function lineOf(count: number, slowUntil?: number): Line {
	const line = new Line();
	for (let index = 0; index < count; index++) line.suspend(`${index}`, index, 1, slowUntil);
	return line;
}

it('who has waited longest is first, whenever it joined, and people are told where each stands', () => {
	const { queue } = lineOfThree();
	const places = () => NAMES.map((name) => queue.positionOf(name));
	const waiting = 'Waiting for a free slot of the plan.';
	const [first, second] = NAMES.map((executionId) => queue.describe({ executionId }));
	expect(first).toBe(`${waiting} It is next in line.`);
	expect(second).toBe(`${waiting} Its place in line is 2.`);
	expect(queue.describe({ executionId: 'a stranger' })).toBeUndefined();
	expect(places()).toEqual([1, 2, 3]);
	queue.dequeue('first');
	expect(places()).toEqual([undefined, 1, 2]);
});

describe('the end of a run', () => {
	it('goes to the first for as long as it has starts, also when it was resumed already', () => {
		const line = lineOfThree(3);
		expect(line.end(2)).toEqual(['first']);
		expect(line.allowed('first', -30)).toBe(2);
		expect(line.end(2)).toEqual(['second']);
		expect(NAMES.map((name) => line.allowed(name, -30))).toEqual([3, 1, 0]);
	});

	it('is kept for who joins later, unless nobody waited when it came', () => {
		const line = new Line();
		line.queue.noteEnds(['early']);
		line.suspend('first', 0);
		expect(line.resumed()).toEqual([]);
		expect(line.end(2)).toEqual(['first']);
		line.suspend('second', 1);
		expect(line.nextAt).toBeLessThan(0);
		expect(line.resumed()).toEqual(['second']);
		expect(line.end(2)).toEqual([]);
		for (const name of ['first', 'second']) line.start(name);
		line.suspend('third', 2);
		expect(line.resumed()).toEqual([]);
	});

	it('is for who is awake since it was refused, not for who goes on', () => {
		const line = lineOfThree();
		line.queue.enqueue('all sent', NOW - 45, 0);
		line.queue.enqueue('refused', NOW - 40, 1);
		const suspension = suspended('going on');
		line.queue.enqueue('going on', NOW - 35, 1, 0, suspension);
		suspension.end();
		expect(line.end(3)).toEqual(['first', 'second']);
		expect([line.allowed('refused', -40), line.allowed('going on', -35)]).toEqual([1, 0]);
		expect(line.end(2)).toEqual(['third']);
		for (const name of [...NAMES, 'refused']) line.start(name);
		line.end();
		expect(line.nextAt).toBe(Infinity);
	});

	it('is probed for only by who sleeps', () => {
		const line = new Line();
		line.queue.enqueue('refused', NOW, 1);
		at(30);
		expect(line.allowed('refused', 0)).toBe(0);
		expect(line.nextAt).toBe(Infinity);
		expect(line.resumed()).toEqual([]);
		line.suspend('asleep', 1);
		expect(line.resumed()).toEqual(['asleep']);
	});

	it('is for the next where the first has not used it in twenty seconds, and goes to the end of the line', () => {
		const line = lineOfThree();
		expect(line.end()).toEqual(['first']);
		at(20);
		expect(line.resumed()).toEqual(['second', 'third']);
		expect(line.queue.positionOf('first')).toBe(3);
	});

	it('is for the others where n8n has been resuming the first for twenty seconds', () => {
		const line = lineOf(1);
		const suspension = suspended('held back');
		line.queue.enqueue('held back', NOW - 1, 1, 0, suspension);
		expect(line.end()).toEqual(['held back']);
		suspension.noteClaim({ isAnswered: () => false, mayBeTakenOver: () => false });
		at(20);
		expect(line.resumed()).toEqual(['0']);
		expect(line.queue.positionOf('held back')).toBeUndefined();
		expect(line.allowed('held back', -1)).toBe(Infinity);
	});

	it('is looked for by the next at once where the one that was to probe is gone', () => {
		const line = lineOfThree();
		at(2);
		expect(line.resumed()).toEqual(['first']);
		line.queue.dequeue('first');
		expect(line.resumed()).toEqual(['second']);
	});

	it('is remembered of the last thousand runs', () => {
		const line = lineOfThree(5_000);
		line.end(1_000);
		line.queue.noteEnds(['run-1']);
		expect(line.allowed('first', -30)).toBe(1_000);
		line.end();
		line.queue.noteEnds(['run-1', 'run-0']);
		line.resumed();
		expect(line.allowed('first', -30)).toBe(1_002);
	});
});

describe('the first probes', () => {
	it('after two seconds, and every ten while it is refused', () => {
		const line = lineOfThree();
		const moments: number[] = [];
		for (let second = 0; second <= 40; second += 0.5) {
			at(second);
			if (line.nextAt > second) continue;
			expect(line.resumed()).toEqual(['first']);
			expect(line.allowed('first', -30)).toBe(Infinity);
			moments.push(second);
			line.refuse('first', -30);
		}
		expect(moments).toEqual([2, 12, 22, 32]);
	});

	it('and two more where it was not refused, up to a refusal', () => {
		const line = lineOf(9);
		at(2);
		for (const probing of [['0'], ['1', '2']]) {
			expect(line.resumed()).toEqual(probing);
			for (const name of probing) line.start(name);
		}
		expect(line.resumed()).toEqual(['3', '4', '5', '6']);
		line.start('3');
		for (const name of ['4', '5', '6']) line.refuse(name, Number(name));
		expect(line.resumed()).toEqual([]);
		expect(line.nextAt).toBe(12);
	});

	it('not again at once where it could start some of its runs only', () => {
		const line = lineOfThree(5);
		at(2);
		expect(line.resumed()).toEqual(['first']);
		line.queue.noteNoSlot('first');
		line.start('first', 2, false);
		expect(line.allowed('first', -30)).toBe(0);
		line.suspend('first', -30, 3);
		expect(line.resumed()).toEqual([]);
	});

	it('two seconds after it was refused a slot that should have been free', () => {
		const line = lineOfThree();
		at(2);
		expect(line.resumed()).toEqual(['first']);
		line.refuse('first', -30);
		at(3);
		expect(line.end(5)).toEqual(NAMES);
		line.refuse('first', -30);
		expect(line.nextAt).toBe(5);
	});

	it('not later for somebody who was refused without a slot', () => {
		const line = lineOfThree();
		at(1);
		for (const name of ['second', 'a stranger']) line.queue.noteNoSlot(name);
		expect(line.nextAt).toBe(2);
	});

	it('where another process has resumed one that could start, once more', () => {
		const line = lineOfThree();
		expect(line.resumed()).toEqual([]);
		for (let started = 0; started < 3; started++) line.queue.noteStart('a stranger');
		expect(line.resumed()).toEqual(['first']);
	});

	it('though the clock was set back by hours', () => {
		const line = lineOfThree();
		line.end();
		at(-7_200);
		expect(line.nextAt).toBeLessThanOrEqual(-7_200);
		expect(line.resumed()).toHaveLength(2);
	});

	it('though the clock was set back by hours since the service has asked to slow down', () => {
		const line = lineOf(2, NOW + 10 * SECOND);
		at(-7_200);
		expect(line.nextAt).toBeLessThanOrEqual(-7_200);
		expect(line.resumed()).toHaveLength(2);
	});
});

it.each<[string, string, number | undefined, number]>([
	['is the first may start any number', 'first', -30, Infinity],
	['has not waited longest, none', 'second', -20, 0],
	['has not waited, none', 'a stranger', undefined, 0],
	['was resumed by another process, which had it in line, any', 'a stranger', -5, Infinity],
])('an execution that was granted no slot and %s', (_, name, since, allowed) => {
	expect(lineOfThree().allowed(name, since)).toBe(allowed);
	expect(new Line().allowed(name, since)).toBe(Infinity);
});

describe('where the service asks to slow down', () => {
	it('nothing is started before, and then twenty executions probe', () => {
		const line = lineOf(25, NOW + 10 * SECOND);
		expect(line.nextAt).toBe(10);
		at(9);
		expect(line.end()).toEqual([]);
		expect(line.allowed('0', 0)).toBe(0);
		expect(line.queue.describe({ executionId: '0' })).toContain('asked to slow down (HTTP 429)');
		at(10);
		expect(line.allowed('0', 0)).toBe(Infinity);
		expect(line.resumed()).toHaveLength(21);
	});

	it('the execution that was asked to is told so also later', () => {
		const line = lineOfThree();
		const slowed = { until: NOW, times: 1 };
		expect(line.queue.describe({ executionId: 'first', slowed })).toContain('slow down');
	});

	it('it goes on where it was when it has waited', () => {
		const line = lineOfThree();
		line.end();
		line.suspend('first', -30, 1, NOW + 10 * SECOND);
		line.suspend('second', -20, 1, NOW + 5 * SECOND);
		expect(line.nextAt).toBe(10);
		at(10);
		expect(line.resumed()).toEqual(['first', 'second']);
	});
});
