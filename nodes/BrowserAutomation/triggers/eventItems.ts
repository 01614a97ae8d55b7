import type { INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../service/attempt';
import type { RunEvent } from '../service/events/runEvents';
import { filesOf, type RunFile } from '../service/files/files';
import { simplifyRun } from '../service/runs/runFields';
import type { EventSettings } from '../fields/triggers';
import { sentences, toNodeError } from '../execution/failures';
import type { RunReading } from '../execution/files/downloadFiles';
import { attachFiles, runItems } from '../execution/runResult';

/**
 * What happened to a run as items, with its output and files as the user likes them: one for each event, or
 * its rows, once for all that happened. Where there can be no rows, because the run goes on or has put out
 * something else, its key fields stand in. An event is not lost for an output or a file that cannot be had,
 * or not in time: `note` and `files` tell of those.
 */
export async function eventItems(
	reading: RunReading,
	events: RunEvent[],
	settings: EventSettings,
): Promise<INodeExecutionData[]> {
	const { files, output, skipsWithoutFile } = settings;
	const isWanted = ({ group }: RunFile): boolean => files?.groups.includes(group) === true;
	const [last] = events.slice(-1);
	if (last === undefined || (skipsWithoutFile && !filesOf(reading.run).some(isWanted))) return [];
	const run = output === 'selected' ? { ...last, ...reading.run } : reading.run;
	const shown = await attempt(runItems({ ...reading, run }, settings));
	if (shown.ok && (output === 'selected' || shown.value.areRows)) {
		return shown.value.items.map((item) => ({ ...item }));
	}
	const failure = shown.ok ? undefined : toNodeError(reading.context.getNode(), shown.error, 0);
	const note = failure && { note: sentences(`${failure.message}.`, failure.description ?? '') };
	const items = shown.ok
		? shown.value.items
		: await attachFiles(reading, [{ json: simplifyRun(reading.run) }], 'simplified', files);
	return events.flatMap((event) =>
		items.map((item) => ({ ...item, json: { ...event, ...note, ...item.json } })),
	);
}
