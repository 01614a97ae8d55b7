import fc from 'fast-check';

import {
	awaitedTaskIds,
	pendingStarts,
	startedTaskIds,
	type Activity,
	type Entry,
	type Ledger,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	recordAwake,
	recordCanceled,
	recordKnown,
	recordQueued,
	recordSuspended,
	recordWaves,
	type Seen,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { entriesTakenUp } from '../../../nodes/BrowserAutomation/execution/waiting/batch/takeUp';
import { isBetweenWaves } from '../../../nodes/BrowserAutomation/execution/waiting/batch/waves';
import {
	nextDeadline,
	type Abilities,
} from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import { carryOut } from '../../../nodes/BrowserAutomation/execution/waiting/steps';
import {
	CanceledError,
	ConnectionError,
	HelpfulError,
	ServiceError,
} from '../../../nodes/BrowserAutomation/service/errors';
import {
	isTerminal,
	type Runs,
	type RunStatus,
} from '../../../nodes/BrowserAutomation/service/runs/runs';
import { attempts } from '../../randomValues';
import { ledgerOf, node, request, RESUME_URL, running, suspensionWith } from './ledgerOf';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BEGIN = 1_700_000_000_000;

beforeEach(() => {
	jest.useFakeTimers({ now: BEGIN });
	jest.spyOn(Math, 'random').mockReturnValue(0.5);
});
afterEach(() => {
	jest.useRealTimers();
	jest.restoreAllMocks();
});

/** What the service makes of a start, as often as one is sent: it begins a run, or answers with an error. */
const started = fc.constant('started' as const);
const unstarted = fc.constantFrom('full', 'refused', 'lost', 'unsent');

/** What may happen while an execution sleeps. */
const RESUMERS = ['watcher', 'callback', 'timer', 'elsewhere', 'staleSnapshot', 'person'] as const;

const pauses = fc.record({ after: fc.nat(5 * MINUTE), lasts: fc.nat(10 * MINUTE) });

/** What comes again and again, in the same order. */
const someOf = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 1, maxLength: 8 });

const stories = fc.record({
	items: fc.integer({ min: 1, max: 6 }),
	waitMethod: fc.constantFrom('callback', 'timer', 'inPlace', 'none'),
	canResume: fc.boolean(),
	canBeResumed: fc.boolean(),
	stores: fc.boolean(),
	callerFor: fc.constantFrom(0, 0, 2 * MINUTE),
	limitMs: fc.constantFrom(30 * SECOND, 10 * MINUTE, 40 * MINUTE),
	settings: fc.record({
		resumeWhenPaused: fc.boolean(),
		waitForSlot: fc.boolean(),
		cancelAtLimit: fc.boolean(),
		cancelOnFailedStart: fc.boolean(),
		cancelAfterMs: fc.constantFrom(undefined, undefined, MINUTE),
	}),
	concurrency: fc.integer({ min: 1, max: 3 }),
	goesOn: fc.boolean(),
	slots: fc.constantFrom(1, 2, 100, 100),
	answers: someOf(fc.oneof({ weight: 3, arbitrary: started }, { weight: 4, arbitrary: unstarted })),
	allowedStarts: someOf(fc.constantFrom(Infinity, Infinity, 1, 0)),
	fates: someOf(
		fc.record({
			runs: fc.integer({ min: 0, max: 20 * MINUTE }),
			pauses: fc.option(pauses, { nil: undefined }),
			ends: fc.constantFrom('finished', 'failed', 'canceled'),
		}),
	),
	resumers: someOf(fc.constantFrom(...RESUMERS)),
	/** Whether the service refuses to tell, or to cancel, each time that it is asked. */
	refuses: someOf(fc.constantFrom(false, false, false, true)),
	latency: fc.constantFrom(0, 5, 2 * SECOND, 10 * SECOND),
	putBack: fc.constantFrom(0, 0, 0, 60 * MINUTE),
	corrects: fc.boolean(),
});

