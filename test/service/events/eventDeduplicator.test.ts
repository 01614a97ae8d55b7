import fc from 'fast-check';
import { EventDeduplicator } from '../../../nodes/BrowserAutomation/service/events/eventDeduplicator';
import {
	isTerminal,
	RUN_STATUSES,
	type RunStatus,
} from '../../../nodes/BrowserAutomation/service/runs/runStatus';

/** A change that gets through, if it is one. */
function tell(memory: EventDeduplicator, taskId: string, status: RunStatus) {
	const change = memory.emit(taskId, status);
	memory.confirm(taskId);
	return change;
}

function restarted(memory: EventDeduplicator, most = 5): EventDeduplicator {
	const next = new EventDeduplicator(10);
	next.add(memory.write(most));
	return next;
}

describe('what was told of runs', () => {
	it('is told once, with the status before', () => {
		const memory = new EventDeduplicator(10);
		expect(memory.knows('1')).toBe(false);
		expect(tell(memory, '1', 'running')).toEqual({
			taskId: '1',
			before: undefined,
			status: 'running',
		});
		expect(memory.knows('1')).toBe(true);
		expect(tell(memory, '1', 'finished')).toEqual({
			taskId: '1',
			before: 'running',
			status: 'finished',
		});
		expect(tell(memory, '1', 'finished')).toBeUndefined();
		expect(memory.hasEmitted('1', 'finished')).toBe(true);
		expect(memory.hasEmitted('1', 'running')).toBe(true);
	});

	it('tells the same status again after another one', () => {
		const memory = new EventDeduplicator(10);
		for (const status of ['running', 'paused', 'running', 'paused'] as const) {
			expect(memory.hasEmitted('1', status)).toBe(false);
			expect(tell(memory, '1', status)).toBeDefined();
		}
	});

	it('tells of an end at most once and of nothing after it, in whatever order looks come', () => {
		const look = fc.record({
			status: fc.constantFrom(...RUN_STATUSES),
			restart: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
				let memory = new EventDeduplicator(10);
				const told = looks.flatMap(({ status, restart }) => {
					const change = tell(memory, '1', status);
					if (restart) memory = restarted(memory);
					return change ?? [];
				});
				const ends = told.filter(({ status }) => isTerminal(status));
				expect(ends.length).toBeLessThan(2);
				if (ends.length > 0) expect(told.at(-1)).toBe(ends[0]);
				for (const { before, status } of told) expect(before).not.toBe(status);
			}),
		);
	});

	it('is forgotten of those first that have ended, and then of the longest unheard of', () => {
		const memory = new EventDeduplicator(3);
		tell(memory, 'open', 'running');
		tell(memory, 'over', 'finished');
		tell(memory, 'other', 'running');
		tell(memory, 'more', 'running');
		expect(['open', 'over', 'other', 'more'].map((id) => memory.knows(id))).toEqual([
			true,
			false,
			true,
			true,
		]);
		tell(memory, 'open', 'paused');
		tell(memory, 'last', 'running');
		expect(memory.knows('other')).toBe(false);
		expect(memory.knows('open')).toBe(true);
	});

	it('shows which runs have not ended, and forgets one that is gone', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'running');
		tell(memory, '2', 'finished');
		tell(memory, '3', 'created');
		memory.forget('3');
		expect([...memory.openRuns()]).toEqual([['1', 'running']]);
	});
});

describe('a change that does not get through', () => {
	it('is told again', () => {
		const memory = new EventDeduplicator(10);
		memory.emit('1', 'running');
		memory.takeBack('1');
		expect(memory.knows('1')).toBe(false);
		tell(memory, '1', 'running');
		memory.emit('1', 'finished');
		memory.takeBack('1');
		expect(memory.hasEmitted('1', 'running')).toBe(true);
		expect(memory.emit('1', 'finished')).toMatchObject({ before: 'running' });
	});

	it('takes back none that got through', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'finished');
		memory.takeBack('1');
		memory.takeBack('2');
		memory.confirm('2');
		expect(memory.hasEmitted('1', 'finished')).toBe(true);
		expect(memory.knows('2')).toBe(false);
	});

	it('is not written until it gets through', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'running');
		memory.emit('1', 'finished');
		memory.emit('2', 'finished');
		expect(memory.write(5)).toEqual(['running 1']);
		memory.confirm('1');
		memory.confirm('2');
		expect(memory.write(5)).toEqual(['finished 1', 'finished 2']);
	});
});

describe('what is kept outside', () => {
	it('is the latest that have ended, and as many that have not', () => {
		const memory = new EventDeduplicator(10);
		for (const id of ['1', '2', '3']) tell(memory, id, 'running');
		for (const id of ['4', '5', '6']) tell(memory, id, 'failed');
		expect(memory.write(2)).toEqual(['failed 5', 'failed 6', 'running 2', 'running 3']);
		expect([...restarted(memory, 2).openRuns()]).toEqual([
			['2', 'running'],
			['3', 'running'],
		]);
	});

	it('is added to what is known here, where the run has ended there alone', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'paused');
		tell(memory, '2', 'finished');
		memory.add(['running 1', 'failed 2', 'running 3 b']);
		expect(memory.write(5)).toEqual(['finished 2', 'paused 1', 'running 3 b']);
		memory.add(['canceled 1']);
		expect(memory.hasEmitted('1', 'finished')).toBe(true);
		expect(memory.openRuns().has('1')).toBe(false);
	});

	it('is read as far as it can be', () => {
		const memory = new EventDeduplicator(10);
		memory.add(['', 'running', 'running ', 'odd 1', 'unknown 2']);
		expect(memory.write(5)).toEqual(['unknown 2']);
	});
});
