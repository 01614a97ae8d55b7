import fc from 'fast-check';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * How n8n is set up: one process; a main process, two workers and two webhook processes; or a manual
 * execution in queue mode, with no workers: the main process begins it, and goes on with it after a
 * callback as a webhook process beside it does.
 */
type Deployment = 'regular' | 'queue' | 'manual';

/** Where the waiting node stands: two in a row, with a step between, before n8n's own Wait node, beside it, in a loop, behind both outputs of an If. */
type Shape = 'one' | 'two' | 'between' | 'wait' | 'sibling' | 'loop' | 'fork';

/** How one request to a resume URL comes in and is handled. */
export interface Delivery {
	/**
	 * What `after` counts from: the end of the run, or, for a request that comes to the node about when
	 * n8n's wait timer resumes the execution, the date at which it is to do so.
	 */
	aim: 'end' | 'timer';
	/** When it is sent, in milliseconds; before the run's end when negative. */
	after: number;
	/** Which of the live processes for webhooks takes it. */
	process: number;
	/** How long n8n takes from reading the execution to calling the node, in milliseconds. */
	held: number;
	/** How long n8n takes from the node's answer to claiming the execution, in milliseconds. */
	claim: number;
	/** Whether somebody else sends it, who does not know the nonce. */
	forged: boolean;
	/** Whether n8n fails when it is to claim the execution, e.g. because its database is busy. */
	fails: boolean;
}

/** How long n8n takes to answer a request of its own to itself, in milliseconds: longer than it is waited for, now and then. */
export interface Ask {
	there: number;
	held: number;
	back: number;
	/** A proxy hands the request on once more, so long after it, and n8n holds that one so long. */
	again?: { after: number; held: number } | undefined;
}

/** What becomes of one run, in the order of the starts. */
export interface Fate {
	/** Milliseconds from its start to its end. */
	lasts: number;
	ends: 'finished' | 'failed';
	/** For how long it stays `created`, and when it pauses, in milliseconds from its start. */
	created?: number;
	pauses?: Array<{ after: number; lasts: number }>;
	deliveries: Delivery[];
}

/** A process dies, as with SIGKILL. */
export interface Crash {
	/** Which process, counted over all of them. */
	process: number;
	/** At a moment (milliseconds after the beginning), or with its nth effect on the world outside. */
	when: { at: number } | { effect: number; done: boolean };
	/** Milliseconds until it runs again. */
	downtime: number;
}

/** The service cannot be read, and refuses connections for starts. */
export interface Outage {
	at: number;
	lasts: number;
	/** Whether it says so in words that do not ask to try again soon, in place of an error of its own. */
	refuses?: boolean;
}

/** What a person does on the status page of whatever sleeps then: the page tries for half a minute. */
export interface Press {
	/** Milliseconds after the beginning. */
	at: number;
	/** Check now, cancel all runs, or cancel one of those that were started so far. */
	what: 'check' | 'cancelAll' | { cancel: number };
	process: number;
	held: number;
	claim: number;
}

/** What the user allows the node in its options; missing where the option is not set. */
interface Allowed {
	/** Max Runs per Execution, as far as it is from the number of items. */
	max?: number | undefined;
	/** Cancel a Run After, in minutes. */
	cancelAfter?: number | undefined;
	/** Reuse Results For, in minutes. */
	reuseWithin?: number | undefined;
}

/** Everything that decides how an execution goes. */
export interface Story {
	deployment: Deployment;
	shape: Shape;
	items: number;
	/** Items in one round of the loop. */
	batch: number;
	/** The plan's limit of running tasks. */
	slots: number;
	/** Which starts, counted from 0, are refused by chance: with the plan's limit, although a slot is free, or with 429. */
	refusals: Array<{ start: number; slowsDown: boolean }>;
	/** Whether n8n reaches its own public address. */
	hairpin: boolean;
	/** Whether callbacks can come, i.e. n8n has a public address. */
	isPublic: boolean;
	/** The wait limit in minutes. */
	limit: number;
	goesOn: boolean;
	atLimit: 'fail' | 'continue';
	fates: Fate[];
	/** For the requests of n8n to itself, one after the other. */
	asks: Ask[];
	crashes: Crash[];
	outages: Outage[];
	allowed: Allowed;
	presses: Press[];
	/** Whether a person retries the execution when it has failed or crashed. */
	retries: boolean;
	/** Whether the input of some items is corrected before. */
	corrects: boolean;
	/** Whether the execution keeps running, rather than to sleep until its runs have ended. */
	keepsRunning: boolean;
	/** How many other executions sleep in each process, for which n8n's wait timer is put off. */
	others: number;
	/** What the node does when a run pauses; it waits on if nothing is said. */
	whenPaused?: 'wait' | 'continue';
	/** When further executions of the same workflow begin, in milliseconds after the beginning. */
	copies?: number[];
	/** n8n's limit of production executions (regular mode alone), and when others need a place, in milliseconds after the beginning. */
	production?: { atOnce: number; busy: Array<{ at: number; lasts: number }> };
	/** Which times of storing an execution, counted from 0, fail: n8n gives up, and calls it running for good. */
	lostStores?: number[];
	/** The clock of n8n’s machine is moved by so much, in milliseconds, at this moment. */
	clock?: { at: number; by: number };
	/** For latencies and jitter. */
	seed: number;
}