type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never;

interface Run {
	item: number;
	input: string;
	startedAt: number;
	/** How it goes, in milliseconds since its start, unless it is canceled. */
	fate: Story['fates'][number];
	canceledAt: number;
}

/** The next of these each time, and again from the first. */
function inTurn<T>(list: T[]): () => T {
	let count = 0;
	return () => list[count++ % list.length] as T;
}

/** The service, n8n and its clock, in one thread and without any time that passes by itself. */
class World {
	readonly runs: Run[] = [];
	/** Starts that may have reached the service, by input. */
	readonly sent: string[] = [];
	vain = 0;
	steps = 0;
	canceledAt = Infinity;
	/** What a request should not have been. */
	broken: unknown;

	constructor(
		readonly story: Story,
		readonly refuses = inTurn(story.refuses),
		readonly allowedStarts = inTurn(story.allowedStarts),
		readonly resumer = inTurn(story.resumers),
		private readonly answer = inTurn(story.answers),
		private readonly fate = inTurn(story.fates),
	) {
		jest.setSystemTime(BEGIN);
	}

	get now(): number {
		return Date.now();
	}

	pass(milliseconds: number): void {
		jest.setSystemTime(this.now + milliseconds);
	}

	statusOf(taskId: string, at = this.now): RunStatus {
		const run = this.runs[Number(taskId)];
		if (run === undefined) throw new Error(`There is no run ${taskId}`);
		const { fate, startedAt, canceledAt } = run;
		const { pauses } = fate;
		const age = at - startedAt;
		const lasts = pauses !== undefined && pauses.after < fate.runs ? pauses.lasts : 0;
		const endsAt = startedAt + fate.runs + lasts;
		if (at >= endsAt && canceledAt >= endsAt) return fate.ends;
		if (at >= canceledAt) return 'canceled';
		if (pauses !== undefined && lasts > 0 && age >= pauses.after && age < pauses.after + lasts) {
			return 'paused';
		}
		return 'running';
	}

	get active(): number {
		return this.runs.filter((_, id) => !isTerminal(this.statusOf(String(id)))).length;
	}

	get lastRun(): string {
		return String(this.runs.length - 1);
	}

	cancel(taskId: string): void {
		const run = this.runs[Number(taskId)];
		if (run !== undefined) run.canceledAt = Math.min(run.canceledAt, this.now);
	}

	statuses(taskIds: string[]): Map<string, RunStatus> {
		return new Map(taskIds.map((taskId) => [taskId, this.statusOf(taskId)]));
	}

	/** How a start of this item is answered; one that arrives begins a run. */
	start(item: number, input: string): Story['answers'][number] {
		const answer = this.answer();
		if (answer === 'unsent' || answer === 'refused') return answer;
		if (answer === 'full' || this.active >= this.story.slots) return 'full';
		this.sent.push(input);
		const run = { item, input, startedAt: this.now, fate: this.fate(), canceledAt: Infinity };
		this.runs.push(run);
		return answer;
	}
}

/** The service answers, refuses or is silent. */
const FULL = new ServiceError('The plan’s limit is met', '', { code: 10118, httpStatus: 400 });
const REFUSED = new ServiceError('No such bot', '', { code: 5, httpStatus: 400 });
const FAULT = new ServiceError('The service has a fault', '', { httpStatus: 500 });
const lost = (mayHaveArrived: boolean) => new ConnectionError('no answer', mayHaveArrived);

