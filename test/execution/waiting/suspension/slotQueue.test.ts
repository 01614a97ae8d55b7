import { SlotQueue } from '../../../../nodes/BrowserAutomation/execution/waiting/suspension/slotQueue';

/** The beginning, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** The IDs of so many runs. */
const runs = (count: number) => Array.from({ length: count }, (_, index) => `run-${index}`);

/** Has the list tell that so many of our own runs go on. */
function read(queue: SlotQueue, running: number | undefined, known = runs(running ?? 0)): void {
	const listed = new Set(runs(running ?? 0));
	queue.recordList(
		{ count: running, taskIds: listed },
		new Map(known.map((id) => [id, 'created'])),
	);
}

/** Gives slots some seconds after the beginning, where so many runs go on. */
function give(queue: SlotQueue, running: number | undefined, seconds = 0): Record<string, number> {
	read(queue, running);
	const grants = queue.grantSlots(NOW + seconds * SECOND);
	return Object.fromEntries(grants.map(({ executionId, slots }) => [executionId, slots]));
}

/** A line of three, which joined in another order than they began to wait. */
function lineOfThree(starts = 1): SlotQueue {
	const queue = new SlotQueue();
	queue.enqueue('second', NOW - 20, starts);
	queue.enqueue('third', NOW - 10, starts);
	queue.enqueue('first', NOW - 30, starts);
	return queue;
}

const places = (queue: SlotQueue) => ['first', 'second', 'third'].map((id) => queue.positionOf(id));

it('who has waited longest is first, whenever it joined', () => {
	const queue = lineOfThree();
	expect(places(queue)).toEqual([1, 2, 3]);
	expect(queue.positionOf('a stranger')).toBeUndefined();
	queue.dequeue('first');
	expect(places(queue)).toEqual([undefined, 1, 2]);
	for (const executionId of ['second', 'third']) {
		expect(queue.isEmpty).toBe(false);
		queue.dequeue(executionId);
	}
	expect(queue.isEmpty).toBe(true);
});

it('tells people where an execution stands, and what is known of the plan', () => {
	const queue = lineOfThree();
	const waiting = 'Waiting for a free slot of the plan.';
	expect(queue.describe('first')).toBe(`${waiting} It is next in line.`);
	expect(queue.describe('third')).toBe(`${waiting} Its place in line is 3.`);
	expect(queue.describe('a stranger')).toBeUndefined();
	queue.enqueue('second', NOW - 20, 1);
	queue.raiseCapacity(4);
	expect(queue.describe('third')).toContain('the plan runs at least 4 at a time.');
	give(queue, 5);
	expect(queue.describe('third')).toBe(
		`${waiting} Its place in line is 3; the plan runs 5 at a time.`,
	);
});

