import type { JsonObject } from '../json/json';
import type { RunStatus } from '../runs/runApi';
import { botIdOf } from '../runs/schemas';

/** A run has another status than when it was last reported. */
export interface RunChange {
	taskId: string;
	/** Undefined for a run that is new. */
	before: RunStatus | undefined;
	status: RunStatus;
}

const isNew = ({ before }: RunChange): boolean => before === undefined;

const isOther = ({ before, status }: RunChange): boolean => status !== (before ?? 'created');

function is(wanted: RunStatus): (change: RunChange) => boolean {
	return ({ status }) => status === wanted;
}

/** The events of runs by name, in the order in which they are reported: title, description, and whether a change is one. */
export const RUN_EVENTS = {
	runStarted: ['Started', 'The trigger heard of a run for the first time', isNew],
	runStatusChanged: ['Any Change', 'A run changed its status, e.g. to running', isOther],
	runPaused: ['Paused', 'A run was paused, and can be resumed', is('paused')],
	runFinished: ['Finished', 'A run finished its work', is('finished')],
	runFailed: ['Failed', 'A run ended with an error', is('failed')],
	runCanceled: ['Canceled', 'A run was canceled', is('canceled')],
} as const;

export type RunEventName = keyof typeof RUN_EVENTS;

const isEventName = (name: string): name is RunEventName => name in RUN_EVENTS;

/** The events of a run's end. */
export const END_EVENTS: readonly RunEventName[] = ['runFinished', 'runFailed', 'runCanceled'];

/** An event of a run. In an item, its fields come before those of the run. */
export interface RunEvent {
	event: RunEventName;
	task_id: string;
	status: RunStatus;
	/** The status before, where it is known. */
	previous_status?: RunStatus;
	/** Whether the status has changed again since the one that the callback announced. */
	late?: boolean;
}

/** Which events are wanted: of one bot's runs, or without a bot of all runs. */
export interface EventFilter {
	events: readonly RunEventName[];
	botId?: string | undefined;
}

/** The wanted events of a change. Runs of templates belong to no bot. @param run its record, or what a list shows of it */
export function eventsOf(
	change: RunChange,
	{ events, botId }: EventFilter,
	run: JsonObject,
): RunEvent[] {
	const { taskId, before, status } = change;
	if (before === status || (botId !== undefined && botIdOf(run) !== botId)) return [];
	const previous = before === undefined ? {} : { previous_status: before };
	return Object.keys(RUN_EVENTS)
		.filter(isEventName)
		.filter((event) => events.includes(event) && RUN_EVENTS[event][2](change))
		.map((event) => ({ event, task_id: taskId, status, ...previous }));
}
