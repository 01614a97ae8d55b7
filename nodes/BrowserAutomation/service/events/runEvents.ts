import type { JsonObject } from '../json/json';
import type { RunStatus } from '../runs/runStatus';

/** A run has another status than when it was last looked at. */
export interface RunChange {
	taskId: string;
	/** Undefined when it was not heard of before. */
	before: RunStatus | undefined;
	status: RunStatus;
}

/** What can happen to a run, in the order in which it is told; `happens` says when, of a change. */
export const RUN_EVENTS = [
	{
		name: 'runStarted',
		title: 'Started',
		description: 'The trigger heard of a run for the first time',
		happens: ({ before }: RunChange) => before === undefined,
	},
	{
		name: 'runStatusChanged',
		title: 'Any Change',
		description: 'A run changed its status, e.g. to running, pausing or finished',
		happens: ({ before, status }: RunChange) => status !== (before ?? 'created'),
	},
	{
		name: 'runPaused',
		title: 'Paused',
		description: 'A run was paused, and can be resumed',
		happens: ({ status }: RunChange) => status === 'paused',
	},
	{
		name: 'runFinished',
		title: 'Finished',
		description: 'A run finished its work',
		happens: ({ status }: RunChange) => status === 'finished',
	},
	{
		name: 'runFailed',
		title: 'Failed',
		description: 'A run ended with an error',
		happens: ({ status }: RunChange) => status === 'failed',
	},
	{
		name: 'runCanceled',
		title: 'Canceled',
		description: 'A run was canceled',
		happens: ({ status }: RunChange) => status === 'canceled',
	},
] as const;

export type RunEventName = (typeof RUN_EVENTS)[number]['name'];

/** The events of a run's end. */
export const END_EVENTS: readonly RunEventName[] = ['runFinished', 'runFailed', 'runCanceled'];

/** One thing that happened to a run, as the service tells it. */
export interface RunEvent {
	event: RunEventName;
	taskId: string;
	status: RunStatus;
	/** The status before, where it was seen. */
	previousStatus?: RunStatus;
	/** Whether the run has gone on since the status that the callback announced. */
	late?: boolean;
}

/** Which events are wanted. Without a bot those of all runs. */
export interface EventFilter {
	events: readonly RunEventName[];
	botId?: string | undefined;
}

/**
 * What happened to a run when it changed, as far as it is wanted. Runs of templates belong to no bot.
 *
 * @param run its record, as far as a list shows it
 */
export function eventsOf(
	{ taskId, before, status }: RunChange,
	{ events, botId }: EventFilter,
	run: JsonObject,
): RunEvent[] {
	if (before === status || (botId !== undefined && String(run.bot_id) !== botId)) return [];
	return RUN_EVENTS.filter(
		({ name, happens }) => events.includes(name) && happens({ taskId, before, status }),
	).map(({ name }) => ({
		event: name,
		taskId,
		status,
		...(before !== undefined && { previousStatus: before }),
	}));
}

/** An event as the fields that stand before those of its run in an item. */
export function factsOf(event: RunEvent): JsonObject {
	const { taskId, status } = event;
	return { event: event.event, task_id: taskId, status, ...ownFacts(event) };
}

/** The fields of an event that its run has not got. */
export function ownFacts({ event, previousStatus, late }: RunEvent): JsonObject {
	return {
		event,
		...(previousStatus !== undefined && { previous_status: previousStatus }),
		...(late === true && { late }),
	};
}
