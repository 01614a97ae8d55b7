import fc from 'fast-check';

import {
	openTaskIds,
	pendingStarts,
	type Activity,
	type Entry,
	type Ledger,
	type StartedEntry,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	recordAwake,
	recordCanceled,
	recordCancels,
	recordKnown,
	recordQueued,
	recordRefused,
	recordSending,
	recordStarted,
	recordStartsDone,
	recordStatuses,
	recordSuspended,
	recordUnsent,
	recordWaveEnd,
	recordWaves,
	refuseStarts,
	type Seen,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/records';
import { entriesTakenUp } from '../../../nodes/BrowserAutomation/execution/waiting/batch/takeUp';
import { isBetweenWaves } from '../../../nodes/BrowserAutomation/execution/waiting/batch/waves';
import {
	nextDeadline,
	nextStep,
	type Abilities,
	type AwakeFacts,
	type StepTo,
} from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import { isTerminal, type RunStatus } from '../../../nodes/BrowserAutomation/service/runs/runApi';
import { attempts } from '../../randomValues';
import { ledgerOf, refusal, request, RESUME_URL, running, suspensionWith } from './ledgerOf';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const BEGIN = 1_700_000_000_000;

/** How a run goes, in milliseconds since its start, unless it is canceled. */
interface Fate {
	runs: number;
	pauses: { after: number; lasts: number } | undefined;
	ends: 'finished' | 'failed' | 'canceled';
}

/** What the service makes of a start, as often as one is sent. */
const START_ANSWERS = [
	'started',
	'started',
	'started',
	'full',
	'refused',
	'lost',
	'unsent',
] as const;

/** What may happen while an execution sleeps. */
const RESUMERS = ['watcher', 'callback', 'timer', 'elsewhere', 'staleSnapshot', 'person'] as const;

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
	answers: fc.array(fc.constantFrom(...START_ANSWERS), { minLength: 1, maxLength: 8 }),
	allowedStarts: fc.array(fc.constantFrom(Infinity, Infinity, 1, 0), {
		minLength: 1,
		maxLength: 5,
	}),
	fates: fc.array(
		fc.record({
			runs: fc.integer({ min: 0, max: 20 * MINUTE }),
			pauses: fc.option(fc.record({ after: fc.nat(5 * MINUTE), lasts: fc.nat(10 * MINUTE) }), {
				nil: undefined,
			}),
			ends: fc.constantFrom('finished', 'failed', 'canceled'),
		}),
		{ minLength: 1, maxLength: 6 },
	),
	resumers: fc.array(fc.constantFrom(...RESUMERS), { minLength: 1, maxLength: 8 }),
	/** Whether the service refuses to tell, or to cancel, each time that it is asked. */
	refuses: fc.array(fc.constantFrom(false, false, false, true), { minLength: 1, maxLength: 7 }),
	latency: fc.constantFrom(0, 5, 2 * SECOND),
	putBack: fc.constantFrom(0, 0, 0, 60 * MINUTE),
	corrects: fc.boolean(),
});

type Story = typeof stories extends fc.Arbitrary<infer Value> ? Value : never;

interface Run {
	item: number;
	input: string;
	startedAt: number;
	fate: Fate;
	cancelReason: number;
}

/** The service, n8n and its clock, in one thread and without any time that passes by itself. */
class World {
	now = BEGIN;
	readonly runs: Run[] = [];
	/** Starts that may have reached the service, by input. */
	readonly sent: string[] = [];
	polls = 0;
	vain = 0;
	steps = 0;
	cancelReason = Infinity;
	private readonly asked = { answers: 0, refuses: 0, allowedStarts: 0, resumers: 0 };

	constructor(readonly story: Story) {}

	take<Name extends 'answers' | 'refuses' | 'allowedStarts' | 'resumers'>(
		name: Name,
	): Story[Name][number] {
		const list = this.story[name];
		return list[this.asked[name]++ % list.length] as Story[Name][number];
	}

