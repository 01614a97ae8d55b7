import { complaintsAbout } from './invariants';
import { play, type Ending } from './play';
import type { Ask, Delivery, Fate, Story } from './story';
import { BEGIN } from './time';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

function call(own: Partial<Delivery> = {}): Delivery {
	const usual = { after: 100, process: 0, held: 50, claim: 20, forged: false, fails: false };
	return { aim: 'end', ...usual, ...own };
}

/** A run that lasts so long, in milliseconds, and calls back so. */
function fate(lasts: number, ...deliveries: Delivery[]): Fate {
	return { lasts, ends: 'finished', deliveries };
}

/** A run that calls back twice, the second time to a handler that takes long to come to the node. */
function calledTwice(lasts: number, held: number): Fate {
	return fate(lasts, call(), call({ process: 1, held, claim: 400 }));
}

/** A call of n8n to itself that nothing slows down. */
const ASK: Ask = { there: 5, held: 20, back: 5, again: undefined };

async function playOut(own: Partial<Story>): Promise<Ending> {
	return await play({
		deployment: 'regular',
		shape: 'one',
		items: 1,
		batch: 1,
		slots: 100,
		refusals: [],
		hairpin: true,
		isPublic: true,
		limit: 420,
		goesOn: false,
		atLimit: 'fail',
		fates: [calledTwice(20 * SECOND, 4 * SECOND)],
		asks: [ASK],
		crashes: [],
		outages: [],
		allowed: {},
		presses: [],
		retries: false,
		keepsRunning: false,
		others: 0,
		seed: 1,
		...own,
	});
}

/** Shows an ending in which all went well, with one run for each item and node. */
function expectWell(ending: Ending, starts: number): void {
	expect(complaintsAbout(ending)).toEqual([]);
	expect(ending.executions.map(({ status }) => status)).toEqual(['success']);
	expect(ending.runs).toHaveLength(starts);
}

const deployments = ['regular', 'queue', 'manual'] as const;

it.each([false, true])('odd refusals of starts leave no slot idle (429: %s)', async (slowsDown) => {
	const fates = [12, 12.3, 11.9].map((seconds) => fate(seconds * SECOND));
	const refusals = [22, 26].map((start) => ({ start, slowsDown }));
	expectWell(await playOut({ items: 40, slots: 3, refusals, fates }), 40);
});

describe.each(deployments)('a callback’s handler that comes late (%s)', (deployment) => {
	const oneByOne = [0, 100, 200, 300].map((more) => calledTwice(8 * SECOND + more, 700));

	it.each<[string, Partial<Story>, number]>([
		['two waiting nodes, one after the other', { shape: 'two', items: 10 }, 20],
		['two with a node between them, which is carried out once', { shape: 'between', items: 2 }, 4],
		['Loop Over Items', { shape: 'loop', items: 8 }, 8],
		['the nodes behind both outputs of an If', { shape: 'fork', items: 2 }, 2],
		['slots that come free one after the other', { items: 10, slots: 3, fates: oneByOne }, 10],
		['what came before n8n’s own Wait node', { shape: 'wait', items: 3 }, 3],
	])('repeats nothing in %s', async (_, story, starts) => {
		expectWell(await playOut({ deployment, ...story }), starts);
	});
});

describe.each([1, 2, 3, 4, 5, 6])('(%d) a call to resume the execution', (seed) => {
	const called = [fate(8 * SECOND, call(), call({ after: 130, process: 1 }))];
	const again = { after: 5, held: 1_900 };

	it.each<[string, Fate[], Ask[]]>([
		['that is slow, beside a callback', called, [5, 900].map((held) => ({ ...ASK, held }))],
		['that a proxy hands on once more', [fate(8 * SECOND)], [{ ...ASK, again }]],
	])('%s, undoes nothing that was started since', async (_, fates, asks) => {
		expectWell(await playOut({ deployment: 'queue', shape: 'two', fates, asks, seed }), 2);
	});
});

// With these seeds the press meets the execution asleep.
it.each([2, 6, 8])('a callback that resumes, too, does not undo Cancel All (%d)', async (seed) => {
	const fates = [fate(20 * SECOND, call({ claim: 1_800 })), fate(60 * SECOND)];
	const story = { deployment: 'queue', items: 3, slots: 1, fates, seed } as const;
	const { runs } = await playOut(story);
	const at = (runs[0]?.endsAt ?? 0) - BEGIN + 450;
	const ending = await playOut({
		...story,
		outages: [{ at, lasts: 1_600, refuses: true }],
		presses: [{ at, what: 'cancelAll', process: 1, held: 5, claim: 5 }],
	});

	expect(complaintsAbout(ending)).toEqual([]);
	expect(ending.canceled).toHaveLength(1);
	expect(ending.runs).toHaveLength(1);
});