describe('slots', () => {
	it.each<[string, number, Array<[running: number, seconds: number, given: object]>]>([
		[
			'are free where fewer runs go on than the most seen',
			1,
			[
				[3, 0, {}],
				[2, 0, { first: 1 }],
			],
		],
		[
			'go to the first, as many as it has starts, and what is left to those behind it',
			2,
			[
				[3, 0, {}],
				[0, 0, { first: 2, second: 1 }],
			],
		],
		[
			'are not given twice while the one that was given them has not started its runs',
			1,
			[
				[2, 0, {}],
				[1, 0, { first: 1 }],
				[1, 2, {}],
				[0, 4, { second: 1 }],
			],
		],
	])('%s', (_, starts, steps) => {
		const queue = lineOfThree(starts);
		expect(queue.capacity).toBeUndefined();
		for (const [running, seconds, given] of steps) {
			expect(give(queue, running, seconds)).toEqual(given);
		}
		expect(queue.capacity).toBe(steps[0]?.[0]);
	});

	it('are free also where the most that were started at once were not seen, as they ended too soon', () => {
		const queue = lineOfThree();
		queue.enqueue('first', NOW - 30, 5);
		queue.raiseCapacity(2);
		expect(queue.capacity).toBe(2);
		expect(give(queue, 1)).toEqual({ first: 1 });
		queue.enqueue('first', NOW - 30, 4);
		queue.raiseCapacity(1);
		expect(give(queue, 0, 2)).toEqual({ first: 2 });
	});

	it('pass by who did not take its own for twenty seconds, which goes to the end of the line', () => {
		const queue = lineOfThree();
		give(queue, 1);
		expect(give(queue, 0)).toEqual({ first: 1 });
		expect(give(queue, 0, 19)).toEqual({});
		expect(give(queue, 0, 20)).toEqual({ second: 1 });
		expect(places(queue)).toEqual([3, 1, 2]);
	});

	it('are not free where runs of ours were created that are not running yet', () => {
		const queue = lineOfThree();
		give(queue, 3);
		read(queue, 1, ['run-0', 'created-1', 'created-2']);
		expect(queue.grantSlots(NOW)).toEqual([]);
		read(queue, 1, ['run-0', 'created-1']);
		expect(queue.grantSlots(NOW)).toMatchObject([{ executionId: 'first' }]);
	});

	it('are free where runs of ours are listed no more', () => {
		const queue = lineOfThree();
		give(queue, 3);
		const open = new Map(runs(3).map((id) => [id, 'running' as const]));
		queue.recordList({ count: 1, taskIds: new Set(runs(1)) }, open);
		expect(queue.grantSlots(NOW)).toHaveLength(2);
	});

	it('are given again to one that sleeps again where it was, with what it could not start', () => {
		const queue = lineOfThree();
		give(queue, 1);
		give(queue, 0);
		queue.recordLimitMet('first');
		queue.enqueue('first', NOW - 30, 1);
		expect(places(queue)).toEqual([1, 2, 3]);
		give(queue, 1, 2);
		expect(give(queue, 0, 2)).toEqual({ first: 1 });
	});

	it('are one less where a start was refused that should have had one, and the former number is shown until that is sure', () => {
		const queue = lineOfThree();
		give(queue, 3);
		give(queue, 2);
		queue.recordLimitMet('first');
		queue.enqueue('first', NOW - 30, 1);
		expect(queue.capacity).toBe(2);
		expect(queue.describe('first')).toContain('runs 3 at a time');
		expect(give(queue, 2, 4)).toEqual({});
		expect(give(queue, 2, 5)).toEqual({ first: 1 });
		queue.recordLimitMet('first');
		expect(queue.capacity).toBe(2);
		expect(queue.describe('first')).toContain('runs 2 at a time');
	});

	it('are as many as before at once where as many are seen to go on', () => {
		const queue = lineOfThree();
		give(queue, 3);
		give(queue, 2);
		queue.recordLimitMet('first');
		queue.enqueue('first', NOW - 30, 1);
		expect(give(queue, 3, 2)).toEqual({});
		expect(queue.capacity).toBe(3);
		expect(give(queue, 3, 29)).toEqual({});
	});

	it('are not thought fewer where somebody is refused who was given none', () => {
		const queue = lineOfThree();
		give(queue, 3);
		for (const executionId of ['first', 'a stranger']) queue.recordLimitMet(executionId);
		expect(queue.capacity).toBe(3);
	});

	it('are taken by runs that were just started, before the list shows them', () => {
		const queue = lineOfThree();
		give(queue, 2);
		queue.recordStarts(['new']);
		read(queue, 1, runs(1));
		expect(queue.grantSlots(NOW)).toEqual([]);
		expect(queue.recordEnds(['new'])).toBe(true);
		expect(queue.grantSlots(NOW)).toMatchObject([{ executionId: 'first' }]);
	});

	it('are free also while another tries its luck', () => {
		const queue = lineOfThree();
		give(queue, 3);
		expect(give(queue, 3, 30)).toEqual({ first: 1 });
		expect(give(queue, 2, 31)).toEqual({ second: 1 });
	});

	it('stay as many where the service no longer tells how many runs go on', () => {
		const queue = lineOfThree();
		give(queue, 3);
		give(queue, undefined);
		expect(queue.capacity).toBe(3);
	});

	it('are in doubt until as many as before are seen', () => {
		const queue = lineOfThree();
		give(queue, 5);
		for (const running of [4, 3]) {
			give(queue, running);
			queue.recordLimitMet('first');
			queue.enqueue('first', NOW - 30, 1);
		}
		give(queue, 4);
		expect(queue.capacity).toBe(4);
		expect(queue.describe('first')).toContain('runs 5 at a time');
	});

	it('are those of our own runs that ended where the service does not tell how many go on', () => {
		const queue = lineOfThree();
		read(queue, undefined, ['a', 'b']);
		expect(give(queue, undefined)).toEqual({});
		expect([['a', 'c'], ['b'], ['a', 'b']].map((ended) => queue.recordEnds(ended))).toEqual([
			true,
			true,
			false,
		]);
		expect(give(queue, undefined)).toEqual({ first: 1, second: 1 });
		expect(give(queue, undefined, 2)).toEqual({});
	});
});

it('one that leaves hastens the next try only where its own succeeded', () => {
	const queue = lineOfThree();
	give(queue, 3);
	queue.dequeue('third');
	expect(give(queue, 3, 29)).toEqual({});
	expect(give(queue, 3, 30)).toEqual({ first: 1 });
	jest.setSystemTime(NOW + 30 * SECOND);
	queue.dequeue('first');
	expect(give(queue, 3, 34)).toEqual({});
	expect(give(queue, 3, 35)).toEqual({ second: 1 });
});

