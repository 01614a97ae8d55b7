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

const MINUTE = 60_000;
/** Its caller waits for the results. */
const NOT_YET = { resumeUrl: undefined };
const HOUR = 60 * MINUTE;

const AWAKE: AwakeFacts = { awakeSince: 0, random: 0.5 };
const WATCHED = {
	...{ resumeUrl: RESUME_URL, canResume: true },
	...{ concurrency: 5, allowedStarts: Infinity },
};

/** A ledger of a batch that has begun at 0 and may wait for an hour. */
const waiting = (entries: Entry[], more: Partial<Ledger> = {}, settings = {}) =>
	ledgerOf(entries, { deadline: HOUR, ...more }, settings);

const run = (more: Partial<StartedEntry> = {}): StartedEntry => ({ ...running('1'), ...more });
const due: Entry = { request, inputKey: 'a' };
const reused: Entry = { ...run(), taskId: '2', isReused: true };
const poll = (...runs: string[]) => ({ do: 'poll', runs, until: expect.any(Number) });
const cancel = (why: string, ...runs: string[]) => ({ do: 'cancel', runs, why });
const start = (items: number[], atOnce = 5) => ({ do: 'start', items, atOnce });
const delay = (until: number) => ({ do: 'delay', until });
const [collect, fail] = [{ do: 'collect' }, { do: 'fail' }];
const suspend = { do: 'suspend', resumeUrl: RESUME_URL };

interface Moment {
	now: number;
	host: Abilities;
	facts: Partial<AwakeFacts>;
}

/** A moment in a round, where a watcher reads statuses, where nobody does, or where the node is never suspended. */
const watched = (
	now: number,
	{ allowedStarts = Infinity, ...facts }: Partial<AwakeFacts & Abilities> = {},
	more = {},
): Moment => ({ now, host: { ...WATCHED, allowedStarts, ...more }, facts });
const alone = (now: number, facts = {}) => watched(now, facts, { canResume: false });
const inPlace = (now: number, facts = {}) =>
	watched(now, facts, { resumeUrl: undefined, canResume: false });

/** One run: of which nothing is known, which was asked about then, or which is waited for otherwise. */
const ONE = waiting([run()]);
const askedAt = (statusesAt: number) => waiting([run()], { statusesAt });
const by = (waitMethod: Ledger['waitMethod'], more: Partial<Ledger> = {}) =>
	waiting([run()], { waitMethod, ...more });
const later: Partial<Ledger> = { begunAt: HOUR, deadline: 2 * HOUR };
const canceled = (more: Partial<StartedEntry>, statusesAt: number) =>
	waiting([run(more)], { isCanceled: true, statusesAt });

/** One run at the limit, at which it is to be canceled, or where a start was refused, for which it is to be. */
const limited = (more: Partial<StartedEntry> = {}, known: Partial<Ledger> = { statusesAt: HOUR }) =>
	waiting([run(more), reused], known, { cancelAtLimit: true });
const strict = (...entries: Entry[]) => waiting(entries, {}, { cancelOnFailedStart: true });
const failed = watched(5, { startFailedAt: 5 });

/** Starts of which none was sent, in line, or that the service has asked to send later. */
const queued = waiting([due, due], { queuedAt: 0 });
const slowed = waiting([due], { slowed: { until: 9_000, times: 1 } });
const notYet = { allowedStarts: 0 };
const refused = (startsSentAt = 0) => ({ startsSentAt });

/** Where a pause is enough: a paused run alone, and beside another. */
const paused = (...others: Entry[]) =>
	waiting([run({ status: 'paused' }), ...others], {}, { resumeWhenPaused: true });
const finished: Entry = { taskId: '2', status: 'finished' };

