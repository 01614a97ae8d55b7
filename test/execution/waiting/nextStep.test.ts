import type { AwakeState } from '../../../nodes/BrowserAutomation/execution/waiting/batch/pass';
import {
	nextCancelOrLimitAt,
	nextStep,
	type Abilities,
} from '../../../nodes/BrowserAutomation/execution/waiting/nextStep';
import { ledgerOf, request, RESUME_URL, running } from './ledgerOf';
import type { Entry, Ledger, StartedEntry } from './ledgerOf';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** When the last minute begins of what may wait for an hour. */
const LAST = HOUR - MINUTE;

const AWAKE: AwakeState = { openedAt: 0, random: 0.5 };
const ABLE = { resumeUrl: RESUME_URL, canWatch: true, suspendableFrom: 0, allowedStarts: Infinity };

const POLLED = { pollTriedAt: HOUR };

/** A pause is enough. */
const PAUSING = { isPauseEnough: true, cancelAtLimit: true };

/** Its caller waits for the results. */
const NOT_YET = { resumeUrl: undefined };

/** A ledger of a batch that has begun at 0 and may wait for an hour. */
const waiting = (entries: Entry[], more: Partial<Ledger> = {}, settings = {}) =>
	ledgerOf(entries, { deadline: HOUR, ...more }, settings);

const run = (more: Partial<StartedEntry> = {}): StartedEntry => ({ ...running('1'), ...more });
const pausedRun = run({ status: 'paused' });
const due: Entry = { request, inputKey: 'a' };
const reused: Entry = { ...run(), taskId: '2', isReused: true };
const poll = (...taskIds: string[]) => ({ do: 'poll', taskIds, until: expect.any(Number) });
const cancel = (why: string, ...taskIds: string[]) => ({ do: 'cancel', taskIds, why });
const start = (items: number[], oneByOne = false) => ({ do: 'start', items, oneByOne });
const delay = (until: number) => ({ do: 'delay', until });
const [collect, fail] = [{ do: 'collect' }, { do: 'fail' }];
const suspend = { do: 'suspend', resumeUrl: RESUME_URL };

interface Moment {
	now: number;
	host: Abilities;
	awake: Partial<AwakeState>;
}

/** A moment in a round, where a watcher reads statuses, where nobody does, or where the node is never suspended. */
const watched = (
	now: number,
	{ allowedStarts = Infinity, ...awake }: Partial<AwakeState & Abilities> = {},
	more = {},
): Moment => ({ now, host: { ...ABLE, allowedStarts, ...more }, awake });
const alone = (now: number, awake = {}) => watched(now, awake, { canWatch: false });
const from6 = (now: number) => watched(now, {}, { canWatch: false, suspendableFrom: 6 });
const inPlace = (now: number, awake = {}) =>
	watched(now, awake, { resumeUrl: undefined, canWatch: false });

/** One run that is waited for in some way, of which all was known at a moment, if ever. */
const by = (waitMethod: Ledger['waitMethod'], statusesAt?: number, more: Partial<Ledger> = {}) =>
	waiting([run()], { waitMethod, ...(statusesAt !== undefined && { statusesAt }), ...more });
const askedAt = (statusesAt: number) => by('callback', statusesAt);
const later: Partial<Ledger> = { begunAt: HOUR, deadline: 2 * HOUR };
const unwatched = by('callback', 4, { lastStartAt: 5 });
const [lateStart, lateRun] = [
	waiting([due], { ...later, waitMethod: 'inPlace' }),
	by('noCallbacks', HOUR, later),
];
const beforeMinute = alone(HOUR + MINUTE - 1, { pollTriedAt: HOUR + MINUTE - 2 });
const late = by('noCallbacks', LAST + 1);

/** All is canceled: a start, or a run about which the service was asked then. */
const canceled = (entry: Entry) => waiting([entry], { isCanceled: true, statusesAt: 1 }, PAUSING);
const canceledOnce = (cancelSentAt: number) => canceled(run({ cancelSentAt }));
const taken = canceled(run({ cancelSentAt: 0, cancelReason: 'person' }));

/** Runs at the limit, at which they are to be canceled, or where a start was refused, for which they are to be. */
const limited = waiting([run(), reused], { statusesAt: HOUR }, { cancelAtLimit: true });
const unwaited = (...entries: Entry[]) =>
	waiting(entries, { waitMethod: 'none', statusesAt: HOUR }, { cancelAtLimit: true });
const strict = (...entries: Entry[]) => waiting(entries, {}, { cancelOnFailedStart: true });
const failed = watched(5, { startFailure: { at: 5, error: undefined, itemIndex: 0 } });