it.each([1, 2, 3, 4, 5, 6])('a callback held up in n8n undoes no Cancel All (%d)', async (seed) => {
	const late = call({ process: 1, held: 8_000 });
	const fates: Fate[] = [{ ...fate(20 * SECOND, late), ends: 'failed' }, fate(20 * SECOND)];
	const story = { deployment: 'queue', fates, seed } as const;
	const { runs } = await playOut(story);
	const at = (runs[0]?.endsAt ?? 0) - BEGIN + 150;
	const ending = await playOut({
		...story,
		retries: true,
		outages: [{ at: at - 200, lasts: 11_000, refuses: true }],
		presses: [{ at, what: 'cancelAll', process: 0, held: 5, claim: 5 }],
	});

	expect(ending.canceled).toHaveLength(1);
	expect(complaintsAbout(ending)).toEqual([]);
	expect(ending.runs).toHaveLength(1);
});

it('Cancel All starts nothing in later rounds of a loop, either', async () => {
	const press = { at: 5 * SECOND, what: 'cancelAll', process: 0, held: 5, claim: 5 } as const;
	const ending = await playOut({ shape: 'loop', items: 3, goesOn: true, presses: [press] });
	expect(complaintsAbout(ending)).toEqual([]);
	expect(ending.runs).toHaveLength(1);
});

it.each(deployments)('runs of a second take the only slot in turn (%s)', async (deployment) => {
	const fates = [fate(SECOND, call())];
	const ending = await playOut({ deployment, items: 10, slots: 1, fates });

	expectWell(ending, 10);
	expect(ending.endedAt - BEGIN).toBeLessThan(MINUTE);
});

/** How long after the end of the last run the execution had its results, in milliseconds. */
function lateness({ runs, endedAt }: Ending): number {
	return endedAt - Math.max(...runs.map(({ endsAt }) => endsAt));
}

/** n8n is down, in milliseconds after the beginning. */
const down = { process: 0, when: { at: 100 * SECOND }, downtime: 5 * MINUTE };
const whileDown = { fates: [fate(2 * MINUTE, call())], crashes: [down] };
const alone = { isPublic: false, hairpin: false, fates: [fate(120 * MINUTE)] };

it.each<[string, number, Partial<Story>]>([
	['a callback lost costs seconds', 5 * SECOND, { fates: [fate(30 * SECOND)] }],
	['a callback lost after hours: half a minute', 35 * SECOND, { fates: [fate(180 * MINUTE)] }],
	['no callback can come: seconds', 6 * SECOND, { isPublic: false, fates: [fate(10 * MINUTE)] }],
	['n8n does not reach itself and no callback comes: five minutes', 6 * MINUTE, alone],
	['n8n is down when the only callback comes: two minutes after', 400 * SECOND, whileDown],
])('%s, until the results are there; no worker is held', async (_, budget, story) => {
	const ending = await playOut(story);

	expectWell(ending, 1);
	expect(lateness(ending)).toBeLessThan(budget);
	const sleeps = ending.trace.filter((line) => line.endsWith('store waiting')).length;
	expect(sleeps).toBeGreaterThan(story.isPublic === false ? 2 : 0);
});

it.each([-2, 2])('an end is seen though n8n’s clock moves by %d h in an outage', async (hours) => {
	const clock = { at: 60 * MINUTE, by: hours * 60 * MINUTE };
	const outages = [{ at: 59 * MINUTE, lasts: 2 * MINUTE, refuses: false }];
	const ending = await playOut({ fates: [fate(62 * MINUTE)], clock, outages });

	expectWell(ending, 1);
	expect(lateness(ending)).toBeLessThan(70 * SECOND);
});

it('no end is missed around the checks of n8n’s wait timer, whichever second it comes in', async () => {
	const late: number[] = [];
	for (let second = 55; second <= 135; second += 4) {
		const fates = [fate(second * SECOND, call())];
		late.push(lateness(await playOut({ fates })));
	}

	expect(Math.max(...late)).toBeLessThan(5 * SECOND);
});

it.each([1, 2, 3])('its worker dies: a batch of hours ends in six minutes (%s)', async (seed) => {
	const fates = [fate(122 * MINUTE)];
	const when = { at: 120 * MINUTE + seed * SECOND };
	const crashes = [1, 2].map((process) => ({ process, when, downtime: SECOND }));
	const ending = await playOut({ deployment: 'queue', items: 12, fates, crashes, seed });

	expectWell(ending, 12);
	expect(lateness(ending)).toBeLessThan(6 * MINUTE);
});

