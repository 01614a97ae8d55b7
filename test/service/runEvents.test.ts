import {
	CALLBACK_EVENTS,
	eventsBetween,
	passes,
	presentEvent,
	type RunEvent,
} from '../../nodes/BrowserAutomation/service/runEvents';
import { RUN_STATUSES } from '../../nodes/BrowserAutomation/service/runStatus';

it('the service calls back about the end of a run and about its status', () => {
	expect(CALLBACK_EVENTS.map(({ name }) => name)).toEqual(['runCompleted', 'runStatusChanged']);
});

it.each([
	['a new run', undefined, 'created', ['runStarted']],
	['a new run that goes already', undefined, 'running', ['runStarted', 'runStatusChanged']],
	[
		'a new run that has ended already',
		undefined,
		'finished',
		['runStarted', 'runStatusChanged', 'runCompleted'],
	],
	['a run that goes on', 'running', 'running', []],
	['a run that pauses', 'running', 'paused', ['runStatusChanged']],
	['a run that ends', 'running', 'failed', ['runStatusChanged', 'runCompleted']],
	['a run that has ended', 'canceled', 'canceled', []],
] as const)('of %s is told what happened', (_, before, status, names) => {
	const events = eventsBetween('9', before, status);
	expect(events.map(({ event }) => event)).toEqual(names);
	for (const event of events) {
		expect(event).toEqual({
			event: event.event,
			taskId: '9',
			status,
			...(before !== undefined && { previousStatus: before }),
		});
	}
});

const event: RunEvent = { event: 'runCompleted', taskId: '9', status: 'failed' };

it.each([
	['of all kinds and bots', {}, true],
	['of another kind', { events: ['runStarted'] }, false],
	['with the status', { statuses: ['finished', 'failed'] }, true],
	['with another status', { statuses: ['finished'] }, false],
	['of the bot', { botId: '7' }, true],
	['of another bot', { botId: '8' }, false],
] as const)('an event is wanted where those %s are wanted: %j', (_, filter, expected) => {
	const all = { events: ['runCompleted'], statuses: [] } as const;
	expect(passes({ ...all, ...filter }, event, { bot_id: 7 })).toBe(expected);
});

it('a run of a template is of no bot', () => {
	const filter = { events: ['runCompleted'], statuses: RUN_STATUSES, botId: '7' } as const;
	expect(passes(filter, event, {})).toBe(false);
});

it('an event is shown before its run', () => {
	const run = { task_id: '9', status: 'failed', steps: [] };
	expect(presentEvent(event, run, 'simplified')).toEqual({
		event: 'runCompleted',
		task_id: '9',
		status: 'failed',
	});
	const late = { ...event, previousStatus: 'running', late: true } as const;
	expect(presentEvent(late, run, 'whole')).toEqual({
		event: 'runCompleted',
		task_id: '9',
		status: 'failed',
		previous_status: 'running',
		late: true,
		steps: [],
	});
	expect(presentEvent({ ...event, late: false }, run, 'whole')).not.toHaveProperty('late');
});
