import { SlotLine } from '../../../../nodes/BrowserAutomation/execution/waiting/sleep/line';

/** The beginning, in milliseconds since 1970. */
const NOW = 1_700_000_000_000;

const SECOND = 1_000;

beforeEach(() => jest.useFakeTimers({ now: NOW }));
afterEach(() => jest.useRealTimers());

/** Gives slots some seconds after the beginning. */
function give(line: SlotLine, running: number | undefined, seconds = 0): Record<string, number> {
	const grants = line.give(running, 0, NOW + seconds * SECOND);
	return Object.fromEntries(grants.map(({ executionId, slots }) => [executionId, slots]));
}

/** A line of three, which joined in another order than they began to wait. */
function lineOfThree(starts = 1): SlotLine {
	const line = new SlotLine();
	line.join('second', NOW - 20, starts);
	line.join('third', NOW - 10, starts);
	line.join('first', NOW - 30, starts);
	return line;
}

const places = (line: SlotLine) => ['first', 'second', 'third'].map((id) => line.placeOf(id));

it('who has waited longest is first, whenever it joined', () => {
	const line = lineOfThree();
	expect(places(line)).toEqual([1, 2, 3]);
	expect(line.placeOf('a stranger')).toBeUndefined();
	line.leave('first');
	expect(places(line)).toEqual([undefined, 1, 2]);
	for (const executionId of ['second', 'third']) {
		expect(line.isEmpty).toBe(false);
		line.leave(executionId);
	}
	expect(line.isEmpty).toBe(true);
});

it('tells people where an execution stands, and what is known of the plan', () => {
	const line = lineOfThree();
	const waiting = 'Waiting for a free slot of the plan.';
	expect(line.describe('first')).toBe(`${waiting} It is next in line.`);
	expect(line.describe('third')).toBe(`${waiting} Its place in line is 3.`);
	expect(line.describe('a stranger')).toBeUndefined();
	give(line, 5);
	expect(line.describe('third')).toBe(
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
		const line = lineOfThree(starts);
		expect(line.capacity).toBeUndefined();
		for (const [running, seconds, given] of steps) {
			expect(give(line, running, seconds)).toEqual(given);
		}
		expect(line.capacity).toBe(steps[0]?.[0]);
	});

	it('are free also where the most that were started at once were not seen, as they ended too soon', () => {
		const line = lineOfThree();
		line.join('first', NOW - 30, 5, 2);
		expect(line.capacity).toBeUndefined();
		expect(give(line, 1)).toEqual({ first: 1 });
		line.join('first', NOW - 30, 4, 1);
		expect(give(line, 0, 2)).toEqual({ first: 2 });
		line.refuse();
		line.join('first', NOW - 30, 4);
		expect(give(line, 0, 4)).toEqual({});
	});

	it('pass by who did not take its own for twenty seconds, which goes to the end of the line', () => {
		const line = lineOfThree();
		give(line, 1);
		expect(give(line, 0)).toEqual({ first: 1 });
		expect(give(line, 0, 19)).toEqual({});
		expect(give(line, 0, 20)).toEqual({ second: 1 });
		expect(places(line)).toEqual([3, 1, 2]);
	});

	it('are not free where runs of ours were created that are not running yet', () => {
		const line = lineOfThree();
		give(line, 3);
		expect(line.give(1, 2, NOW)).toEqual([]);
		expect(line.give(1, 1, NOW)).toMatchObject([{ executionId: 'first' }]);
	});

	it('are given again to one that sleeps again where it was, with what it could not start', () => {
		const line = lineOfThree();
		give(line, 1);
		give(line, 0);
		line.refuse();
		line.join('first', NOW - 30, 1);
		expect(places(line)).toEqual([1, 2, 3]);
		give(line, 1, 2);
		expect(give(line, 0, 2)).toEqual({ first: 1 });
	});

	it('of what is believed are forgotten when a start was refused', () => {
		const line = lineOfThree();
		give(line, 5);
		line.refuse();
		expect(line.capacity).toBeUndefined();
		expect(give(line, 2)).toEqual({});
		expect(line.capacity).toBe(2);
		expect(give(line, 1)).toEqual({ first: 1 });
	});

	it('are those of our own runs that ended where the service does not tell how many go on', () => {
		const line = lineOfThree();
		expect(give(line, undefined)).toEqual({});
		line.end(1);
		line.end(1);
		expect(give(line, undefined)).toEqual({ first: 1, second: 1 });
		expect(give(line, undefined, 2)).toEqual({});
	});
});

describe('an execution that comes to start runs', () => {
	it('may start any number while nobody waits, and none while others do, if it has not waited', () => {
		expect(new SlotLine().allowed('new', undefined, NOW)).toBe(Infinity);
		expect(lineOfThree().allowed('new', undefined, NOW)).toBe(0);
	});

	it('may start none while one is before it, and one when it is the first, which nobody gave a slot', () => {
		const line = lineOfThree();
		expect(line.allowed('second', NOW - 20, NOW)).toBe(0);
		expect(line.allowed('first', NOW - 30, NOW)).toBe(1);
	});

	it('may start what it was given, wherever it stands', () => {
		const line = lineOfThree(2);
		give(line, 3);
		give(line, 0);
		expect(line.allowed('first', NOW - 30, NOW)).toBe(2);
		expect(line.allowed('second', NOW - 20, NOW)).toBe(1);
		expect(line.allowed('third', NOW - 10, NOW)).toBe(0);
	});

	it('may start none of what was given to another that has not started its runs', () => {
		const line = lineOfThree();
		give(line, 1);
		give(line, 0);
		expect(line.allowed('even earlier', NOW - 40, NOW)).toBe(0);
		expect(line.allowed('even earlier', NOW - 40, NOW + 20 * SECOND)).toBe(Infinity);
	});

	it('may no more start what it was given twenty seconds ago while one is before it', () => {
		const line = lineOfThree();
		give(line, 2);
		give(line, 0);
		expect(line.allowed('second', NOW - 20, NOW + 19 * SECOND)).toBe(1);
		expect(line.allowed('second', NOW - 20, NOW + 20 * SECOND)).toBe(0);
	});
});

describe('where no slot is free as far as is known, the first tries its luck', () => {
	/** When it is let try, in seconds, if a start is refused each time. */
	function tries(line: SlotLine, within: number): number[] {
		const moments: number[] = [];
		for (let second = 0; second <= within; second += 1) {
			const given = give(line, 3, second);
			if (Object.keys(given).length === 0) continue;
			expect(given).toEqual({ first: 1 });
			moments.push(second);
			line.refuse();
			line.join('first', NOW - 30, 5);
		}
		return moments;
	}

	it('after half a minute, then more and more seldom, every quarter of an hour at last', () => {
		const moments = tries(lineOfThree(5), 4_000);
		expect(moments).toEqual([30, 90, 210, 450, 930, 1_830, 2_730, 3_630]);
	});

	it('sooner again once a slot was free', () => {
		const line = lineOfThree(5);
		tries(line, 450);
		give(line, 3, 451);
		expect(give(line, 2, 452)).toEqual({ first: 1 });
		line.join('first', NOW - 30, 5);
		expect(give(line, 3, 481)).toEqual({});
		expect(give(line, 3, 482)).toEqual({ first: 1 });
	});

	it('not before half a minute of waiting has gone by, however long nobody waited', () => {
		const line = new SlotLine();
		jest.setSystemTime(NOW + 600 * SECOND);
		line.join('first', NOW + 600 * SECOND, 1);
		expect(give(line, 3, 629)).toEqual({});
		expect(give(line, 3, 630)).toEqual({ first: 1 });
	});
});
