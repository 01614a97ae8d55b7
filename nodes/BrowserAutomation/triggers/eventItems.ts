import type { IExecuteFunctions, INodeExecutionData, IWebhookFunctions } from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { HelpfulError } from '../service/errors';
import type { RunEvent } from '../service/events/runEvents';
import { filesOf, type RunFile } from '../service/files/files';
import { objectIn } from '../service/json/json';
import { isUnsuccessful, toRunStatus } from '../service/runs/runApi';
import { pick, simplifyRun } from '../service/runs/runFields';
import { botIdOf } from '../service/runs/schemas';
import { nameList } from '../service/schema/wording';
import type { FileSettings } from '../fields/files';
import type { EventSettings } from '../fields/triggers';
import { sentences, toNodeError } from '../execution/failures';
import { withLateOutput, type RunReading } from '../execution/files/downloadFiles';
import { attachFiles, runItems } from '../execution/runResult';
import { unlessRecorded } from './sharedRecord';

const NO_TIME = new HelpfulError(
	'There was no time left to read its output',
	'Run > Get reads it.',
);

/**
 * The events of a run as items: one for each, or the run's rows once for all of them; without rows, its key fields. A late output
 * or file loses no event: `hint` and `files` say what is missing. Where a run without files is to fail, its item has `error`.
 */
export async function eventItems(
	given: RunReading,
	events: RunEvent[],
	settings: EventSettings,
): Promise<INodeExecutionData[]> {
	const { files, output, ifNoFile } = settings;
	const waited = ifNoFile === 'passOn' ? undefined : await attempt(withLateOutput(given));
	const isWhole = waited?.ok === true && given.signal?.aborted !== true;
	const reading = waited?.ok === true ? waited.value : given;
	const isWanted = ({ group }: RunFile): boolean => files?.groups.includes(group) === true;
	const [last] = events.slice(-1);
	if (last === undefined) return [];
	if (isWhole && !filesOf(reading.run).some(isWanted)) {
		return ifNoFile === 'skip' ? [] : [withoutFile(reading, last)];
	}
	// Without the event's task_id: by the name of its ID a run is known as one of V3 or V2.
	const ofEvent = pick({ ...last }, ['event', 'previous_status', 'late']);
	const run = output === 'selected' ? { ...ofEvent, ...reading.run } : reading.run;
	const shown = await attempt(runItems({ ...reading, run }, settings));
	const isFailure = isUnsuccessful(toRunStatus(run.status));
	const isSelection = shown.ok && output === 'selected' && !shown.value.isRunItself;
	if (shown.ok && !isFailure && (isSelection || shown.value.areRows)) {
		return shown.value.items.map((item) => ({ ...item }));
	}
	const { items, hint } = shown.ok
		? { items: shown.value.items, hint: sentences(...Object.values(shown.value.hints)) }
		: await withoutOutput(reading, shown.error, files);
	return events.flatMap((event) =>
		items.map((item) => ({
			...item,
			json: { ...event, ...(hint !== '' && { hint }), ...item.json },
		})),
	);
}

/** The run whose output could not be made into items, and why. */
async function withoutOutput(reading: RunReading, error: unknown, files: FileSettings | undefined) {
	const isLate = reading.signal?.aborted === true;
	const failure = toNodeError(reading.context.getNode(), isLate ? NO_TIME : error, 0);
	const item = { json: simplifyRun(reading.run) };
	return {
		items: await attachFiles(reading, [item], 'simplified', files),
		hint: sentences(`${failure.message}.`, failure.description ?? ''),
	};
}

function withoutFile({ context, run }: RunReading, event: RunEvent): INodeExecutionData {
	const { task_id: taskId, status } = event;
	const botId = botIdOf(run);
	const bot = botId === undefined ? '' : ` of bot ${botId}`;
	const failure = new HelpfulError(
		`Run ${taskId}${bot} (${status}) has none of the files chosen under 'Download Files'`,
		"Look at the run to see why. If such events are no failures, set 'If There Is No File' to 'Pass It On' or 'Skip It'.",
	);
	const data = { ...event };
	return { json: data, error: toNodeError(context.getNode(), failure, 0, { data }) };
}

/** The failure that shows that the service refuses the trigger's key, and which of its runs have not ended as far as is known. */
export function refusalItem(
	context: IWebhookFunctions,
	refusal: unknown,
	taskIds: string[],
): INodeExecutionData {
	const data = { task_ids: taskIds };
	const advice = `Once it is accepted, what has happened to these runs is reported within five minutes: ${nameList(taskIds)}.`;
	return { json: data, error: toNodeError(context.getNode(), refusal, 0, { advice, data }) };
}

/** The items that started the workflow; none for an end that another execution has passed on. @throws the `error` of an item */
export async function passOn(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const items = await unlessRecorded(context);
	const { error, json } = items[0] ?? {};
	if (error === undefined) return items;
	// On Retry, n8n may have kept it as JSON.
	const failure = new HelpfulError(error.message, error.description ?? '');
	const data = objectIn(json);
	throw toNodeError(context.getNode(), failure, 0, { data });
}
