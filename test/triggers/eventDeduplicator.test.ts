import fc from 'fast-check';
import { EventDeduplicator } from '../../nodes/BrowserAutomation/service/eventDeduplicator';
import { isTerminal, RUN_STATUSES } from '../../nodes/BrowserAutomation/service/runStatus';

const BOTH = ['runCompleted', 'runStatusChanged'] as const;

/** Events that get through. */
function tell(memory: EventDeduplicator, ...look: Parameters<EventDeduplicator['emit']>): void {
	memory.confirm(memory.emit(...look));
}

describe('what was told of runs', () => {
	it('is told once, with the status before', () => {
		const memory = new EventDeduplicator(10);
		expect(memory.knows('1')).toBe(false);
		expect(memory.emit('1', 'running', ['runStatusChanged'])).toStrictEqual([
			{ event: 'runStatusChanged', taskId: '1', status: 'running' },
		]);
		expect(memory.knows('1')).toBe(true);
		expect(memory.emit('1', 'finished', ['runCompleted'])).toEqual([
			{ event: 'runCompleted', taskId: '1', status: 'finished', previousStatus: 'running' },
		]);
		expect(memory.emit('1', 'finished', ['runStatusChanged'])).toEqual([
			{ event: 'runStatusChanged', taskId: '1', status: 'finished', previousStatus: 'running' },
		]);
		expect(memory.emit('1', 'finished', BOTH)).toEqual([]);
		expect(memory.hasEmitted('1', 'finished', BOTH)).toBe(true);
		expect(memory.hasEmitted('1', 'running', BOTH)).toBe(true);
	});

	it('tells the same status again after another one', () => {
		const memory = new EventDeduplicator(10);
		for (const status of ['running', 'paused', 'running', 'paused'] as const) {
			expect(memory.hasEmitted('1', status, ['runStatusChanged'])).toBe(false);
			expect(memory.emit('1', status, ['runStatusChanged'])).toHaveLength(1);
		}
	});

	it('tells of an end at most once and of nothing after it, in whatever order looks come', () => {
		const look = fc.record({
			status: fc.constantFrom(...RUN_STATUSES),
			events: fc.subarray([...BOTH], { minLength: 1 }),
			restart: fc.boolean(),
		});
		fc.assert(
			fc.property(fc.array(look, { maxLength: 30 }), (looks) => {
				let memory = new EventDeduplicator(10);
				const told = looks.flatMap(({ status, events, restart }) => {
					const news = memory.emit('1', status, events);
					memory.confirm(news);
					if (restart) {
						const kept = memory.write(5);
						memory = new EventDeduplicator(10);
						memory.add(kept);
					}
					return news;
				});
				expect(told.filter(({ event }) => event === 'runCompleted').length).toBeLessThan(2);
				const end = told.findIndex(({ status }) => isTerminal(status));
				if (end >= 0) {
					expect(new Set(told.slice(end).map(({ status }) => status)).size).toBe(1);
				}
				for (const { status, previousStatus } of told) expect(status).not.toBe(previousStatus);
			}),
		);
	});

	it('is complete before the end without the event of the end, and at the end with both', () => {
		const memory = new EventDeduplicator(10);
		memory.emit('1', 'running', ['runCompleted']);
		expect(memory.hasEmitted('1', 'running', BOTH)).toBe(false);
		memory.emit('1', 'running', ['runStatusChanged']);
		expect(memory.hasEmitted('1', 'running', BOTH)).toBe(true);
		memory.emit('1', 'finished', ['runCompleted']);
		expect(memory.hasEmitted('1', 'finished', BOTH)).toBe(false);
	});

	it('tells again what did not get through', () => {
		const memory = new EventDeduplicator(10);
		const lost = memory.emit('1', 'finished', ['runCompleted']);
		memory.takeBack(lost);
		expect(memory.hasEmitted('1', 'finished', ['runCompleted'])).toBe(false);
		expect(memory.emit('1', 'finished', ['runCompleted'])).toHaveLength(1);
	});

	it('tells again only what did not get through', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'finished', ['runStatusChanged']);
		memory.takeBack(memory.emit('1', 'finished', ['runCompleted']));
		expect(memory.write(10)).toEqual(['finished - s 1']);
	});

	it('tells nothing again of a status for what did not get through of the one before', () => {
		const memory = new EventDeduplicator(10);
		const lost = memory.emit('1', 'running', ['runStatusChanged']);
		tell(memory, '1', 'finished', BOTH);
		memory.takeBack(lost);
		expect(memory.write(10)).toEqual(['finished running cs 1']);
	});

	it('is kept outside only when it got through', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'running', ['runStatusChanged']);
		const underWay = memory.emit('1', 'finished', BOTH);
		expect(memory.hasEmitted('1', 'finished', BOTH)).toBe(true);
		expect(memory.write(10)).toEqual(['finished running - 1']);
		memory.confirm(underWay.slice(1));
		expect(memory.write(10)).toEqual(['finished running s 1']);
		memory.confirm(underWay);
		expect(memory.write(10)).toEqual(['finished running cs 1']);
	});

	it('takes back none of a run that it has forgotten', () => {
		const memory = new EventDeduplicator(1);
		const lost = memory.emit('1', 'finished', BOTH);
		tell(memory, '2', 'finished', BOTH);
		memory.takeBack(lost);
		expect(memory.knows('1')).toBe(false);
	});

	it('forgets none as long as there is room', () => {
		const memory = new EventDeduplicator(3);
		for (const taskId of ['1', '2', '3']) memory.emit(taskId, 'finished', BOTH);
		expect(memory.knows('1')).toBe(true);
	});

	it('forgets the runs that were heard of longest ago', () => {
		const memory = new EventDeduplicator(3);
		for (const taskId of ['1', '2', '3', '1', '4']) tell(memory, taskId, 'finished', BOTH);
		expect(memory.hasEmitted('2', 'finished', BOTH)).toBe(false);
		expect(memory.hasEmitted('1', 'finished', BOTH)).toBe(true);
		expect(memory.write(2)).toEqual(['finished - cs 1', 'finished - cs 4']);
	});

	it('takes over what another process told', () => {
		const memory = new EventDeduplicator(10);
		memory.emit('1', 'running', ['runStatusChanged']);
		memory.add(['finished running c 1', 'finished - s 2', 'nonsense', 'finished - c ']);
		expect(memory.hasEmitted('1', 'finished', ['runCompleted'])).toBe(true);
		expect(memory.hasEmitted('1', 'finished', ['runStatusChanged'])).toBe(false);
		expect(memory.hasEmitted('2', 'finished', ['runStatusChanged'])).toBe(true);
	});

	it('is kept outside as it is, also without an event and in a status of no name', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'running', ['runCompleted']);
		tell(memory, '2', 'unknown', ['runStatusChanged']);
		tell(memory, '2', 'paused', ['runStatusChanged']);
		const kept = ['running - - 1', 'paused unknown s 2'];
		expect(memory.write(10)).toEqual(kept);

		const another = new EventDeduplicator(10);
		another.add(kept);
		expect(another.write(10)).toEqual(kept);
	});

	it('is joined with what another process kept of a run in the same status', () => {
		const memory = new EventDeduplicator(10);
		memory.emit('1', 'finished', ['runCompleted']);
		memory.add(['finished - s 1']);
		expect(memory.hasEmitted('1', 'finished', BOTH)).toBe(true);
	});

	it('stays where another process knows another status, but for an end', () => {
		const memory = new EventDeduplicator(10);
		tell(memory, '1', 'running', ['runStatusChanged']);
		tell(memory, '2', 'finished', ['runCompleted']);
		memory.add(['paused - s 1', 'canceled - c 2']);
		expect(memory.write(10)).toEqual(['running - s 1', 'finished - c 2']);
	});

	it.each(['', 'finished', 'finished -', 'finished - c', 'finished - c ', 'over - c 1'])(
		'takes over nothing of %j',
		(text) => {
			const memory = new EventDeduplicator(10);
			memory.add([text]);
			expect(memory.write(10)).toEqual([]);
		},
	);
});
