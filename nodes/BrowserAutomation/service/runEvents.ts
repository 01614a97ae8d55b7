import type { JsonObject } from './json';
import { simplifyRun } from './runOutput';
import { isTerminal, type RunStatus } from './runStatus';

/**
 * What can happen to a run. Events that the service calls back about (docs/service.md: Events) have a
 * letter, under which it is kept that they were emitted.
 */
export const RUN_EVENTS = [
	{
		name: 'runCompleted',
		title: 'Run Completed',
		description: 'A run finished, failed or was canceled',
		letter: 'c',
	},
	{
		name: 'runStarted',
		title: 'Run Started',
		description: 'A new run appeared',
		letter: undefined,
	},
	{
		name: 'runStatusChanged',
		title: 'Run Status Changed',
		description: 'A run got another status, e.g. running, paused or finished',
		letter: 's',
	},
] as const;

type RunEventKind = (typeof RUN_EVENTS)[number];

export type RunEventName = RunEventKind['name'];

/** The events that the service calls back about. */
export type CallbackEventName = Extract<RunEventKind, { letter: string }>['name'];

/** The events that the service calls back about, with the letter of each. */
export const CALLBACK_EVENTS: ReadonlyArray<{ name: CallbackEventName; letter: string }> =
	RUN_EVENTS.flatMap((event) => (event.letter === undefined ? [] : [event]));

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

/** Which events are wanted. Empty lists of statuses and no bot let all through. */
export interface EventFilter {
	events: readonly RunEventName[];
	statuses: readonly RunStatus[];
	botId?: string | undefined;
}

/** Whether an event passes the filter. Runs of templates belong to no bot. */
export function passes({ events, statuses, botId }: EventFilter, event: RunEvent, run: JsonObject) {
	return (
		events.includes(event.event) &&
		(statuses.length === 0 || statuses.includes(event.status)) &&
		(botId === undefined || String(run.bot_id) === botId)
	);
}

/**
 * What happened to a run between two looks at it.
 *
 * @param before its status at the look before; undefined when this is the first one
 */
export function eventsBetween(
	taskId: string,
	before: RunStatus | undefined,
	status: RunStatus,
): RunEvent[] {
	const seen = { taskId, status, ...(before !== undefined && { previousStatus: before }) };
	const events: RunEvent[] = [];
	if (before === undefined) events.push({ event: 'runStarted', taskId, status });
	if (status !== (before ?? 'created')) events.push({ event: 'runStatusChanged', ...seen });
	if (isTerminal(status) && status !== before) events.push({ event: 'runCompleted', ...seen });
	return events;
}

/** How much of a run goes with its event: its key fields and output, or all of it. */
export type RunDetail = 'simplified' | 'whole';

/** An event as an item's JSON: the event itself, then the run's fields. */
export function presentEvent(
	{ event, taskId, status, previousStatus, late }: RunEvent,
	run: JsonObject,
	detail: RunDetail,
): JsonObject {
	return {
		event,
		task_id: taskId,
		status,
		...(previousStatus !== undefined && { previous_status: previousStatus }),
		...(late === true && { late }),
		...(detail === 'simplified' ? simplifyRun(run) : run),
	};
}