/** The service, as the steps of one round meet it: each request takes its time, and is of use. */
function runsIn(world: World, ledger: Ledger): Runs {
	const { story } = world;
	const asked = <T>(answer: () => T): T => {
		try {
			return answer();
		} catch (error) {
			// The node would take it for the service's.
			if (!(error instanceof HelpfulError)) world.broken ??= error;
			throw error;
		} finally {
			world.pass(story.latency);
		}
	};
	const seen = (taskIds: string[]): void => {
		expect(ledger.waitMethod).not.toBe('none');
		expect(taskIds.length).toBeGreaterThan(0);
		expect(taskIds).toEqual(expect.arrayContaining(awaitedTaskIds(ledger)));
		const isOver = (taskId: string) => isTerminal(world.statusOf(taskId));
		if (!awaitedTaskIds(ledger).some(isOver)) world.vain += 1;
		if (world.refuses()) throw FAULT;
	};
	const runs: Runs = {
		idName: 'task_id',
		concurrency: story.concurrency,
		start: async ({ body }) =>
			asked(() => {
				const { item, input }: { item: number; input: string } = Object(body);
				expect(world.now).toBeLessThan(ledger.deadline);
				expect(world.now).toBeLessThan(world.canceledAt);
				expect(ledger.entries[item]).toMatchObject({ inputKey: input, isBeingSent: true });
				const answer = world.start(item, input);
				if (answer === 'started') return { taskId: world.lastRun, status: 'created' as const };
				throw { full: FULL, refused: REFUSED, lost: lost(true), unsent: lost(false) }[answer];
			}),
		readStatuses: async (taskIds) =>
			asked(() => {
				seen(taskIds);
				return world.statuses(taskIds);
			}),
		read: async (taskId) =>
			asked(() => {
				seen([taskId]);
				return { task_id: taskId, status: world.statusOf(taskId) };
			}),
		cancel: async (taskId) =>
			asked(() => {
				if (world.refuses()) throw FAULT;
				world.cancel(taskId);
				return true;
			}),
		endingBy: (moment) => {
			// However near the wait limit is, a service has time to answer.
			expect(moment).toBeGreaterThanOrEqual(world.now + 10 * SECOND);
			expect(moment).toBeLessThanOrEqual(Math.max(ledger.deadline, world.now + 10 * SECOND));
			return runs;
		},
		readRunning: jest.fn(),
		readEnded: jest.fn(),
		resume: jest.fn(),
	};
	return runs;
}

const endedTaskIds = ({ entries }: Ledger): string[] =>
	entries.flatMap(({ taskId = '', status }) => (isTerminal(status ?? 'unknown') ? taskId : []));

/** Where the node is executed; its caller waits until a moment. */
type Host = Omit<Abilities, 'allowedStarts'> & { awakeUntil: number };

/** Carries out the steps of one round of the node. @returns how it ends */
async function awake(world: World, ledger: Ledger, host: Host, isResumed: boolean) {
	const { story } = world;
	const runs = runsIn(world, ledger);
	const isQueued = host.canResume && ledger.settings.waitForSlot;
	const allowedStarts = isQueued ? world.allowedStarts() : Infinity;
	let [atOnce, last] = [0, world.now];
	// What others that wait for a slot hear.
	let starts = startedTaskIds(ledger).length;
	const ends = endedTaskIds(ledger);
	const batch = {
		...{ runs, uninterrupted: runs, ledger, isResumed, canResume: host.canResume },
		context: {
			continueOnFail: () => story.goesOn,
			getExecutionCancelSignal: () => undefined,
			getNode: () => node,
			logger: { debug: jest.fn(), info: jest.fn(), warn: jest.fn(), error: jest.fn() },
		},
		host: { resumeUrl: host.resumeUrl },
		facts: { awakeSince: world.now, random: 0.5 },
		notifyTrigger: jest.fn(),
		slots: {
			...{ allowed: jest.fn(), recordStart: () => void starts++ },
			...{ recordLimitMet: jest.fn(), enqueue: jest.fn(), dequeue: jest.fn() },
			recordEnds: (taskIds: string[]) => void ends.push(...taskIds),
		},
		unlessReused: () => async (_: unknown, __: unknown, begin: () => Promise<string>) => {
			await begin();
			return undefined;
		},
	};
	const step = await carryOut(batch, {
		abilities: async () => {
			world.steps += 1;
			atOnce = world.now === last ? atOnce + 1 : 0;
			last = world.now;
			if (atOnce > 12) throw new Error('it goes in circles without time passing');
			if (world.steps > 3_000) throw new Error('it never ends');
			const { awakeUntil, ...able } = host;
			const resumeUrl = world.now < awakeUntil ? undefined : able.resumeUrl;
			return { ...able, allowedStarts, resumeUrl };
		},
		pause: async (milliseconds) => {
			expect(milliseconds).toBeGreaterThan(0);
			expect(milliseconds).toBeLessThanOrEqual(Math.max(ledger.deadline - world.now, 1));
			world.pass(milliseconds);
		},
		beforeSuspending: async () => undefined,
	});
	expect(starts).toBe(startedTaskIds(ledger).length);
	expect(new Set(ends)).toEqual(new Set(endedTaskIds(ledger)));
	if (step.do === 'suspend') {
		expect(step.resumeUrl).toBe(RESUME_URL);
		expect(world.now).toBeGreaterThanOrEqual(host.awakeUntil);
		expect(world.now).toBeLessThan(ledger.deadline);
	}
	return step.do;
}

