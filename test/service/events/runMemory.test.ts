import { RunMemory } from '../../../nodes/BrowserAutomation/service/events/runMemory';
import {
	type RunStatus,
	V2_TASKS,
	V3_RUNS,
} from '../../../nodes/BrowserAutomation/service/runs/runApi';

function memoryOf(max: number): RunMemory {
	return new RunMemory({ open: max, known: max });
}

/** Records a run's status, if it is news; whether it is. */
function report(memory: RunMemory, taskId: string, status: RunStatus): boolean {
	const isNews = memory.hasChanged(taskId, status);
	if (isNews) memory.record(taskId, status);
	return isNews;
}

function newsOf(memory: RunMemory, taskId: string, ...statuses: RunStatus[]): RunStatus[] {
	return statuses.filter((status) => memory.hasChanged(taskId, status));
}

function restarted(memory: RunMemory, max = 5): RunMemory {
	const next = memoryOf(10);
	next.add(memory.write(max));
	return next;
}

describe('what was told of runs', () => {
	it('is forgotten of the ended run that was recorded longest ago; such an open one is no longer checked', () => {
		const memory = memoryOf(2);
		for (const id of ['1', '2', '3']) report(memory, id, 'running');
		report(memory, '2', 'paused');
		expect(memory.taskIdsToCheck()).toEqual(['3', '2']);
		expect(newsOf(memory, '1', 'running', 'failed')).toEqual(['failed']);
		for (const id of ['4', '5']) report(memory, id, 'finished');
		expect(['1', '2', '3', '4', '5'].filter((id) => !memory.knows(id))).toEqual(['1']);
	});

	it('shows which runs have not ended, and one that is gone no more, though it stays known', () => {
		const memory = memoryOf(10);
		report(memory, '1', 'running');
		report(memory, '2', 'finished');
		report(memory, '3', 'created');
		expect(['3', '3', '4'].map((id) => memory.stopChecking(id))).toEqual([true, false, false]);
		expect(memory.taskIdsToCheck()).toEqual(['1']);
		expect(newsOf(memory, '3', 'created', 'failed')).toEqual(['failed']);
	});
});

it('a run that is still to be read is open, whatever was reported of it before, and any status is new', () => {
	const memory = memoryOf(10);
	memory.record('1', undefined, 5);
	report(memory, '2', 'running');
	memory.record('2', undefined);
	expect(memory.knows('1')).toBe(true);
	expect([memory.statusOf('1'), memory.statusOf('2')]).toEqual([undefined, 'running']);
	expect(newsOf(memory, '1', 'created')).toEqual(['created']);
	expect(newsOf(memory, '2', 'running')).toEqual([]);
	expect(memory.write()).toEqual(['unread 1 5 1', 'running 1 0 2']);
});

it('of runs that could not be read, only so many are to be read, whatever keeps being named', () => {
	const memory = new RunMemory({ open: 5, unread: 2, known: 5 });
	memory.record('open', 'running');
	const isNew = ['1', '2', '2', '3', 'open'].map((id) => memory.addUnread(id, V3_RUNS));

	expect(isNew).toEqual([true, true, false, true, false]);
	expect(memory.taskIdsToCheck()).toEqual(['open', '2', '3']);
	expect(memory.stopChecking('2')).toBe(true);
	expect(memory.knows('2')).toBe(false);
});

it('runs from before a moment are forgotten, but for those that are open', () => {
	const memory = memoryOf(10);
	memory.record('1', 'running', 5);
	memory.record('2', 'running', 5);
	memory.record('2', 'finished', 9);
	memory.record('3', 'finished', 6);
	expect(memory.creations()).toEqual([6, 5, 5]);
	memory.forgetBefore(6);
	expect(['1', '2', '3'].filter((id) => memory.knows(id))).toEqual(['1', '3']);
});

describe('what is kept outside', () => {
	it('is the latest that have ended, and as many that have not', () => {
		const memory = memoryOf(10);
		for (const id of ['1', '2', '3']) report(memory, id, 'running');
		for (const id of ['4', '5', '6']) report(memory, id, 'failed');
		const open = ['running 1 0 2', 'running 1 0 3'];
		expect(memory.write(2)).toEqual(['failed 1 0 5', 'failed 1 0 6', ...open]);
		expect(restarted(memory, 2).taskIdsToCheck()).toEqual(['2', '3']);
	});

	it('is added to what is known here, where the run has ended there, or changed more often', () => {
		const memory = memoryOf(10);
		for (const status of ['running', 'paused'] as const) report(memory, '1', status);
		report(memory, '2', 'finished');
		memory.add(['running 2 0 1', 'failed 5 0 2', 'running 4 7 3 b']);
		expect(memory.write(5)).toEqual(['finished 1 0 2', 'paused 2 0 1', 'running 4 7 3 b']);
		memory.add(['running 3 0 1', 'running 5 0 2']);
		expect(['1', '2'].map((id) => memory.statusOf(id))).toEqual(['running', 'finished']);
		expect(report(memory, '1', 'paused')).toBe(true);
		expect(memory.write(5)).toContain('paused 4 0 1');
		memory.add(['canceled 1 0 1']);
		expect(memory.hasChanged('1', 'finished')).toBe(false);
		expect(memory.taskIdsToCheck()).not.toContain('1');
	});

	it('tells by which API a run is to be read', () => {
		const memory = memoryOf(10);
		memory.record('1', 'running', 0, V2_TASKS);
		memory.record('2', 'running');
		expect(memory.write()).toEqual(['running v2 1 0 1', 'running 1 0 2']);
		const next = restarted(memory);
		expect(['1', '2', '3'].map((id) => next.apiOf(id).name)).toEqual(['v2', 'v3', 'v3']);
	});

	it('is read as far as it can be', () => {
		const memory = memoryOf(10);
		memory.add(['- running 1 0 1', '', 7, 'running', 'running 1 0 ', 'running 1 x 1', 'odd 1 0 1']);
		memory.add(['unknown 12 0 2']);
		memory.add('running 1 0 3');
		expect(memory.write(5)).toEqual(['unknown 12 0 2']);
	});
});