	statusOf(taskId: string, at = this.now): RunStatus {
		const run = this.runs[Number(taskId)];
		if (run === undefined) throw new Error(`There is no run ${taskId}`);
		const { fate, startedAt, cancelReason } = run;
		const { pauses } = fate;
		const age = at - startedAt;
		const lasts = pauses !== undefined && pauses.after < fate.runs ? pauses.lasts : 0;
		const endsAt = startedAt + fate.runs + lasts;
		if (at >= endsAt && cancelReason >= endsAt) return fate.ends;
		if (at >= cancelReason) return 'canceled';
		if (pauses !== undefined && lasts > 0 && age >= pauses.after && age < pauses.after + lasts) {
			return 'paused';
		}
		return 'running';
	}

	get active(): number {
		return this.runs.filter((_, id) => !isTerminal(this.statusOf(String(id)))).length;
	}

	statuses(taskIds: string[]): Map<string, RunStatus> {
		return new Map(taskIds.map((taskId) => [taskId, this.statusOf(taskId)]));
	}

	/** Whether a start of this item is answered so; one that arrives begins a run. */
	start(item: number, input: string): (typeof START_ANSWERS)[number] {
		const answer = this.take('answers');
		if (answer === 'unsent' || answer === 'refused') return answer;
		if (answer === 'full' || this.active >= this.story.slots) return 'full';
		const { fates } = this.story;
		const fate = fates[this.runs.length % fates.length];
		if (fate === undefined) throw new Error('There is no fate');
		this.sent.push(input);
		this.runs.push({ item, input, startedAt: this.now, fate, cancelReason: Infinity });
		return answer;
	}
}

type Facts0 = Omit<AwakeFacts, 'allowedStarts'>;

/** One round of the node. */
class Round {
	readonly facts: Facts0;
	readonly sentItems: number[] = [];

	constructor(
		private readonly world: World,
		private readonly ledger: Ledger,
		private readonly host: Abilities,
	) {
		this.facts = { awakeSince: world.now, random: 0.5 };
	}

	/** @returns how the round ends */
	carryOut(): 'suspend' | 'collect' | 'fail' {
		const { world, ledger, host } = this;
		let atOnce = 0;
		let last = world.now;
		const allowedStarts =
			host.canResume && ledger.settings.waitForSlot ? world.take('allowedStarts') : Infinity;
		for (;;) {
			world.steps += 1;
			atOnce = world.now === last ? atOnce + 1 : 0;
			last = world.now;
			if (atOnce > 12) throw new Error('it goes in circles without time passing');
			if (world.steps > 3_000) throw new Error('it never ends');
			const step = nextStep(ledger, host, { ...this.facts, allowedStarts }, world.now);
			switch (step.do) {
				case 'start':
					this.start(step, allowedStarts);
					break;
				case 'poll':
					this.poll(step);
					break;
				case 'cancel':
					this.cancel(step);
					break;
				case 'delay':
					expect(step.until).toBeGreaterThan(world.now);
					expect(step.until).toBeLessThanOrEqual(Math.max(ledger.deadline, world.now + 1));
					world.now = step.until;
					break;
				case 'suspend':
					expect(step.resumeUrl).toBe(RESUME_URL);
					expect(world.now).toBeGreaterThanOrEqual(host.awakeUntil);
					expect(world.now).toBeLessThan(ledger.deadline);
					return 'suspend';
				default:
					return step.do;
			}
		}
	}

	private start({ items, atOnce }: StepTo<'start'>, allowedStarts: number): void {
		const { world, ledger, facts } = this;
		expect(world.now).toBeLessThan(ledger.deadline);
		expect(world.now).toBeLessThan(world.cancelReason);
		expect(items.length).toBeGreaterThan(0);
		expect(items.length).toBeLessThanOrEqual(allowedStarts);
		expect(atOnce).toBeGreaterThanOrEqual(1);
		if (ledger.queuedAt !== undefined && allowedStarts === Infinity) expect(atOnce).toBe(1);
		if (openTaskIds(ledger).length === 0) recordKnown(ledger, world.now);
		for (const item of items) {
			const { inputKey = '' } = ledger.entries[item] ?? {};
			recordSending(ledger, item, world.now);
			expect(ledger.entries[item]).toEqual({ inputKey, request, isBeingSent: true });
			const answer = world.start(item, inputKey);
			if (answer === 'started') {
				const run = { taskId: String(world.runs.length - 1), status: 'created' } as const;
				recordStarted(ledger, item, run, world.now);
			} else if (answer === 'lost') {
				recordRefused(ledger, item, { ...refusal, isUncertain: true });
			} else recordUnsent(ledger, item);
			world.now += world.story.latency;
			if (answer === 'started') continue;
			if (answer === 'full' && ledger.settings.waitForSlot) {
				recordQueued(ledger, world.now);
				break;
			}
			if (!world.story.goesOn) {
				facts.startFailedAt = world.now;
				break;
			}
			if (answer !== 'lost') recordRefused(ledger, item, refusal);
		}
		recordStartsDone(ledger);
		if (pendingStarts(ledger).length > 0) facts.startsSentAt = world.now;
		recordWaveEnd(ledger);
	}

