import {
	type Entry,
	type Ledger,
	type StartedEntry,
} from '../../../nodes/BrowserAutomation/execution/waiting/batch/ledger';
import {
	nextDeadline,
	nextStep,
	type Abilities,
	type AwakeFacts,
} from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import { ledgerOf, request, RESUME_URL, running } from './ledgerOf';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

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