it.each<[title: string, Ledger, Moment, expected: object]>([
	['starts what is due', waiting([due, run(), due]), inPlace(0), start([0, 2])],
	['as many as others let it', waiting([due, due]), watched(0, { allowedStarts: 1 }), start([0])],
	['tries one by one where it has waited', queued, watched(0), start([0, 1], 1)],
	['starts what it has slots for', queued, watched(0, { allowedStarts: 2 }), start([0, 1])],
	['no start twice', waiting([{ ...due, isBeingSent: true }]), inPlace(0), delay(HOUR)],
	['a wave', waiting([due, due, due], { waveEnd: 2 }), watched(0), start([0, 1])],
	['all, without waves', waiting([due, due]), alone(0), start([0, 1])],
	['a wave, also alone', waiting([due, due], { waveEnd: 1 }), alone(0), start([0])],
	['stores the next wave, also alone', waiting([due, due], { waveEnd: 0 }), alone(0), suspend],
	['and in line', waiting([due], { waveEnd: 0, queuedAt: 0 }), alone(0), suspend],
	['waits to store it', waiting([due], { waveEnd: 0 }), inPlace(0), delay(2_000)],
	['sleeps between waves, unasked', waiting([run(), due], { waveEnd: 0 }), watched(0), suspend],
	['sleeps in line', queued, watched(0, notYet), suspend],
	['asks for its turn awake', queued, watched(0, notYet, NOT_YET), delay(2_000)],
	['tries again 2 s after a refusal', waiting([due]), inPlace(1_999, refused()), delay(2_000)],
	['starts again then', waiting([due]), inPlace(2_000, refused()), start([0])],
	['by its own age', waiting([due], later), inPlace(HOUR, refused(HOUR)), delay(HOUR + 2_000)],
	['waits as long as the service asks', slowed, inPlace(2_000, refused()), delay(9_000)],
	['also where no run can call back', slowed, alone(2_000, refused()), delay(9_000)],
	['starts nothing at its limit', waiting([due]), inPlace(HOUR), collect],
	['ends with a refused start', waiting([due, run()]), failed, fail],
	['cancels its own runs before', strict(run(), reused), failed, cancel('refusal', '1')],
	['but once', strict(run({ cancelSentAt: 5 })), failed, fail],
	['and none where no start was refused', strict(due, run()), watched(5), start([0])],
	[
		'asks about unknown runs',
		waiting([run(), finished, run({ taskId: '3' })]),
		watched(0),
		poll('1', '3'),
	],
	['believes its watcher for a minute', askedAt(5), watched(MINUTE + 4), suspend],
	['and not longer', askedAt(5), watched(MINUTE + 5), poll('1')],
	['sleeps where it just asked in vain', ONE, watched(7, { polledAt: 7 }), suspend],
	[
		'asks before it sleeps, unwatched',
		by('callback', { lastStartedAt: 5, statusesAt: 4 }),
		alone(5),
		poll('1'),
	],
	['and when it is resumed there', askedAt(4), alone(5, { awakeSince: 5 }), poll('1')],
	['sleeps there where callbacks come', askedAt(5), alone(5), suspend],
	[
		'stays awake for a minute where none comes',
		by('timer', { statusesAt: 55_000 }),
		alone(MINUTE - 1),
		delay(MINUTE),
	],
	['and sleeps then', by('timer', { statusesAt: 59_000 }), alone(MINUTE), suspend],
	[
		'counting from its own beginning',
		by('timer', { ...later, statusesAt: HOUR }),
		alone(HOUR + MINUTE - 1, { polledAt: HOUR + MINUTE - 2 }),
		delay(HOUR + MINUTE + 4_998),
	],
	[
		'also a minute before its limit',
		by('timer', { statusesAt: HOUR - MINUTE }),
		alone(HOUR - MINUTE),
		suspend,
	],
	[
		'but not in the last minute',
		by('timer', { statusesAt: HOUR - 59_000 }),
		alone(HOUR - 59_000),
		delay(HOUR - 29_000),
	],
	['asks in place after 2 s', by('inPlace', { statusesAt: 0 }), inPlace(0), delay(2_000)],
	[
		'then after 5 s',
		by('inPlace', { statusesAt: 0 }),
		inPlace(2_000, { polledAt: 2_000 }),
		delay(7_000),
	],
	[
		'and less often',
		by('inPlace'),
		inPlace(6 * MINUTE, { polledAt: 6 * MINUTE }),
		delay(6.25 * MINUTE),
	],
	['by its own age', by('inPlace', later), inPlace(HOUR, { polledAt: HOUR }), delay(HOUR + 2_000)],
	['stays awake for a caller', askedAt(0), watched(0, {}, NOT_YET), delay(2_000)],
	['distrusts a clock that was put back', askedAt(6), watched(5, { polledAt: 6 }), poll('1')],
	['asks once more at the limit', askedAt(HOUR - 1), watched(HOUR), poll('1')],
	['and no more', askedAt(HOUR), watched(HOUR), collect],
	['cancels at the limit what is its own', limited(), watched(HOUR), cancel('limit', '1')],
	['but once there, too', limited({ cancelSentAt: HOUR }), watched(HOUR), collect],
	[
		'asks how a canceled run stands',
		limited({ cancelSentAt: HOUR }, {}),
		watched(HOUR),
		poll('1', '2'),
	],
	['cancels nothing with Don’t Wait', limited({}, { waitMethod: 'none' }), inPlace(HOUR), collect],
	[
		'cancels all for a person',
		waiting([run(), due], { isCanceled: true }),
		watched(0),
		cancel('person', '1'),
	],
	['starts nothing then', waiting([due], { isCanceled: true }), watched(0), cancel('person')],
	[
		'cancels again a minute later',
		canceled({ cancelSentAt: 0 }, 0),
		watched(MINUTE),
		cancel('person', '1'),
	],
	['and not before', canceled({ cancelSentAt: 1 }, 1), watched(MINUTE), suspend],
	[
		'nor what is taken',
		canceled({ cancelSentAt: 0, cancelReason: 'person' }, 1),
		watched(MINUTE),
		suspend,
	],
	['collects what has ended', waiting([finished]), watched(0), collect],
	['collects a paused run alone at once', paused(), watched(0), collect],
	['asks once more about one of several', paused(finished), watched(5_000), poll('1')],
	['and collects then', paused(finished), watched(5_000, { polledAt: 3_000 }), collect],
	[
		'waits for a run that pauses otherwise',
		waiting([run({ status: 'paused' })], { statusesAt: 0 }),
		watched(0),
		suspend,
	],
	['collects started runs with Don’t Wait', by('none'), inPlace(0), collect],
	[
		'but waits for a slot',
		waiting([run(), due], { waitMethod: 'none' }),
		inPlace(0, refused()),
		delay(2_000),
	],
])('%s', (_, ledger, { host, facts, now }, expected) => {
	const before = structuredClone(ledger);
	expect(nextStep(ledger, host, { ...AWAKE, ...facts }, now)).toEqual(expected);
	expect(ledger).toEqual(before);
});