	private poll({ runs, until }: StepTo<'poll'>): void {
		const { world, ledger, facts } = this;
		expect(ledger.waitMethod).not.toBe('none');
		expect(runs.length).toBeGreaterThan(0);
		expect(runs).toEqual(expect.arrayContaining(openTaskIds(ledger)));
		// However near the wait limit is, a service has time to answer.
		expect(until).toBeGreaterThanOrEqual(world.now + 10 * SECOND);
		expect(until).toBeLessThanOrEqual(Math.max(ledger.deadline, world.now + 10 * SECOND));
		const at = world.now;
		const before = openTaskIds(ledger).length;
		world.polls += 1;
		const isRefused = world.take('refuses');
		if (!isRefused) recordStatuses(ledger, world.statuses(runs));
		world.now += world.story.latency;
		facts.polledAt = world.now;
		if (!isRefused) recordKnown(ledger, at);
		if (openTaskIds(ledger).length === before) world.vain += 1;
	}

	private cancel({ runs, why }: StepTo<'cancel'>): void {
		const { world, ledger, facts } = this;
		const isWhole = why === 'person' || why === 'refusal';
		expect(runs.length + (isWhole ? pendingStarts(ledger).length : 0)).toBeGreaterThan(0);
		if (isWhole) refuseStarts(ledger, refusal);
		if (why === 'limit') expect(world.now).toBeGreaterThanOrEqual(ledger.deadline);
		const taken = runs.filter(() => !world.take('refuses'));
		for (const taskId of taken) {
			const run = world.runs[Number(taskId)];
			if (run !== undefined) run.cancelReason = Math.min(run.cancelReason, world.now);
		}
		world.now += world.story.latency;
		recordCancels(ledger, runs, new Set(taken), why, world.now);
		delete facts.polledAt;
	}
}

/** Has the execution sleep, with what was stored, until something resumes it. */
function sleepThrough(world: World, ledger: Ledger, older: Ledger[]): Ledger {
	const { story } = world;
	const suspendedAt = world.now;
	if (pendingStarts(ledger).length > 0 && !isBetweenWaves(ledger)) recordQueued(ledger, world.now);
	recordSuspended(ledger, suspensionWith('one'), {});
	const stored = structuredClone(ledger);
	const date = Math.min(world.now + MINUTE, Math.max(world.now, nextDeadline(ledger)));
	const open = openTaskIds(ledger);
	const isOver = (): boolean =>
		open.every((taskId) => {
			const status = world.statusOf(taskId);
			return isTerminal(status) || (ledger.settings.resumeWhenPaused && status === 'paused');
		});
	const activity: Activity = {};
	let runs: Seen['runs'] = new Map();
	const resumer = world.take('resumers');
	const isStarting = pendingStarts(ledger).length > 0 && ledger.queuedAt === undefined;
	if (isStarting) world.now += 100;
	else if (story.canResume && resumer !== 'timer') {
		// The watcher polls every four seconds, and resumes an execution at the end of its runs, or for a slot.
		const isDue = (): boolean =>
			isOver() && (pendingStarts(ledger).length === 0 || world.active < story.slots);
		do {
			world.now = Math.min(world.now + 4 * SECOND, date);
			runs = world.statuses(open);
			activity.polledAt = world.now;
		} while (world.now < date && !isDue());
	} else world.now = date;
	if (resumer === 'callback') activity.calledBackAt = world.now;
	if (resumer === 'person' && world.cancelReason === Infinity) {
		recordCanceled(stored);
		world.cancelReason = world.now;
	}
	// A state in which nothing was started since may be older than what is known.
	const [old] = older.filter(
		({ entries }) =>
			JSON.stringify(entries.map(({ taskId, refusal }) => [taskId, refusal])) ===
			JSON.stringify(stored.entries.map(({ taskId, refusal }) => [taskId, refusal])),
	);
	older.unshift(structuredClone(stored));
	older.length = Math.min(older.length, 3);
	const isOld = resumer === 'staleSnapshot' && old !== undefined && world.cancelReason === Infinity;
	const resumed = structuredClone(isOld ? old : stored);
	const isSeen = story.canResume && resumer !== 'elsewhere' && !isOld;
	const seen = { suspendedAt, canResume: true, runs, calledBack: new Set<string>(), activity };
	recordAwake(resumed, isSeen ? seen : undefined);
	return resumed;
}