const milliseconds = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

const seldom = (often: number): fc.Arbitrary<boolean> =>
	fc.oneof(
		{ weight: often, arbitrary: fc.constant(false) },
		{ weight: 1, arbitrary: fc.constant(true) },
	);

const delivery: fc.Arbitrary<Delivery> = fc.record({
	aim: seldom(8).map((isAtTimer) => (isAtTimer ? 'timer' : 'end')),
	after: fc.oneof(
		{ weight: 6, arbitrary: milliseconds(0, 2 * SECOND) },
		{ weight: 1, arbitrary: milliseconds(2 * SECOND, 2 * MINUTE) },
		{ weight: 1, arbitrary: milliseconds(-MINUTE, 0) },
	),
	process: fc.nat({ max: 1 }),
	held: fc.oneof(
		{ weight: 3, arbitrary: milliseconds(5, 200) },
		{ weight: 2, arbitrary: milliseconds(200, 6 * SECOND) },
		{ weight: 1, arbitrary: milliseconds(6 * SECOND, 2 * MINUTE) },
	),
	claim: milliseconds(1, 900),
	forged: seldom(12),
	fails: seldom(12),
});

const ask: fc.Arbitrary<Ask> = fc.record({
	there: milliseconds(1, 300),
	held: fc.oneof(
		{ weight: 5, arbitrary: milliseconds(1, 500) },
		{ weight: 1, arbitrary: milliseconds(500, 4 * SECOND) },
	),
	back: milliseconds(1, 300),
	again: fc.oneof(
		{ weight: 5, arbitrary: fc.constant(undefined) },
		{
			weight: 1,
			arbitrary: fc.record({ after: milliseconds(0, 300), held: milliseconds(1, 2 * SECOND) }),
		},
	),
});

/** Two that reach the node within a second, in different processes where there are some. */
const twins: fc.Arbitrary<Delivery[]> = fc
	.record({ first: delivery, gap: milliseconds(0, SECOND), claim: milliseconds(1, 900) })
	.map(({ first, gap, claim }) => [
		first,
		{ ...first, after: first.after + gap, process: first.process + 1, claim, fails: false },
	]);

const fate: fc.Arbitrary<Fate> = fc.record({
	lasts: fc.oneof(
		{ weight: 2, arbitrary: milliseconds(50, 4 * SECOND) },
		{ weight: 4, arbitrary: milliseconds(4 * SECOND, 2 * MINUTE) },
		{ weight: 1, arbitrary: milliseconds(2 * MINUTE, 30 * MINUTE) },
		{ weight: 1, arbitrary: milliseconds(30 * MINUTE, 180 * MINUTE) },
	),
	ends: fc.constantFrom('finished', 'finished', 'finished', 'failed'),
	deliveries: fc.oneof(
		{ weight: 2, arbitrary: fc.array(delivery, { maxLength: 3 }) },
		{ weight: 1, arbitrary: twins },
	),
});

const crash: fc.Arbitrary<Crash> = fc.record({
	process: fc.nat({ max: 4 }),
	when: fc.oneof(
		fc.record({ at: milliseconds(0, 5 * MINUTE) }),
		fc.record({ effect: fc.nat({ max: 40 }), done: fc.boolean() }),
	),
	downtime: milliseconds(SECOND, 3 * MINUTE),
});

const outage: fc.Arbitrary<Outage> = fc.record({
	at: milliseconds(0, 5 * MINUTE),
	lasts: milliseconds(SECOND, 10 * MINUTE),
	refuses: seldom(3),
});

const press: fc.Arbitrary<Press> = fc.record({
	at: milliseconds(0, 5 * MINUTE),
	what: fc.oneof(
		fc.constant<'check'>('check'),
		fc.constant<'cancelAll'>('cancelAll'),
		fc.record({ cancel: fc.nat({ max: 12 }) }),
	),
	process: fc.nat({ max: 1 }),
	held: milliseconds(5, 2 * SECOND),
	claim: milliseconds(1, 900),
});

const often = <T>(usual: T, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary });

const allowed: fc.Arbitrary<Allowed> = fc.record({
	max: often<number | undefined>(undefined, fc.constantFrom(-1, 0, 1)),
	cancelAfter: often<number | undefined>(undefined, fc.constantFrom(1, 5)),
	reuseWithin: often<number | undefined>(undefined, fc.constant(600)),
});