describe('with Cancel a Run After', () => {
	const aged = (entries: Entry[], more: Partial<Ledger> = {}) =>
		waiting(entries, { statusesAt: 10 * MINUTE, ...more }, { cancelAfterMs: 10 * MINUTE });
	const at = (startedAt: number, more: Partial<StartedEntry> = {}) => run({ startedAt, ...more });
	const overdue = cancel('age', '1');

	it.each<[string, StartedEntry, Partial<Ledger>, object]>([
		['its time over', at(0), {}, overdue],
		['time left', at(1), {}, suspend],
		['no start of its own known', run(), { lastStartedAt: 0 }, overdue],
		['been canceled', at(0, { cancelReason: 'age' }), {}, suspend],
		['been refused a minute ago', at(0, { cancelSentAt: 9 * MINUTE }), {}, overdue],
		['been refused later', at(0, { cancelSentAt: 9 * MINUTE + 1 }), {}, suspend],
		['another start', at(0, { isReused: true }), { lastStartedAt: 0 }, suspend],
		['ended', at(0, { status: 'finished' }), {}, collect],
		['been started elsewhere', run(), {}, suspend],
		['nobody to wait for it', at(0), { waitMethod: 'none' }, collect],
	])('a run that has %s is canceled or left', (_, entry, more, expected) => {
		expect(nextStep(aged([entry], more), WATCHED, AWAKE, 10 * MINUTE)).toEqual(expected);
	});

	it.each<[string, Entry[], Partial<Ledger>, number]>([
		['the first time is over', [at(5), at(3), run()], {}, 10 * MINUTE + 3],
		['a minute has passed since a cancel', [at(3, { cancelSentAt: 660_000 })], {}, 12 * MINUTE],
		['the wait limit is reached before', [at(5)], { deadline: 9 }, 9],
		['the wait limit is, for a start of others', [at(5, { isReused: true })], {}, HOUR],
	])('there is something to do when %s', (_, entries, more, expected) => {
		expect(nextDeadline(aged(entries, more))).toBe(expected);
	});
});