describe('the list of running runs is read', () => {
	/** When it is read next after it was just read, in milliseconds from then. */
	function pause(queue: SlotQueue, maxAge?: number): number {
		queue.recordReadBegun();
		return queue.nextReadAt(maxAge) - NOW;
	}

	it('at once where somebody begins to wait, and never where nobody does', () => {
		expect(new SlotQueue().nextReadAt()).toBe(Infinity);
		const queue = lineOfThree();
		expect(queue.nextReadAt()).toBeLessThan(NOW);
		queue.recordReadBegun();
		for (const executionId of ['first', 'second', 'third']) queue.dequeue(executionId);
		queue.enqueue('later', NOW, 1);
		expect(queue.nextReadAt()).toBeLessThan(NOW);
	});

	it('every two seconds, twice a minute where all runs are known and how many the plan allows', () => {
		const queue = lineOfThree();
		expect(pause(queue)).toBe(2 * SECOND);
		read(queue, 3);
		expect(pause(queue)).toBe(30 * SECOND);
		expect(pause(queue, 400)).toBe(400);
		read(queue, 4, runs(3));
		expect(pause(queue)).toBe(2 * SECOND);
		read(queue, undefined);
		expect(pause(queue)).toBe(2 * SECOND);
	});

	it('every two seconds while it is in doubt how many the plan allows, and when the first tries its luck', () => {
		const queue = lineOfThree();
		give(queue, 3);
		jest.setSystemTime(NOW + 10 * SECOND);
		expect(pause(queue)).toBe(30 * SECOND);
		give(queue, 2);
		queue.recordLimitMet('first');
		read(queue, 2);
		expect(pause(queue)).toBe(12 * SECOND);
	});

	it('not before the time that the service asks for', () => {
		const queue = new SlotQueue();
		queue.enqueue('first', NOW, 1, NOW + 10 * SECOND);
		expect(pause(queue)).toBe(10 * SECOND);
	});
});

describe('an execution that comes to start runs', () => {
	it('may start any number while nobody waits, and none while others do, if it has not waited', () => {
		expect(new SlotQueue().allowedStarts('new', undefined, NOW)).toBe(Infinity);
		expect(lineOfThree().allowedStarts('new', undefined, NOW)).toBe(0);
	});

	it('may start none while one is before it, and one when it is the first, which nobody gave a slot', () => {
		const queue = lineOfThree();
		expect(queue.allowedStarts('second', NOW - 20, NOW)).toBe(0);
		expect(queue.allowedStarts('first', NOW - 30, NOW)).toBe(1);
	});

	it('may start what it was given, wherever it stands', () => {
		const queue = lineOfThree(2);
		give(queue, 3);
		give(queue, 0);
		expect(queue.allowedStarts('first', NOW - 30, NOW)).toBe(2);
		expect(queue.allowedStarts('second', NOW - 20, NOW)).toBe(1);
		expect(queue.allowedStarts('third', NOW - 10, NOW)).toBe(0);
	});

	it('may start none of what was given to another that has not started its runs', () => {
		const queue = lineOfThree();
		give(queue, 1);
		give(queue, 0);
		expect(queue.allowedStarts('even earlier', NOW - 40, NOW)).toBe(0);
		expect(queue.allowedStarts('even earlier', NOW - 40, NOW + 20 * SECOND)).toBe(Infinity);
	});

	it('may no more start what it was given twenty seconds ago while one is before it', () => {
		const queue = lineOfThree();
		give(queue, 2);
		give(queue, 0);
		expect(queue.allowedStarts('second', NOW - 20, NOW + 19 * SECOND)).toBe(1);
		expect(queue.allowedStarts('second', NOW - 20, NOW + 20 * SECOND)).toBe(0);
	});
});

describe('where no slot is free as far as is known, the first tries its luck', () => {
	/** When it is let try, in seconds, if a start is refused each time. */
	function tries(queue: SlotQueue, within: number): number[] {
		const moments: number[] = [];
		for (let second = 0; second <= within; second += 1) {
			const given = give(queue, 3, second);
			if (Object.keys(given).length === 0) continue;
			expect(given).toEqual({ first: 1 });
			moments.push(second);
			queue.recordLimitMet('first');
			queue.enqueue('first', NOW - 30, 5);
		}
		return moments;
	}

	it('after half a minute, then every minute and a half', () => {
		const moments = tries(lineOfThree(5), 400);
		expect(moments).toEqual([30, 90, 180, 270, 360]);
	});

	it('not before half a minute of waiting has gone by, however long nobody waited', () => {
		const queue = new SlotQueue();
		jest.setSystemTime(NOW + 600 * SECOND);
		queue.enqueue('first', NOW + 600 * SECOND, 1);
		expect(give(queue, 3, 629)).toEqual({});
		expect(give(queue, 3, 630)).toEqual({ first: 1 });
	});
});

