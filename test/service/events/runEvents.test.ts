import {
	eventsOf,
	RUN_EVENTS,
	type RunEventName,
} from '../../../nodes/BrowserAutomation/service/events/runEvents';

const ALL = { events: Object.keys(RUN_EVENTS) as RunEventName[] };

it.each([
	['a new run', undefined, 'created', ['runStarted']],
	['a new run that goes already', undefined, 'running', ['runStarted', 'runStatusChanged']],
	['a run that finishes', 'running', 'finished', ['runStatusChanged', 'runFinished']],
	['a run that goes on', 'running', 'running', []],
	['a run that is about to pause', 'running', 'pausing', ['runStatusChanged']],
	['a run that pauses', 'running', 'paused', ['runStatusChanged', 'runPaused']],
	['a run that fails', 'running', 'failed', ['runStatusChanged', 'runFailed']],
	['a run that is canceled', 'paused', 'canceled', ['runStatusChanged', 'runCanceled']],
	['a run that has ended', 'canceled', 'canceled', []],
] as const)('of %s the events are reported', (_, before, status, names) => {
	const previous = before === undefined ? {} : { previous_status: before };
	const reported = names.map((event) => ({ event, task_id: '9', status, ...previous }));
	expect(eventsOf({ taskId: '9', before, status }, ALL, {})).toEqual(reported);
});

it.each([
	['of all bots', undefined, { bot_id: 7 }, true],
	['of the bot', '7', { bot_id: 7 }, true],
	['of another bot', '8', { bot_id: 7 }, false],
	['of the bot, as V2 names it', '7', { workflow_id: 7 }, true],
	['of a bot, and a run of a template', '7', {}, false],
] as const)('runs are wanted %s: %j', (_, botId, run, expected) => {
	const change = { taskId: '9', before: 'running', status: 'finished' } as const;
	expect(eventsOf(change, { ...ALL, botId }, run).length > 0).toBe(expected);
});
