import { MAX_OPEN, PollCursor } from '../../../nodes/BrowserAutomation/service/events/pollCursor';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

describe('what a poll looks for', () => {
	it('never goes past the service’s present, and back where its clock was put back', () => {
		const cursor = new PollCursor(NOW);
		expect(cursor.advance(NOW + 30 * MINUTE, NOW + MINUTE)).toBe(false);
		expect(cursor.from).toBe(NOW + 5_000);
		expect(cursor.advance(NOW, NOW - 5 * MINUTE)).toBe(true);
		expect(cursor.from).toBe(cursor.knownFrom);
		expect(cursor.advance(NOW + MINUTE, NOW - 5 * MINUTE)).toBe(false);
		expect(cursor.from).toBe(NOW - 6 * MINUTE + 5_000);
	});

	it('is not blind to new runs while more are dated ahead than it remembers', () => {
		const cursor = new PollCursor(NOW);
		for (let run = 0; run < 2_003; run++) {
			cursor.runs.record(`odd-${run}`, 'finished', NOW + 1_000 * MINUTE + run);
		}
		cursor.advance(NOW + 1, NOW + 1);
		expect(cursor.from).toBe(NOW + 1 - MINUTE);
	});

	it('still looks for runs of the moment from which on all are known', () => {
		const cursor = new PollCursor(NOW);
		for (let run = 0; run < 500; run++) cursor.runs.record(`run-${run}`, 'finished', NOW - MINUTE);
		cursor.advance(NOW);
		expect(cursor.from).toBe(NOW - MINUTE);
	});

	it('moves on where more runs were created within a minute than it remembers', () => {
		const cursor = new PollCursor(NOW);
		for (let run = 0; run < 2_000; run++) cursor.runs.record(`run-${run}`, 'finished', NOW - run);
		cursor.advance(NOW);
		expect(cursor.from).toBe(NOW - MINUTE);
		for (let run = 2_000; run < 2_003; run++)
			cursor.runs.record(`run-${run}`, 'finished', NOW - run);
		cursor.advance(NOW);
		expect(cursor.from).toBe(NOW - 2_000 + 1);
		expect(cursor.runs.hasChanged('run-1999', 'finished')).toBe(false);
		expect(cursor.runs.hasChanged('run-2000', 'finished')).toBe(true);
	});
});

it('too many open runs are those that were asked for longest ago: they stay known, and are asked for no more', () => {
	const cursor = new PollCursor(NOW);
	for (let run = 0; run <= MAX_OPEN; run++) cursor.runs.record(`run-${run}`, 'running', NOW);
	expect(cursor.runs.taskIdsToCheck()).toHaveLength(MAX_OPEN);
	expect(cursor.runs.taskIdsToCheck()[0]).toBe('run-1');
	expect(cursor.runs.knows('run-0')).toBe(true);
});

describe('what is kept of a cursor', () => {
	const cursor = new PollCursor(NOW);
	cursor.runs.record('1', 'running', NOW);
	cursor.runs.record('2 b', undefined, NOW - 5);
	cursor.runs.record('3', 'finished', NOW);
	cursor.runs.record('4', 'finished', NOW - 11);
	cursor.forgetBefore(NOW - 10);
	const kept = cursor.write();

	it('is all of it', () => {
		expect(kept).toEqual({
			newest: NOW,
			knownFrom: NOW - 10,
			partialAt: null,
			runs: [`finished 1 ${NOW} 3`, `running 1 ${NOW} 1`, `unread 1 ${NOW - 5} 2 b`],
		});
		expect(PollCursor.read(kept)?.write()).toEqual(kept);
	});

	it('is read as far as it can be', () => {
		const odd = { newest: 5, knownFrom: 'x', runs: ['5', 7, 'failed 1 5 1'] };
		expect(PollCursor.read(odd)?.write()).toEqual({
			newest: 5,
			knownFrom: 5 - 10 * MINUTE,
			partialAt: null,
			runs: ['failed 1 5 1'],
		});
		expect(PollCursor.read({ newest: 5, runs: 'none' })?.write()).toMatchObject({ runs: [] });
		expect(PollCursor.read({ newest: '5' })).toBeUndefined();
		expect(PollCursor.read({ newest: 1e20 })).toBeUndefined();
		expect(PollCursor.read('5')).toBeUndefined();
	});
});