describe('in a line that stays busy', () => {
	/** What becomes of starts after so many seconds. */
	interface Plan {
		slotsAt(second: number): number;
		/** How many starts are refused although a slot is free, as it came free a moment late. */
		refusals?: number;
	}

	/** Runs of eight seconds, polled every second. @returns how many went on each second */
	function play(seconds: number, { slotsAt, refusals = 0 }: Plan) {
		const queue = new SlotQueue();
		for (let index = 0; index < 900; index++) queue.enqueue(`e${index}`, NOW + index, 1);
		let ends = [3, 6, 8];
		let refusalsLeft = refusals;
		let asked = 0;
		const going: number[] = [];
		for (let second = 0; second < seconds; second++) {
			jest.setSystemTime(NOW + second * SECOND);
			ends = ends.filter((end) => end > second);
			read(queue, ends.length);
			for (const { executionId, queuedAt } of queue.grantSlots(Date.now())) {
				asked++;
				const isLate = second > 8 && refusalsLeft-- > 0;
				if (!isLate && ends.length < slotsAt(second)) {
					queue.dequeue(executionId);
					ends.push(second + 8);
					continue;
				}
				queue.recordLimitMet(executionId);
				queue.enqueue(executionId, queuedAt, 1);
			}
			going.push(ends.length);
		}
		return { queue, going, asked };
	}

	it.each([0, 1, 2, 3])(
		'all three slots are used half a minute after %i refused starts',
		(refusals) => {
			const { queue, going, asked } = play(600, { slotsAt: () => 3, refusals });
			const used = going.slice(40).reduce((sum, count) => sum + count, 0) / (3 * 560);
			expect(used).toBeGreaterThan(0.98);
			expect(queue.capacity).toBe(3);
			expect(queue.describe('e899')).toContain('runs 3 at a time');
			expect(asked).toBeLessThan(225 + refusals + 15);
		},
	);

	it.each([60, 100, 185])(
		'a plan that grows from three to five after %i s is noticed within two minutes',
		(grows) => {
			const { queue, going } = play(600, { slotsAt: (second) => (second < grows ? 3 : 5) });
			expect(going.indexOf(5)).toBeLessThan(grows + 120);
			expect(Math.min(...going.slice(grows + 130))).toBeGreaterThanOrEqual(4);
			expect(queue.capacity).toBe(5);
		},
	);

	it('a plan that shrinks from five to two is noticed at the first starts that are refused', () => {
		const { queue, asked } = play(600, { slotsAt: (second) => (second < 200 ? 5 : 2) });
		expect(queue.capacity).toBe(2);
		expect(asked).toBeLessThan((200 * 5) / 8 + (400 * 2) / 8 + 30);
	});
});

describe('where the service asks to slow down', () => {
	it('nothing is given before, and then all that waits for nothing else', () => {
		const queue = new SlotQueue();
		queue.enqueue('first', NOW, 5, NOW + 10 * SECOND);
		queue.raiseCapacity(7);
		queue.enqueue('second', NOW + 1, 1);
		expect(give(queue, 7, 9)).toEqual({});
		expect(queue.allowedStarts('first', NOW, NOW + 9 * SECOND)).toBe(0);
		expect(queue.describe('first')).toContain('asked to slow down (HTTP 429)');
		expect(queue.allowedStarts('first', NOW, NOW + 10 * SECOND)).toBe(1);
		expect(give(queue, 7, 10)).toEqual({ first: 5, second: 1 });
		queue.recordLimitMet('first');
		expect(queue.capacity).toBeUndefined();
	});

	it('twenty start at once after that', () => {
		const queue = new SlotQueue();
		for (const [index, id] of ['first', 'second', 'third'].entries()) {
			queue.enqueue(id, NOW + index, 12, NOW + SECOND);
		}
		expect(give(queue, 7, 1)).toEqual({ first: 12, second: 8 });
		expect(give(queue, 7, 2)).toEqual({});
	});

	it('what is known of the plan stays so', () => {
		const queue = lineOfThree();
		give(queue, 3);
		give(queue, 2);
		queue.enqueue('first', NOW - 30, 1, NOW + 10 * SECOND);
		expect(queue.capacity).toBe(3);
		expect(give(queue, 2, 9)).toEqual({});
		expect(queue.describe('first')).toContain('asked to slow down (HTTP 429)');
		jest.setSystemTime(NOW + 10 * SECOND);
		expect(queue.describe('first')).toContain('free slot');
		expect(give(queue, 1, 10)).toEqual({ first: 1, second: 1 });
	});
});
