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
		expect(line.capacity).toBe(2);
		expect(give(line, 1)).toEqual({ first: 1 });
		line.join('first', NOW - 30, 4, 1);
		expect(give(line, 0, 2)).toEqual({ first: 2 });
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
		line.refuse('first');
		line.join('first', NOW - 30, 1);
		expect(places(line)).toEqual([1, 2, 3]);
		give(line, 1, 2);
		expect(give(line, 0, 2)).toEqual({ first: 1 });
	});

	it('are one less where a start was refused that should have had one, and the former number is shown until that is sure', () => {
		const line = lineOfThree();
		give(line, 3);
		give(line, 2);
		line.refuse('first');
		line.join('first', NOW - 30, 1);
		expect(line.capacity).toBe(2);
		expect(line.describe('first')).toContain('runs 3 at a time');
		expect(give(line, 2, 4)).toEqual({});
		expect(give(line, 2, 5)).toEqual({ first: 1 });
		line.refuse('first');
		expect(line.capacity).toBe(2);
		expect(line.describe('first')).toContain('runs 2 at a time');
	});

	it('are as many as before at once where as many are seen to go on', () => {
		const line = lineOfThree();
		give(line, 3);
		give(line, 2);
		line.refuse('first');
		line.join('first', NOW - 30, 1);
		expect(give(line, 3, 2)).toEqual({});
		expect(line.capacity).toBe(3);
		expect(give(line, 3, 29)).toEqual({});
	});

	it('are not thought fewer where somebody is refused who was given none', () => {
		const line = lineOfThree();
		give(line, 3);
		for (const executionId of ['first', 'a stranger']) line.refuse(executionId);
		expect(line.capacity).toBe(3);
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
			line.refuse('first');
			line.join('first', NOW - 30, 5);
		}
		return moments;
	}

	it('after half a minute, then every minute and a half', () => {
		const moments = tries(lineOfThree(5), 400);
		expect(moments).toEqual([30, 90, 180, 270, 360]);
	});

	it('not before half a minute of waiting has gone by, however long nobody waited', () => {
		const line = new SlotLine();
		jest.setSystemTime(NOW + 600 * SECOND);
		line.join('first', NOW + 600 * SECOND, 1);
		expect(give(line, 3, 629)).toEqual({});
		expect(give(line, 3, 630)).toEqual({ first: 1 });
	});
});

describe('in a line that stays busy', () => {
	/** What becomes of starts after so many seconds. */
	interface Plan {
		slotsAt(second: number): number;
		/** How many starts are refused although a slot is free, as it came free a moment late. */
		refusals?: number;
	}

	/** Runs of eight seconds, looked after every second. @returns how many went on each second */
	function play(seconds: number, { slotsAt, refusals = 0 }: Plan) {
		const line = new SlotLine();
		for (let index = 0; index < 900; index++) line.join(`e${index}`, NOW + index, 1);
		let ends = [3, 6, 8];
		let refusalsLeft = refusals;
		let asked = 0;
		const going: number[] = [];
		for (let second = 0; second < seconds; second++) {
			jest.setSystemTime(NOW + second * SECOND);
			ends = ends.filter((end) => end > second);
			for (const { executionId, since } of line.give(ends.length, 0, Date.now())) {
				asked++;
				const isLate = second > 8 && refusalsLeft-- > 0;
				if (!isLate && ends.length < slotsAt(second)) {
					line.leave(executionId);
					ends.push(second + 8);
					continue;
				}
				line.refuse(executionId);
				line.join(executionId, since, 1);
			}
			going.push(ends.length);
		}
		return { line, going, asked };
	}

	it.each([0, 1, 2, 3])(
		'all three slots are used half a minute after %i refused starts',
		(refusals) => {
			const { line, going, asked } = play(600, { slotsAt: () => 3, refusals });
			const used = going.slice(40).reduce((sum, count) => sum + count, 0) / (3 * 560);
			expect(used).toBeGreaterThan(0.98);
			expect(line.capacity).toBe(3);
			expect(line.describe('e899')).toContain('runs 3 at a time');
			expect(asked).toBeLessThan(225 + refusals + 15);
		},
	);

	it.each([60, 100, 185])(
		'a plan that grows from three to five after %i s is noticed within two minutes',
		(grows) => {
			const { line, going } = play(600, { slotsAt: (second) => (second < grows ? 3 : 5) });
			expect(going.indexOf(5)).toBeLessThan(grows + 120);
			expect(Math.min(...going.slice(grows + 130))).toBeGreaterThanOrEqual(4);
			expect(line.capacity).toBe(5);
		},
	);

	it('a plan that shrinks from five to two is noticed at the first starts that are refused', () => {
		const { line, asked } = play(600, { slotsAt: (second) => (second < 200 ? 5 : 2) });
		expect(line.capacity).toBe(2);
		expect(asked).toBeLessThan((200 * 5) / 8 + (400 * 2) / 8 + 30);
	});
});

describe('where the service asks to slow down', () => {
	it('nothing is given before, and then all that waits for nothing else', () => {
		const line = new SlotLine();
		line.join('first', NOW, 5, 7, NOW + 10 * SECOND);
		line.join('second', NOW + 1, 1);
		expect(give(line, 7, 9)).toEqual({});
		expect(line.allowed('first', NOW, NOW + 9 * SECOND)).toBe(0);
		expect(line.describe('first')).toContain('asked to slow down (HTTP 429)');
		expect(give(line, 7, 10)).toEqual({ first: 5, second: 1 });
		expect(line.capacity).toBeUndefined();
	});

	it('what is known of the plan stays so', () => {
		const line = lineOfThree();
		give(line, 3);
		give(line, 2);
		line.join('first', NOW - 30, 1, 0, NOW + 10 * SECOND);
		expect(line.capacity).toBe(3);
		expect(give(line, 2, 9)).toEqual({});
		expect(give(line, 1, 10)).toEqual({ first: 1, second: 1 });
	});
});