/** Has the execution sleep, with what was stored, until something resumes it. */
function sleepThrough(world: World, ledger: Ledger, older: Ledger[]): Ledger {
	const { story } = world;
	const suspendedAt = world.now;
	if (pendingStarts(ledger).length > 0 && !isBetweenWaves(ledger)) {
		recordQueued(ledger, world.now);
		recordWaves(ledger);
	}
	recordSuspended(ledger, suspensionWith('one'), {});
	const stored = structuredClone(ledger);
	const date = Math.min(world.now + MINUTE, Math.max(world.now, nextDeadline(ledger)));
	const open = awaitedTaskIds(ledger);
	const isOver = (): boolean =>
		open.every((taskId) => {
			const status = world.statusOf(taskId);
			return isTerminal(status) || (ledger.settings.resumeWhenPaused && status === 'paused');
		});
	const activity: Activity = {};
	let runs: Seen['runs'] = new Map();
	const resumer = world.resumer();
	const isStarting = pendingStarts(ledger).length > 0 && ledger.queuedAt === undefined;
	if (isStarting) world.pass(100);
	else if (story.canResume && resumer !== 'timer') {
		// The watcher polls every four seconds, and resumes an execution at the end of its runs, or for a slot.
		const isDue = (): boolean =>
			isOver() && (pendingStarts(ledger).length === 0 || world.active < story.slots);
		do {
			world.pass(Math.min(4 * SECOND, date - world.now));
			runs = world.statuses(open);
			activity.polledAt = world.now;
		} while (world.now < date && !isDue());
	} else world.pass(date - world.now);
	if (resumer === 'callback') activity.calledBackAt = world.now;
	if (resumer === 'person' && world.canceledAt === Infinity) {
		recordCanceled(stored);
		world.canceledAt = world.now;
	}
	// A state in which nothing was started since may be older than what is known.
	const startsOf = ({ entries }: Ledger): string =>
		JSON.stringify(entries.map(({ taskId, refusal }) => [taskId, refusal]));
	const old = older.find((one) => startsOf(one) === startsOf(stored));
	older.unshift(structuredClone(stored));
	older.length = Math.min(older.length, 3);
	const isOld = resumer === 'staleSnapshot' && old !== undefined && world.canceledAt === Infinity;
	const resumed = structuredClone(isOld ? old : stored);
	const isSeen = story.canResume && resumer !== 'elsewhere' && !isOld;
	const seen = { suspendedAt, isWatched: true, runs, hasCalled: () => false, activity };
	recordAwake(resumed, isSeen ? seen : undefined);
	return resumed;
}

/** The items of an execution whose input is still to be started. */
function freshItems({ items }: Story, isCorrected = false): Entry[] {
	return Array.from({ length: items }, (_, item) => {
		const input = isCorrected && item % 2 === 0 ? `input ${item}, corrected` : `input ${item}`;
		return { inputKey: input, request: { ...request, body: { item, input } } };
	});
}