it.each([1, 2, 3])(
	'many sleep, n8n’s wait timer resumes one, its only callback is refused as it is awake, and its workers die: the results are there within ten minutes (%s)',
	async (seed) => {
		const story = { deployment: 'queue', others: 1_000, seed } as const;
		const { trace, runs } = await playOut({ ...story, fates: [fate(60 * MINUTE)] });
		const [, asleepAgain = ''] = trace.filter((line) => line.endsWith('store waiting'));
		const at = parseFloat(asleepAgain) * SECOND;
		const lasts = BEGIN + at - 2 - (runs[0]?.createdAt ?? 0);
		const fates = [fate(lasts, call({ after: 0 }))];
		const when = { at: at + 100 };
		const crashes = [1, 2].map((process) => ({ process, when, downtime: SECOND }));
		const ending = await playOut({ ...story, fates, crashes });

		expectWell(ending, 1);
		expect(ending.trace.join()).toContain('is running already');
		expect(lateness(ending)).toBeLessThan(10 * MINUTE);
	},
);

it('a process dies just after it has sent a start that waited for a slot, in the editor: Retry does not send it again', async () => {
	const fates = [fate(2 * SECOND), fate(10 * MINUTE)];
	// Four seconds pass before the execution is stored again.
	const crashes = [{ process: 1, when: { at: 5 * SECOND }, downtime: MINUTE }];
	const story: Partial<Story> = { deployment: 'manual', items: 3, slots: 2, retries: true };
	const ending = await playOut({ ...story, fates, crashes });

	expect(complaintsAbout(ending)).toEqual([]);
	expect(ending.executions.map(({ status }) => status)).toEqual(['crashed', 'error']);
	expect(ending.runs).toHaveLength(3);
});

describe('n8n with a limit of production executions', () => {
	const quick = fate(20 * SECOND);
	const shapes = ['one', 'two', 'loop'] as const;

	it.each(shapes)('starts each item once while others are busy for %s', async (shape) => {
		for (const lasts of [40 * SECOND, 80 * SECOND, 200 * SECOND]) {
			const busy = [100, 30 * SECOND].map((at) => ({ at, lasts }));
			const production = { atOnce: 1, busy };
			const ending = await playOut({ shape, items: 3, production, fates: [quick] });
			expectWell(ending, shape === 'two' ? 6 : 3);
		}
	});

	it('starts nothing more after a person had all canceled while n8n held the resumed execution back', async () => {
		const production = { atOnce: 1, busy: [{ at: 15 * SECOND, lasts: 100 * SECOND }] };
		const press = { at: 30 * SECOND, what: 'cancelAll', process: 0, held: 10, claim: 10 } as const;
		const story = { items: 6, slots: 3, production, fates: [quick] };
		const ending = await playOut({ ...story, presses: [press] });
		expect(complaintsAbout(ending)).toEqual([]);
		expect(ending.canceled).toHaveLength(1);
		expect(ending.runs).toHaveLength(3);
	});

	it('starts the second of two nodes once though stale snapshots of the first are claimed late', async () => {
		const busy = [5, 25, 45].map((at) => ({ at: at * SECOND, lasts: 100 * SECOND }));
		const production = { atOnce: 1, busy };
		const fates = [fate(20 * SECOND, call(), call({ after: 35 * SECOND }))];
		expectWell(await playOut({ shape: 'two', production, fates }), 2);
	});
});

it.each(deployments)('what follows is done once beside a Wait node (%s)', async (deployment) => {
	for (const gap of [50, 200, 500]) {
		const second = call({ after: 100 + gap, process: 1, claim: 880 });
		const fates = [fate(20 * SECOND, call(), second)];
		const ending = await playOut({ deployment, shape: 'sibling', fates, seed: gap });
		expect(complaintsAbout(ending).filter((one) => !one.startsWith('results came'))).toEqual([]);
	}
});

it('a run that paused, was resumed and goes on at the wait limit is said to have timed out, while another start waits', async () => {
	const pauses = [{ after: 10 * SECOND, lasts: 10 * SECOND }];
	const fates = [{ ...fate(30 * MINUTE), pauses }];
	const short = { items: 2, slots: 1, limit: 1, fates, goesOn: true };
	const ending = await playOut({ ...short, atLimit: 'continue', whenPaused: 'continue' });
	expect(complaintsAbout(ending)).toEqual([]);
});