/** Starts of which none was sent, in line, or that the service has asked to send later. */
const queued = waiting([due, due], { queuedAt: 0 });
const inWave = waiting([due], { waveEnd: 1, queuedAt: 0 });
const inLine = waiting([run(), due], { waveEnd: 0, queuedAt: 0 });
const slowed = waiting([due], { slowed: { until: 9_000, times: 1 } });
const slowedBeside = { ...by('callback', 2_000), entries: [run(), due], slowed: slowed.slowed };
const resumedLater = { startsSentAt: MINUTE, openedAt: MINUTE };
const slowedLong = { ...slowedBeside, queuedAt: 0, statusesAt: MINUTE };
const sent = waiting([{ ...due, isBeingSent: true }], { waitMethod: 'inPlace' });
const unstored = (...entries: Entry[]) => waiting(entries, { waveEnd: 0 });
const notYet = { allowedStarts: 0 };
const refused = (startsSentAt = 0) => ({ startsSentAt });
const granted = { ...refused(), allowedStarts: 1 };
const lateInPlace = waiting([due], { waitMethod: 'inPlace' });
const setBack = inPlace(5, { ...refused(5), openedAt: 9 });
const soon = { suspendableFrom: 700 };

/** A paused run alone, and beside another, where a pause is enough. */
const paused = (...others: Entry[]) => waiting([pausedRun, ...others], {}, PAUSING);
const askedBefore = watched(5_000, { pollTriedAt: 3_000 });
const finished: Entry = { taskId: '2', status: 'finished' };
const startedBeside = waiting([pausedRun, finished], { statusesAt: 5_000 }, PAUSING);
const three = waiting([run(), finished, run({ taskId: '3' })]);

it.each<[title: string, Ledger, Moment, expected: object]>([
	['starts what is due', waiting([due, run(), due]), inPlace(0), start([0, 2])],
	['tries one by one where it has waited', queued, watched(0), start([0, 1], true)],
	['starts at once what it has slots for', queued, watched(0, granted), start([0])],
	['starts nothing twice', sent, inPlace(0), delay(HOUR)],
	['starts a wave', waiting([due, due, due], { waveEnd: 2 }), watched(0), start([0, 1])],
	['tries again though a clock was put back', waiting([due]), inPlace(5, refused(6)), start([0])],
	['at its pace, also in a pass that began later', lateInPlace, setBack, delay(2_005)],
	['nor does it stay slowed down then', { ...slowed, lastStartAt: 6 }, watched(5), start([0])],
	['stores the next wave, also unwatched', unstored(due, due), alone(0), suspend],
	['waits in place to store a wave', unstored(due), inPlace(0), delay(500)],
	['sleeps between waves without a poll', unstored(run(), due), watched(0), suspend],
	['asks about runs in line', inLine, watched(0, notYet), poll('1')],
	['sleeps in line', queued, watched(0, notYet), suspend],
	['asks for a slot until it may sleep', queued, watched(0, notYet, soon), delay(500)],
	['uses one in the stored wave', inWave, watched(1, granted, soon), start([0])],
	['sleeps as soon as it may', queued, watched(700, { ...refused(), ...notYet }, soon), suspend],
	['asks for its turn awake', queued, inPlace(0, notYet), delay(500)],
	['tries again 2 s after a refusal', waiting([due]), inPlace(1_999, refused()), delay(2_000)],
	['counts that pause by its age', lateStart, inPlace(HOUR, refused(HOUR)), delay(HOUR + 2_000)],
	['waits as the service asks, unwatched', slowed, alone(2_000, refused()), delay(9_000)],
	['so it does beside a run that calls back', slowedBeside, alone(2_000, refused()), delay(7_000)],
	['but no longer than a minute', slowedLong, alone(MINUTE, refused(MINUTE)), suspend],
	['in each pass', slowedLong, alone(MINUTE, resumedLater), delay(MINUTE + 5_000)],
	['so it waits for a caller', slowed, watched(2_000, refused(), NOT_YET), delay(2_500)],
	['cancels its own before it fails', strict(run(), reused), failed, cancel('failedStart', '1')],
	['fails when it has canceled once', strict(run({ cancelSentAt: 5 })), failed, fail],
	['fails where a start was refused', waiting([due, run()]), failed, fail],
	['cancels nothing where none was', strict(due, run()), watched(5), start([0])],
	['asks about open runs', three, watched(0), poll('1', '3')],
	['asks after a minute, also watched', askedAt(5), watched(MINUTE + 5), poll('1')],
	['asks before it sleeps unwatched', unwatched, alone(5), poll('1')],
	['asks when resumed unwatched', askedAt(4), alone(5, { openedAt: 5 }), poll('1')],
	['asks once more when it may sleep, unwatched', askedAt(5), from6(7), poll('1')],
	['but not before', askedAt(5), from6(5), delay(6)],
	['sleeps a minute after its beginning', by('noCallbacks', 59_000), alone(MINUTE), suspend],
	['counts that minute from its beginning', lateRun, beforeMinute, delay(HOUR + MINUTE + 4_998)],
	['stays awake in the last minute', late, alone(LAST + 1), delay(LAST + 30_001)],
	['asks at its pace after a clock was put back', askedAt(5), alone(5, { openedAt: 9 }), suspend],
	['sleeps unwatched where callbacks come', askedAt(5), alone(5), suspend],
	['sleeps up to a minute before its limit', by('noCallbacks', LAST), alone(LAST), suspend],
	['asks in place for a caller', askedAt(0), watched(0, {}, NOT_YET), delay(500)],
	['counts its polls, too', by('inPlace', 0), inPlace(2_000, { pollTriedAt: 2_000 }), delay(7_000)],
	['distrusts a clock that was put back', askedAt(6), watched(5, { pollTriedAt: 6 }), poll('1')],
	['asks once more at the limit', askedAt(HOUR - 1), watched(HOUR), poll('1')],
	['collects at the limit', askedAt(HOUR), watched(HOUR, POLLED), collect],
	['cancels at the limit what is its own', limited, watched(HOUR, POLLED), cancel('limit', '1')],
	['leaves a run going whose pause is enough', paused(), watched(HOUR), collect],
	['collects started runs with Don’t Wait', unwaited(run()), inPlace(0), collect],
	['cancels nothing with Don’t Wait', unwaited(run()), inPlace(HOUR), collect],
	['starts nothing once all is canceled', canceled(due), watched(0), cancel('person')],
	['cancels paused runs with the others', canceled(pausedRun), watched(0), cancel('person', '1')],
	['cancels again a minute later', canceledOnce(0), watched(MINUTE), cancel('person', '1')],
	['stays awake for a cancel so soon', canceledOnce(1_999), watched(MINUTE), delay(60_001)],
	['does not cancel again before', canceledOnce(2_000), watched(MINUTE), suspend],
	['does not cancel again what is taken', taken, watched(MINUTE), suspend],
	['collects a paused run alone at once', paused(), watched(0), collect],
	['asks again about a paused run of several', paused(finished), watched(5_000), poll('1')],
	['nor does a start tell how one stands', startedBeside, watched(5_000), poll('1')],
	['collects those that it has asked about', paused(finished), askedBefore, collect],
	['has Don’t Wait wait for a slot', unwaited(run(), due), inPlace(0, refused()), delay(2_000)],
])('%s', (_, ledger, { host, awake, now }, expected) => {
	const before = structuredClone(ledger);
	expect(nextStep(ledger, host, { ...AWAKE, ...awake }, now)).toEqual(expected);
	expect(ledger).toEqual(before);
});