async function play(story: Story) {
	const world = new World(story);
	const maySuspend = story.canBeResumed && /callback|timer/.test(story.waitMethod);
	const host: Host = {
		resumeUrl: maySuspend ? RESUME_URL : undefined,
		awakeUntil: BEGIN + story.callerFor,
		canResume: story.canResume && maySuspend,
		concurrency: story.concurrency,
	};
	const begin = (entries: Entry[], more: Partial<Ledger> = {}): Ledger => {
		const { waitMethod } = story;
		const times = { begunAt: world.now, deadline: world.now + story.limitMs };
		const ledger = ledgerOf(entries, { waitMethod, ...times, ...more }, story.settings);
		if (host.canResume && story.stores && entries.length > 1 && world.now >= host.awakeUntil) {
			recordWaves(ledger);
		}
		return ledger;
	};
	const carryOn = async (ledger: Ledger) => {
		const older: Ledger[] = [];
		for (let current = ledger; ;) {
			const end = await awake(world, current, host, current !== ledger);
			if (end !== 'suspend') return { ledger: current, end };
			current = sleepThrough(world, current, older);
			if (story.putBack > 0 && older.length === 1) recordKnown(current, world.now + story.putBack);
		}
	};
	const { ledger, end } = await carryOn(begin(freshItems(story)));
	return {
		world,
		host,
		ledger,
		end,
		retry: async () => {
			const taskIds = ledger.entries.flatMap(({ taskId }) => taskId ?? []);
			const fresh = freshItems(story, story.corrects);
			const entries = entriesTakenUp(ledger, fresh, world.statuses(taskIds));
			const { isCanceled } = ledger;
			return await carryOn(
				begin(entries, { ...(isCanceled && { isCanceled }), lastStartedAt: world.now }),
			);
		},
	};
}

/** How late the end of the last run may be noticed, in milliseconds: polls in place, the watcher, or n8n's wait timer. */
const BUDGETS = { inPlace: 33 * SECOND, watched: 12 * SECOND, timer: 66 * SECOND };

type Played = Awaited<ReturnType<typeof play>> & { story: Story };

/** Each input at the most once; and by a retry only what certainly has no run that did its work. */
async function isStartedOnce({ story, world, ledger, retry }: Played): Promise<void> {
	expect(new Set(world.sent).size).toBe(world.sent.length);
	expect(world.runs.every(({ item, input }) => input === `input ${item}`)).toBe(true);
	if (story.waitMethod === 'none') return;
	const before = world.runs.length;
	const left = structuredClone(ledger);
	await retry();
	for (const { item, input } of world.runs.slice(before)) {
		const entry = left.entries[item];
		const run = world.runs[Number(entry?.taskId)];
		const isUndone =
			entry?.taskId === undefined || run?.fate.ends !== 'finished' || run.canceledAt < Infinity;
		const isCertain = isUndone && entry?.refusal?.isUncertain !== true;
		expect(entry?.inputKey !== input || isCertain).toBe(true);
		expect(left.isCanceled).toBeUndefined();
	}
}

/** One for each item, in order: its run, why it has none, or that it was not begun in time. */
function hasOneOutcome({ story, world, ledger, end }: Played): void {
	expect(ledger.entries).toHaveLength(story.items);
	for (const [item, entry] of ledger.entries.entries()) {
		const { taskId, status = 'unknown', request: start, refusal: why } = entry;
		expect([taskId, start, why].filter((one) => one !== undefined)).toHaveLength(1);
		expect(entry).not.toHaveProperty('isBeingSent');
		if (taskId !== undefined) expect(world.runs[Number(taskId)]?.item).toBe(item);
		if (end === 'fail' || world.now >= ledger.deadline || story.waitMethod === 'none') continue;
		expect(start).toBeUndefined();
		if (taskId === undefined) continue;
		const isEnough = story.settings.resumeWhenPaused && status === 'paused';
		expect(isEnough || isTerminal(status)).toBe(true);
		if (isTerminal(status)) expect(status).toBe(world.statusOf(taskId));
	}
	if (end === 'fail') expect(story.goesOn).toBe(false);
}