/** The items of an execution whose input is still to be started. */
function freshItems({ items }: Story, isCorrected = false): Entry[] {
	return Array.from({ length: items }, (_, item) => ({
		inputKey: isCorrected && item % 2 === 0 ? `input ${item}, corrected` : `input ${item}`,
		request,
	}));
}

function play(story: Story) {
	const world = new World(story);
	const maySuspend = story.canBeResumed && /callback|timer/.test(story.waitMethod);
	const host: Abilities = {
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
	const carryOn = (ledger: Ledger): { ledger: Ledger; end: 'collect' | 'fail' } => {
		const older: Ledger[] = [];
		for (let current = ledger; ;) {
			const end = new Round(world, current, host).carryOut();
			if (end !== 'suspend') return { ledger: current, end };
			current = sleepThrough(world, current, older);
			if (story.putBack > 0 && older.length === 1) recordKnown(current, world.now + story.putBack);
		}
	};
	const { ledger, end } = carryOn(begin(freshItems(story)));
	return {
		world,
		host,
		ledger,
		end,
		retry: () => {
			const taskIds = ledger.entries.flatMap(({ taskId }) => taskId ?? []);
			const fresh = freshItems(story, story.corrects);
			const entries = entriesTakenUp(ledger, fresh, world.statuses(taskIds));
			const { isCanceled } = ledger;
			return carryOn(
				begin(entries, { ...(isCanceled && { isCanceled }), lastStartedAt: world.now }),
			);
		},
	};
}

/** How late the end of the last run may be noticed, in milliseconds: polls in place, the watcher, or n8n's wait timer. */
const BUDGETS = { inPlace: 33 * SECOND, watched: 12 * SECOND, timer: 66 * SECOND };

type Played = ReturnType<typeof play> & { story: Story };

/** Each input at the most once; and by a retry only what certainly has no run that did its work. */
function isStartedOnce({ story, world, ledger, retry }: Played): void {
	expect(new Set(world.sent).size).toBe(world.sent.length);
	expect(world.runs.every(({ item, input }) => input === `input ${item}`)).toBe(true);
	if (story.waitMethod === 'none') return;
	const before = world.runs.length;
	const left = structuredClone(ledger);
	retry();
	for (const { item, input } of world.runs.slice(before)) {
		const entry = left.entries[item];
		const run = world.runs[Number(entry?.taskId)];
		const isUndone =
			entry?.taskId === undefined || run?.fate.ends !== 'finished' || run.cancelReason < Infinity;
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
	const isHarmed =
		story.refuses.some(Boolean) || story.putBack > 0 || world.cancelReason < Infinity;
	const isFull =
		story.answers.includes('full') || story.slots < 6 || story.allowedStarts.includes(0);
	const { waitMethod, settings, resumers } = story;
	if (isHarmed || isFull || settings.resumeWhenPaused || waitMethod === 'none') return;
	if (end === 'fail') return;
	const ends = world.runs.map(({ startedAt, fate, cancelReason }) =>
		Math.min(startedAt + fate.runs + (fate.pauses?.lasts ?? 0), cancelReason),
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
	if (world.cancelReason === Infinity) return;
	for (const { startedAt } of world.runs) expect(startedAt).toBeLessThanOrEqual(world.cancelReason);
	expect(pendingStarts(ledger)).toEqual([]);
	const isHarmed = story.refuses.every(Boolean) || world.now >= ledger.deadline;
	if (isHarmed || end !== 'collect' || story.settings.resumeWhenPaused) return;
	const known = ledger.entries.flatMap(({ taskId }) => taskId ?? []);
	expect(known.filter((taskId) => !isTerminal(world.statusOf(taskId)))).toEqual([]);
}

it('whatever happens, starts nothing twice, gives each item its outcome, in time and with few polls, and obeys whoever cancels', () => {
	const check = (story: Story): void => {
		const ending = { ...play(story), story };
		isCanceledWhole(ending);
		hasOneOutcome(ending);
		isInTime(ending);
		seldomPollsInVain(ending);
		isStartedOnce(ending);
	};
	fc.assert(fc.property(stories, check), attempts(120));
});

const AWAKE: AwakeFacts = { awakeSince: 0, allowedStarts: Infinity, random: 0.5 };
const IN_PLACE = { resumeUrl: undefined, canResume: false };
const WATCHED = { resumeUrl: RESUME_URL, awakeUntil: 0, canResume: true, concurrency: 5 };
const HOUR = 60 * MINUTE;

/** A ledger of a batch that has begun at 0 and may wait for an hour. */
const waiting = (entries: Entry[], more: Partial<Ledger> = {}, settings = {}) =>
	ledgerOf(entries, { deadline: HOUR, ...more }, settings);

const run = (more: Partial<StartedEntry> = {}): StartedEntry => ({ ...running('1'), ...more });
const poll = (...runs: string[]) => ({ do: 'poll', runs, until: expect.any(Number) });
const cancel = (why: string, ...runs: string[]) => ({ do: 'cancel', runs, why });
const start = (items: number[], atOnce: number) => ({ do: 'start', items, atOnce });
const delay = (until: number) => ({ do: 'delay', until });
const suspend = { do: 'suspend', resumeUrl: RESUME_URL };
const collect = { do: 'collect' };
const due: Entry = { request, inputKey: 'a' };
const by = (waitMethod: Ledger['waitMethod'], more: Partial<Ledger> = {}) => ({
	waitMethod,
	...more,
});

interface Moment {
	now: number;
	host: Abilities;
	facts: Partial<AwakeFacts>;
}

/** A moment in a round, where a watcher reads statuses, where nobody does, or where the node is never suspended. */
const watched = (
	now: number,
	facts: Partial<AwakeFacts> = {},
	more: Partial<Abilities> = {},
): Moment => ({
	now,
	host: { ...WATCHED, ...more },
	facts,
});
const alone = (now: number, facts: Partial<AwakeFacts> = {}) =>
	watched(now, facts, { canResume: false });
const inPlace = (now: number, facts: Partial<AwakeFacts> = {}) => watched(now, facts, IN_PLACE);

type Case = [title: string, Ledger, Moment, expected: object];

it.each<Case>([
	['starts what is due', waiting([due, run(), due]), inPlace(0), start([0, 2], 5)],
	[
		'starts as many as others in line let it',
		waiting([due, due]),
		watched(0, { allowedStarts: 1 }),
		start([0], 5),
	],
	[
		'tries one by one where it has waited, and nobody knows of slots',
		waiting([due, due], { queuedAt: 0 }),
		watched(0),
		start([0, 1], 1),
	],
	[
		'starts at once what it was given slots for',
		waiting([due, due], { queuedAt: 0 }),
		watched(0, { allowedStarts: 2 }),
		start([0, 1], 5),
	],
	[
		'never starts what is being sent',
		waiting([{ ...due, isBeingSent: true }]),
		inPlace(0),
		delay(HOUR),
	],
	[
		'starts only the wave that was stored',
		waiting([due, due, due], { waveEnd: 2 }),
		watched(0),
		start([0, 1], 5),
	],
	[
		'starts all where waves cannot be stored',
		waiting([due, due], { waveEnd: 0 }),
		alone(0),
		start([0, 1], 5),
	],
	['sleeps between waves, unasked', waiting([run(), due], { waveEnd: 0 }), watched(0), suspend],
	['sleeps in line', waiting([due], { queuedAt: 0 }), watched(0, { allowedStarts: 0 }), suspend],
	[
		'asks again whether it is its turn where it may not sleep yet',
		waiting([due], { queuedAt: 0 }),
		watched(0, { allowedStarts: 0 }, { awakeUntil: MINUTE }),
		delay(2_000),
	],
	[
		'tries again two seconds after it was refused a slot, in place',
		waiting([due]),
		inPlace(1_999, { startsSentAt: 0 }),
		delay(2_000),
	],
	[
		'waits as long as the service asks',
		waiting([due], { slowed: { until: 9_000, times: 1 } }),
		inPlace(2_000, { startsSentAt: 0 }),
		delay(9_000),
	],
	[
		'also where callbacks would come, as no run is there to send one',
		waiting([due], { slowed: { until: 9_000, times: 1 } }),
		alone(2_000, { startsSentAt: 0 }),
		delay(9_000),
	],
	[
		'tries as often as it asks: by its own age',
		waiting([due], { begunAt: HOUR, deadline: 2 * HOUR }),
		inPlace(HOUR, { startsSentAt: HOUR }),
		delay(HOUR + 2_000),
	],
	['and starts then', waiting([due]), inPlace(2_000, { startsSentAt: 0 }), start([0], 5)],
	['starts nothing at its limit', waiting([due]), inPlace(HOUR), collect],
	[
		'ends with a refused start, whatever is left',
		waiting([due, run()]),
		watched(5, { startFailedAt: 5 }),
		{ do: 'fail' },
	],
	[
		'cancels its own runs before, where the user wants that',
		waiting([run(), { ...run(), taskId: '2', isReused: true }], {}, { cancelOnFailedStart: true }),
		watched(5, { startFailedAt: 5 }),
		cancel('refusal', '1'),
	],
	[
		'and none of them where no start was refused',
		waiting([due, run()], {}, { cancelOnFailedStart: true }),
		watched(5),
		start([0], 5),
	],
	[
		'but once',
		waiting([run({ cancelSentAt: 5 })], {}, { cancelOnFailedStart: true }),
		watched(5, { startFailedAt: 5 }),
		{ do: 'fail' },
	],
	[
		'asks about runs of which nothing is known',
		waiting([run(), run({ taskId: '2' })]),
		watched(0),
		poll('1', '2'),
	],
	[
		'believes its watcher for a minute',
		waiting([run()], { statusesAt: 5 }),
		watched(MINUTE + 4),
		suspend,
	],
	['and not longer', waiting([run()], { statusesAt: 5 }), watched(MINUTE + 5), poll('1')],
	[
		'sleeps where the service was just asked in vain',
		waiting([run()]),
		watched(7, { polledAt: 7 }),
		suspend,
	],
	[
		'asks before it sleeps where nobody watches',
		waiting([run()], { lastStartedAt: 5, statusesAt: 4 }),
		alone(5),
		poll('1'),
	],
	[
		'and when it is resumed there',
		waiting([run()], { statusesAt: 4 }),
		alone(5, { awakeSince: 5 }),
		poll('1'),
	],
	['sleeps there where callbacks come', waiting([run()], { statusesAt: 5 }), alone(5), suspend],
	[
		'stays awake for a minute where none comes',
		waiting([run()], by('timer', { statusesAt: 55_000 })),
		alone(MINUTE - 1),
		delay(MINUTE),
	],
	[
		'and sleeps then',
		waiting([run()], by('timer', { statusesAt: 59_000 })),
		alone(MINUTE),
		suspend,
	],
	[
		'counting from its own beginning',
		waiting([run()], by('timer', { begunAt: HOUR, deadline: 2 * HOUR, statusesAt: HOUR })),
		alone(HOUR + MINUTE - 1, { polledAt: HOUR + MINUTE - 2 }),
		delay(HOUR + MINUTE + 4_998),
	],
	[
		'also a minute before its limit',
		waiting([run()], by('timer', { statusesAt: HOUR - MINUTE })),
		alone(HOUR - MINUTE),
		suspend,
	],
	[
		'but not in the last minute',
		waiting([run()], by('timer', { statusesAt: HOUR - 59_000 })),
		alone(HOUR - 59_000),
		delay(HOUR - 29_000),
	],
	[
		'asks in place two seconds after the first time',
		waiting([run()], by('inPlace', { statusesAt: 0 })),
		inPlace(0),
		delay(2_000),
	],
	[
		'five seconds after later ones',
		waiting([run()], by('inPlace', { statusesAt: 0 })),
		inPlace(2_000, { polledAt: 2_000 }),
		delay(7_000),
	],
	[
		'and less often the longer it lasts',
		waiting([run()], by('inPlace')),
		inPlace(6 * MINUTE, { polledAt: 6 * MINUTE }),
		delay(6 * MINUTE + 15_000),
	],
	[
		'by its own age',
		waiting([run()], by('inPlace', { begunAt: HOUR, deadline: 2 * HOUR })),
		inPlace(HOUR, { polledAt: HOUR }),
		delay(HOUR + 2_000),
	],
	[
		'stays awake as long as somebody waits',
		waiting([run()], { statusesAt: 0 }),
		watched(0, {}, { awakeUntil: 1 }),
		delay(2_000),
	],
	[
		'puts no trust in a clock that was put back',
		waiting([run()], { statusesAt: 6 }),
		watched(5, { polledAt: 6 }),
		poll('1'),
	],
	[
		'asks once more at the limit',
		waiting([run()], { statusesAt: HOUR - 1 }),
		watched(HOUR),
		poll('1'),
	],
	['and no more', waiting([run()], { statusesAt: HOUR }), watched(HOUR), collect],
	[
		'cancels at the limit what is its own, where the user wants that',
		waiting(
			[run(), { ...run(), taskId: '2', isReused: true }],
			{ statusesAt: HOUR },
			{ cancelAtLimit: true },
		),
		watched(HOUR),
		cancel('limit', '1'),
	],
	[
		'but once there, too',
		waiting([run({ cancelSentAt: HOUR })], { statusesAt: HOUR }, { cancelAtLimit: true }),
		watched(HOUR),
		collect,
	],
	[
		'asks how a canceled run stands',
		waiting([run({ cancelSentAt: HOUR })], {}, { cancelAtLimit: true }),
		watched(HOUR),
		poll('1'),
	],
	[
		'cancels nothing with Don’t Wait',
		waiting([run(), due], by('none'), { cancelAtLimit: true }),
		inPlace(HOUR),
		collect,
	],
	[
		'cancels what a person wants canceled',
		waiting([run(), due], { isCanceled: true }),
		watched(0),
		cancel('person', '1'),
	],
	['starts nothing after that', waiting([due], { isCanceled: true }), watched(0), cancel('person')],
	[
		'cancels again a minute after that was refused',
		waiting([run({ cancelSentAt: 0 })], { isCanceled: true, statusesAt: 0 }),
		watched(MINUTE),
		cancel('person', '1'),
	],
	[
		'and not before',
		waiting([run({ cancelSentAt: 1 })], { isCanceled: true, statusesAt: 1 }),
		watched(MINUTE),
		suspend,
	],
	[
		'nor what the service has taken',
		waiting([run({ cancelSentAt: 0, cancelReason: 'person' })], {
			isCanceled: true,
			statusesAt: 1,
		}),
		watched(MINUTE),
		suspend,
	],
	['collects what has ended', waiting([run({ status: 'finished' })]), watched(0), collect],
	[
		'collects a paused run alone at once',
		waiting([run({ status: 'paused' })], {}, { resumeWhenPaused: true }),
		watched(0),
		collect,
	],
	[
		'asks once more about a paused one of several',
		waiting(
			[run({ status: 'paused' }), run({ taskId: '2', status: 'finished' })],
			{},
			{ resumeWhenPaused: true },
		),
		watched(5_000),
		poll('1'),
	],
	[
		'and collects then',
		waiting(
			[run({ status: 'paused' }), run({ taskId: '2', status: 'finished' })],
			{},
			{ resumeWhenPaused: true },
		),
		watched(5_000, { polledAt: 3_000 }),
		collect,
	],
	[
		'waits for a run that pauses otherwise',
		waiting([run({ status: 'paused' })], { statusesAt: 0 }),
		watched(0),
		suspend,
	],
	['with Don’t Wait, collects what was started', waiting([run()], by('none')), inPlace(0), collect],
	[
		'with Don’t Wait, waits for a slot',
		waiting([run(), due], by('none')),
		inPlace(0, { startsSentAt: 0 }),
		delay(2_000),
	],
])('%s', (_, ledger, { host, facts, now }, expected) => {
	const before = structuredClone(ledger);
	expect(nextStep(ledger, host, { ...AWAKE, ...facts }, now)).toEqual(expected);
	expect(ledger).toEqual(before);
});

describe('with Cancel a Run After', () => {
	const limited = (entries: Entry[], more: Partial<Ledger> = {}) =>
		waiting(entries, { statusesAt: 10 * MINUTE, ...more }, { cancelAfterMs: 10 * MINUTE });

	it.each<[string, StartedEntry, Partial<Ledger>, object]>([
		['its time over', run({ startedAt: 0 }), {}, cancel('age', '1')],
		['time left', run({ startedAt: 1 }), {}, suspend],
		['no start of its own known', run(), { lastStartedAt: 0 }, cancel('age', '1')],
		['been canceled', run({ startedAt: 0, cancelReason: 'age' }), {}, suspend],
		[
			'been refused a minute ago',
			run({ startedAt: 0, cancelSentAt: 9 * MINUTE }),
			{},
			cancel('age', '1'),
		],
		['been refused later', run({ startedAt: 0, cancelSentAt: 9 * MINUTE + 1 }), {}, suspend],
		['another start', run({ startedAt: 0, isReused: true }), { lastStartedAt: 0 }, suspend],
		['ended', run({ startedAt: 0, status: 'finished' }), {}, collect],
		['been started elsewhere', run(), {}, suspend],
		['nobody to wait for it', run({ startedAt: 0 }), { waitMethod: 'none' }, collect],
	])('a run that has %s is canceled or left', (_, entry, more, expected) => {
		expect(nextStep(limited([entry], more), WATCHED, AWAKE, 10 * MINUTE)).toEqual(expected);
	});

	it('there is something to do when the first time is over, a minute later where that was in vain', () => {
		const entries = [run({ startedAt: 5 }), run({ startedAt: 3 }), run()];
		expect(nextDeadline(limited(entries))).toBe(10 * MINUTE + 3);
		expect(nextDeadline(limited([run({ startedAt: 3, cancelSentAt: 11 * MINUTE })]))).toBe(
			12 * MINUTE,
		);
		expect(nextDeadline(limited(entries, { deadline: 9 }))).toBe(9);
		expect(nextDeadline(limited([run({ startedAt: 5, isReused: true })]))).toBe(HOUR);
	});
});

describe('an execution that is resumed', () => {
	const seen = (more: Partial<Seen> = {}): Seen => ({
		suspendedAt: 100,
		canResume: true,
		runs: new Map([['1', 'paused']]),
		calledBack: new Set(),
		activity: { polledAt: 200 },
		...more,
	});

	it.each<[string, Seen | undefined, number | undefined]>([
		['knows what its watcher has read', seen(), 200],
		['knows what it knew, where that has not polled yet', seen({ activity: { polledAt: 60 } }), 50],
		['asks where another process may know more', undefined, undefined],
		[
			'asks where another process was its watcher, and this one only took calls',
			seen({ activity: { polledAt: 60 }, canResume: false }),
			undefined,
		],
		['asks where a run has called back', seen({ calledBack: new Set(['1']) }), undefined],
		[
			'asks where a callback came since',
			seen({ activity: { polledAt: 200, calledBackAt: 200 } }),
			undefined,
		],
		[
			'asks where its watcher was refused',
			seen({ activity: { polledAt: 200, requestFailedAt: 201 } }),
			undefined,
		],
	])('%s', (_, what, statusesAt) => {
		const ledger = waiting([run()], { statusesAt: 50, suspension: suspensionWith('one') });
		recordAwake(ledger, what);
		expect(ledger.statusesAt).toBe(statusesAt);
		expect(ledger.suspension).toBeUndefined();
		expect(ledger.entries[0]?.status).toBe(what === undefined ? 'running' : 'paused');
	});
});