it.each([
	[0, HOUR],
	[HOUR - 1, HOUR + 9_999],
	[HOUR, HOUR + 10_000],
])('a poll at %d ms may take until the wait limit, and ten seconds at least', (now, until) => {
	const step = nextStep(by('noCallbacks'), watched(now).host, AWAKE, now);
	expect(step).toEqual({ ...poll('1'), until });
});

describe('with Cancel a Run After', () => {
	const aged = (entries: Entry[], more: Partial<Ledger> = {}) =>
		waiting(entries, { statusesAt: 10 * MINUTE, ...more }, { cancelAfterMs: 10 * MINUTE });
	const at = (startedAt: number, more: Partial<StartedEntry> = {}) => run({ startedAt, ...more });
	const overdue = cancel('age', '1');

	it.each<[string, StartedEntry, Partial<Ledger>, object]>([
		['its time over', at(0), {}, overdue],
		['its time over awake', at(0), { waitMethod: 'inPlace' }, overdue],
		['been canceled', at(0, { cancelReason: 'age' }), {}, suspend],
		['another start', at(0, { isReused: true }), { lastStartAt: 0 }, suspend],
	])('a run that has %s is canceled or left', (_, entry, more, expected) => {
		expect(nextStep(aged([entry], more), ABLE, AWAKE, 10 * MINUTE)).toEqual(expected);
	});

	it.each<[string, Entry[], Partial<Ledger>, number]>([
		['the first time is over', [at(5), at(3), run()], {}, 10 * MINUTE + 3],
		['a minute has passed since a cancel', [at(3, { cancelSentAt: 660_000 })], {}, 12 * MINUTE],
		['the wait limit is reached before', [at(5)], { deadline: 9 }, 9],
		['the wait limit is, for a start of others', [at(5, { isReused: true })], {}, HOUR],
	])('there is something to do when %s', (_, entries, more, expected) => {
		expect(nextCancelOrLimitAt(aged(entries, more))).toBe(expected);
	});
});
