import fc from 'fast-check';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

type ValueOf<Values> = Values extends fc.Arbitrary<infer Value> ? Value : never;

const milliseconds = (min: number, max: number): fc.Arbitrary<number> => fc.integer({ min, max });

/** So many times the usual value for one of the others. */
const mostly = <T>(times: number, usual: T, others: fc.Arbitrary<T>): fc.Arbitrary<T> =>
	fc.oneof({ weight: times, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

const seldom = (times: number) => mostly<boolean>(times, false, fc.constant(true));

const often = <T>(usual: T, arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T> =>
	fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary });

const delivery = fc.record({
	/** What `after` counts from: the end of the run, or the date of n8n's wait timer, about when the request then comes to the node. */
	aim: seldom(8).map((isAtTimer) => (isAtTimer ? ('timer' as const) : ('end' as const))),
	/** When it is sent, in milliseconds; before the run's end when negative. */
	after: fc.oneof(
		{ weight: 6, arbitrary: milliseconds(0, 2 * SECOND) },
		{ weight: 1, arbitrary: milliseconds(2 * SECOND, 2 * MINUTE) },
		{ weight: 1, arbitrary: milliseconds(-MINUTE, 0) },
	),
	/** Which of the live processes for webhooks takes it. */
	process: fc.nat({ max: 1 }),
	/** How long n8n takes from reading the execution to calling the node, in milliseconds. */
	held: fc.oneof(
		{ weight: 3, arbitrary: milliseconds(5, 200) },
		{ weight: 2, arbitrary: milliseconds(200, 6 * SECOND) },
		{ weight: 1, arbitrary: milliseconds(6 * SECOND, 2 * MINUTE) },
	),
	/** How long n8n takes from the node's answer to claiming the execution, in milliseconds. */
	claim: milliseconds(1, 900),
	/** Whether somebody else sends it, who does not know the token. */
	forged: seldom(12),
	/** Whether n8n fails when it is to claim the execution, e.g. because its database is busy. */
	fails: seldom(12),
});

/** How one request to a resume URL comes in and is handled. */
export type Delivery = ValueOf<typeof delivery>;

const ask = fc.record({
	there: milliseconds(1, 300),
	held: fc.oneof(
		{ weight: 5, arbitrary: milliseconds(1, 500) },
		{ weight: 1, arbitrary: milliseconds(500, 4 * SECOND) },
	),
	back: milliseconds(1, 300),
	/** A proxy hands the request on once more, so long after it, and n8n holds that one so long. */
	again: mostly<{ after: number; held: number } | undefined>(
		5,
		undefined,
		fc.record({ after: milliseconds(0, 300), held: milliseconds(1, 2 * SECOND) }),
	),
});

/** How long n8n takes to answer a request of its own to itself, in milliseconds: longer than it is waited for, now and then. */
export type Ask = ValueOf<typeof ask>;

/** Two that reach the node within a second, in different processes where there are some. */
const twins: fc.Arbitrary<Delivery[]> = fc
	.record({ first: delivery, gap: milliseconds(0, SECOND), claim: milliseconds(1, 900) })
	.map(({ first, gap, claim }) => [
		first,
		{ ...first, after: first.after + gap, process: first.process + 1, claim, fails: false },
	]);

const fate = fc.record({
	/** Milliseconds from its start to its end. */
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

/** For how long a run stays `created`, and when it pauses, in milliseconds from its start. */
const pauses = fc.record({
	created: often(0, milliseconds(0, 20 * SECOND)),
	pauses: fc.array(
		fc.record({ after: milliseconds(0, 90 * SECOND), lasts: milliseconds(500, 5 * MINUTE) }),
		{ maxLength: 2 },
	),
});

/** What becomes of one run, in the order of the starts. */
export type Fate = ValueOf<typeof fate> & Partial<ValueOf<typeof pauses>>;

const crash = fc.record({
	/** Which process, counted over all of them. */
	process: fc.nat({ max: 4 }),
	/** At a moment (milliseconds after the beginning), or with its nth effect on the world outside. */
	when: fc.oneof(
		fc.record({ at: milliseconds(0, 5 * MINUTE) }),
		fc.record({ effect: fc.nat({ max: 40 }), done: fc.boolean() }),
	),
	/** Milliseconds until it runs again. */
	downtime: milliseconds(SECOND, 3 * MINUTE),
});

/** A process dies, as with SIGKILL. */
export type Crash = ValueOf<typeof crash>;

const outage = fc.record({
	at: milliseconds(0, 5 * MINUTE),
	lasts: milliseconds(SECOND, 10 * MINUTE),
	/** Whether it says so in words that do not ask to try again soon, in place of an error of its own. */
	refuses: seldom(3),
});

/** The service cannot be read, and refuses connections for starts. */
export type Outage = ValueOf<typeof outage>;

const press = fc.record({
	/** Milliseconds after the beginning. */
	at: milliseconds(0, 5 * MINUTE),
	/** Check now, cancel all runs, or cancel one of those that were started so far. */
	what: fc.oneof(
		fc.constant<'check'>('check'),
		fc.constant<'cancelAll'>('cancelAll'),
		fc.record({ cancel: fc.nat({ max: 12 }) }),
	),
	process: fc.nat({ max: 1 }),
	held: milliseconds(5, 2 * SECOND),
	claim: milliseconds(1, 900),
});

/** What a person does on the status page of whatever sleeps then: the page tries for half a minute. */
export type Press = ValueOf<typeof press>;

/** What the user allows the node in its options. */
const allowed = fc.record({
	/** Max Runs per Execution, as far as it is from the number of items. */
	max: often<number | undefined>(undefined, fc.constantFrom(-1, 0, 1)),
	/** Cancel a Run After, in minutes. */
	cancelAfter: often<number | undefined>(undefined, fc.constantFrom(1, 5)),
	/** Reuse Results For, in minutes. */
	reuseWithin: often<number | undefined>(undefined, fc.constant(600)),
});

const anyStories = fc.record({
	/** One process; main, two workers and two webhook processes; or a manual execution that main begins, and a webhook process may go on with. */
	deployment: fc.constantFrom('regular', 'queue', 'regular', 'queue', 'manual'),
	/** Where the waiting node stands: two in a row, with a step between, before n8n's own Wait node, in a loop, behind both outputs of an If. */
	shape: fc.constantFrom('one', 'two', 'between', 'wait', 'loop', 'fork'),
	items: fc.oneof(
		{ weight: 40, arbitrary: fc.integer({ min: 1, max: 6 }) },
		{ weight: 5, arbitrary: fc.integer({ min: 11, max: 16 }) },
		{ weight: 1, arbitrary: fc.integer({ min: 101, max: 110 }) },
	),
	/** Items in one round of the loop. */
	batch: fc.integer({ min: 1, max: 3 }),
	/** The plan's limit of running tasks. */
	slots: fc.oneof(fc.constant(20), fc.integer({ min: 1, max: 4 })),
	/** Which starts, counted from 0, are refused by chance: with the plan's limit, although a slot is free, or with 429. */
	refusals: often<Array<{ start: number; slowsDown: boolean }>>(
		[],
		fc.array(fc.record({ start: fc.nat({ max: 30 }), slowsDown: seldom(2) }), { maxLength: 3 }),
	),
	/** Whether n8n reaches its own public address. */
	hairpin: seldom(3).map((blocked) => !blocked),
	/** Whether callbacks can come, i.e. n8n has a public address. */
	isPublic: seldom(5).map((hidden) => !hidden),
	/** The wait limit in minutes. */
	limit: fc.constantFrom<number>(60, 60, 10, 1),
	goesOn: fc.boolean(),
	atLimit: fc.constantFrom('fail', 'continue'),
	fates: fc.array<Fate>(fate, { minLength: 1, maxLength: 12 }),
	/** For the requests of n8n to itself, one after the other. */
	asks: fc.array(ask, { minLength: 1, maxLength: 6 }),
	crashes: mostly<Crash[]>(2, [], fc.array(crash, { maxLength: 2 })),
	outages: mostly<Outage[]>(3, [], fc.array(outage, { maxLength: 2 })),
	allowed: allowed.map((options): Partial<typeof options> => options),
	presses: often<Press[]>([], fc.array(press, { minLength: 1, maxLength: 4 })),
	/** Whether a person retries the execution when it has failed or crashed. */
	retries: fc.boolean(),
	/** Whether the execution keeps running, rather than to sleep until its runs have ended. */
	keepsRunning: seldom(3),
	/** How many other executions sleep in each process, for which n8n's wait timer is put off. */
	others: often(0, fc.constantFrom(30, 1_000)),
	/** For latencies and jitter. */
	seed: fc.noShrink(fc.nat()),
});

const production = fc.record({
	atOnce: fc.integer({ min: 1, max: 2 }),
	busy: fc.array(
		fc.record({ at: milliseconds(0, 5 * MINUTE), lasts: milliseconds(SECOND, 4 * MINUTE) }),
		{ maxLength: 4 },
	),
});

/** What the stories above do not have. */
const wider = fc.record({
	/** What the node does when a run pauses; it waits on if nothing is said. */
	whenPaused: fc.constantFrom<'wait' | 'continue'>('wait', 'continue'),
	fates: often<Array<ValueOf<typeof pauses>>>(
		[],
		fc.array(pauses, { minLength: 12, maxLength: 12 }),
	),
	/** When further executions of the same workflow begin, in milliseconds after the beginning. */
	copies: often<number[]>([], fc.array(milliseconds(0, 2 * MINUTE), { maxLength: 4 })),
	/** n8n's limit of production executions (regular mode alone), and when others need a place, in milliseconds after the beginning. */
	production: fc.oneof(fc.constant(undefined), production),
	/** Which times of storing an execution, counted from 0, fail: n8n gives up, and calls it running for good. */
	lostStores: mostly<number[]>(9, [], fc.array(fc.nat({ max: 6 }), { maxLength: 1 })),
	/** The clock of n8n’s machine is moved by so much, in milliseconds, at this moment. */
	clock: mostly<{ at: number; by: number } | undefined>(
		9,
		undefined,
		fc.record({ at: milliseconds(0, 30 * MINUTE), by: milliseconds(-120 * MINUTE, 120 * MINUTE) }),
	),
	/** Whether n8n's own Wait node stands beside the waiting node. */
	isSibling: seldom(5),
	/** Which starts, counted from 0, are refused for good, or arrive without being answered. */
	oddStarts: often<Array<{ start: number; how: 'refused' | 'lost' }>>(
		[],
		fc.array(fc.record({ start: fc.nat({ max: 8 }), how: fc.constantFrom('refused', 'lost') }), {
			minLength: 1,
			maxLength: 3,
		}),
	),
	/** Whether runs are canceled at the wait limit, and when another one cannot be started. */
	cancelsUnfinished: fc.boolean(),
});

type Simple = ValueOf<typeof anyStories>;

/** Everything that decides how an execution goes. */
export type Story = Omit<Simple, 'shape'> & { shape: Simple['shape'] | 'sibling' } & Partial<
		Omit<ValueOf<typeof wider>, 'fates' | 'isSibling'>
	>;

/** Stories of one execution. A node of n8n's that sleeps right behind ours waits for no handlers under way in queue mode: not played there. */
export const stories: fc.Arbitrary<Story> = anyStories.map((story) =>
	story.shape === 'wait' ? { ...story, deployment: 'regular' } : story,
);

/** Stories of a wider world: runs that pause, several executions at once, a limit of executions, a database that fails, clocks, starts that fail. */
export const widerStories: fc.Arbitrary<Story> = fc
	.record({ story: stories, wider })
	.map(({ story, wider: { fates, isSibling, ...others } }) => ({
		...story,
		...others,
		...(isSibling && { shape: 'sibling' as const }),
		fates: story.fates.map((fate, index) => ({ ...fate, ...fates[index] })),
	}));