/** By no more than its way of asking costs, and never beyond its limit. */
function isInTime({ story, world, host, ledger, end }: Played): void {
	const requests = story.latency * (story.items + 4) * 2;
	expect(world.now).toBeLessThanOrEqual(ledger.deadline + requests + SECOND);
	const isHarmed = story.refuses.some(Boolean) || story.putBack > 0 || world.canceledAt < Infinity;
	const isFull =
		story.answers.includes('full') || story.slots < 6 || story.allowedStarts.includes(0);
	const { waitMethod, settings, resumers } = story;
	if (isHarmed || isFull || settings.resumeWhenPaused || waitMethod === 'none') return;
	if (end === 'fail') return;
	const ends = world.runs.map(({ startedAt, fate, canceledAt }) =>
		Math.min(startedAt + fate.runs + (fate.pauses?.lasts ?? 0), canceledAt),
	);
	const isByTimer = !host.canResume || resumers.includes('timer') || resumers.includes('elsewhere');
	const asleep = isByTimer ? BUDGETS.timer : BUDGETS.watched;
	const budget = BUDGETS.inPlace + (host.resumeUrl === undefined ? 0 : asleep);
	const late = world.now - Math.min(Math.max(BEGIN, ...ends), ledger.deadline);
	expect(late).toBeLessThanOrEqual(budget + requests);
}

/** At first once in some seconds in place, and some times for each sleep. */
function seldomPollsInVain({ world }: Played): void {
	const seconds = (world.now - BEGIN) / SECOND;
	expect(world.vain).toBeLessThanOrEqual(seconds / 4.5 + (seconds / 60 + 4) * 4);
}

/** Everything that goes on is canceled, and nothing is started any more. */
function isCanceledWhole({ story, world, ledger, end }: Played): void {
	if (world.canceledAt === Infinity) return;
	for (const { startedAt } of world.runs) expect(startedAt).toBeLessThanOrEqual(world.canceledAt);
	expect(pendingStarts(ledger)).toEqual([]);
	const isHarmed = story.refuses.every(Boolean) || world.now >= ledger.deadline;
	if (isHarmed || end !== 'collect' || story.settings.resumeWhenPaused) return;
	const known = ledger.entries.flatMap(({ taskId }) => taskId ?? []);
	expect(known.filter((taskId) => !isTerminal(world.statusOf(taskId)))).toEqual([]);
}

it('whatever happens, starts nothing twice, gives each item its outcome, in time and with few polls, and obeys whoever cancels', async () => {
	const check = async (story: Story): Promise<void> => {
		const ending = { ...(await play(story)), story };
		if (ending.world.broken !== undefined) throw ending.world.broken;
		isCanceledWhole(ending);
		hasOneOutcome(ending);
		isInTime(ending);
		seldomPollsInVain(ending);
		await isStartedOnce(ending);
	};
	await fc.assert(fc.asyncProperty(stories, check), attempts(120));
});

it('a stop while a resumed execution polls is no failure of the service', async () => {
	const stopped = new CanceledError();
	const runs = { endingBy: () => runs, readStatuses: async () => await Promise.reject(stopped) };
	const ledger = ledgerOf([running('1'), running('2')], { deadline: BEGIN + MINUTE });
	const batch = { ...{ runs, ledger, isResumed: true }, facts: { awakeSince: BEGIN } };
	const around = { abilities: async () => ({ canResume: true, resumeUrl: RESUME_URL }) };
	const steps = carryOut(...([batch, around] as unknown as Parameters<typeof carryOut>));
	await expect(steps).rejects.toBe(stopped);
	expect(ledger.activity).toEqual({});
});
