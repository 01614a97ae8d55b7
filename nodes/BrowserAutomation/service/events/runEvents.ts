import type { JsonObject } from '../json/json';
import { simplifyRun } from '../runs/runOutput';
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
		description: 'A run was heard of for the first time',
		happens: ({ before }: RunChange) => before === undefined,
	},
	{
		name: 'runStatusChanged',
		title: 'Any Change',
		description: 'A run got another status, e.g. running, pausing or finished',
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
		description: 'A run did its work',
		happens: ({ status }: RunChange) => status === 'finished',
	},
	{
		name: 'runFailed',
		title: 'Failed',
		description: 'A run ended without doing its work',
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

/** Whether somebody wants to hear of a run. Runs of templates belong to no bot. */
export function isOfBot({ botId }: EventFilter, run: JsonObject): boolean {
	return botId === undefined || String(run.bot_id) === botId;
}

/** What happened to a run when it changed, as far as it is wanted. */
export function eventsOf(change: RunChange, { events }: EventFilter): RunEvent[] {
	const { taskId, before, status } = change;
	if (before === status) return [];
	return RUN_EVENTS.filter(({ name, happens }) => events.includes(name) && happens(change)).map(
		({ name }) => ({
			event: name,
			taskId,
			status,
			...(before !== undefined && { previousStatus: before }),
		}),
	);
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