const anyStories: fc.Arbitrary<Story> = fc.record({
	deployment: fc.constantFrom('regular', 'queue', 'regular', 'queue', 'manual'),
	shape: fc.constantFrom('one', 'two', 'between', 'wait', 'loop', 'fork'),
	items: fc.oneof(
		{ weight: 40, arbitrary: fc.integer({ min: 1, max: 6 }) },
		{ weight: 5, arbitrary: fc.integer({ min: 11, max: 16 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 101, max: 110 }) },
	),
	batch: fc.integer({ min: 1, max: 3 }),
	slots: fc.oneof(fc.constant(20), fc.integer({ min: 1, max: 4 })),
	refusals: often<Story['refusals']>(
		[],
		fc.array(fc.record({ start: fc.nat({ max: 30 }), slowsDown: seldom(2) }), { maxLength: 3 }),
	),
	hairpin: seldom(3).map((blocked) => !blocked),
	isPublic: seldom(5).map((hidden) => !hidden),
	limit: fc.constantFrom(60, 60, 10, 1),
	goesOn: fc.boolean(),
	atLimit: fc.constantFrom('fail', 'continue'),
	fates: fc.array(fate, { minLength: 1, maxLength: 12 }),
	asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
	crashes: fc.oneof(
		{ weight: 2, arbitrary: fc.constant<never[]>([]) },
		{ weight: 1, arbitrary: fc.array(crash, { maxLength: 2 }) },
	),
	outages: fc.oneof(
		{ weight: 3, arbitrary: fc.constant<never[]>([]) },
		{ weight: 1, arbitrary: fc.array(outage, { maxLength: 2 }) },
	),
	allowed,
	presses: often<Press[]>([], fc.array(press, { minLength: 1, maxLength: 4 })),
	retries: fc.boolean(),
	corrects: fc.boolean(),
	keepsRunning: seldom(3),
	others: often(0, fc.constantFrom(30, 1_000)),
	seed: fc.noShrink(fc.nat()),
});

/**
 * Stories of one execution. In queue mode a node of another package that sleeps right behind ours does
 * not wait for handlers that are under way, so it is played in regular mode only.
 */
export const stories: fc.Arbitrary<Story> = anyStories.map((story) =>
	story.shape === 'wait' ? { ...story, deployment: 'regular' } : story,
);

const production: fc.Arbitrary<Story['production']> = fc.record({
	atOnce: fc.integer({ min: 1, max: 2 }),
	busy: fc.array(
		fc.record({ at: milliseconds(0, 5 * MINUTE), lasts: milliseconds(SECOND, 4 * MINUTE) }),
		{ maxLength: 4 },
	),
});

const pauses = fc.record({
	created: often(0, milliseconds(0, 20 * SECOND)),
	pauses: fc.array(
		fc.record({ after: milliseconds(0, 90 * SECOND), lasts: milliseconds(500, 5 * MINUTE) }),
		{ maxLength: 2 },
	),
});

/** What the stories above do not have: see `Story`. */
const wider = fc.record({
	whenPaused: fc.constantFrom<'wait' | 'continue'>('wait', 'continue'),
	fates: often<Array<Pick<Fate, 'created' | 'pauses'>>>(
		[],
		fc.array(pauses, { minLength: 12, maxLength: 12 }),
	),
	copies: often<number[]>([], fc.array(milliseconds(0, 2 * MINUTE), { maxLength: 4 })),
	production: fc.oneof(fc.constant(undefined), production),
	lostStores: fc.oneof(
		{ weight: 9, arbitrary: fc.constant<number[]>([]) },
		{ weight: 1, arbitrary: fc.array(fc.nat({ max: 6 }), { maxLength: 1 }) },
	),
	clock: fc.oneof(
		{ weight: 9, arbitrary: fc.constant(undefined) },
		{
			weight: 1,
			arbitrary: fc.record({
				at: milliseconds(0, 30 * MINUTE),
				by: milliseconds(-120 * MINUTE, 120 * MINUTE),
			}),
		},
	),
	isSibling: seldom(5),
});

/** Stories of a wider world: runs that pause, several executions at once, a limit of executions, a database that fails, clocks. */
export const widerStories: fc.Arbitrary<Story> = fc
	.record({ story: stories, wider })
	.map(({ story, wider: { fates, production: limit, clock, isSibling, ...others } }) => ({
		...story,
		...others,
		...(limit !== undefined && { production: limit }),
		...(clock !== undefined && { clock }),
		...(isSibling && { shape: 'sibling' as const }),
		fates: story.fates.map((fate, index) => ({ ...fate, ...fates[index] })),
	}));
