import type { INodeExecutionData } from 'n8n-workflow';

import { downloadFilesOf, type RunReading } from '../execution/files/downloadFiles';
import { presentEvent, type RunEvent } from '../service/events/runEvents';
import type { EventSettings } from '../fields/events';

/**
 * What happened to a run as items, with the run's files if the user likes. An event is not lost for
 * a file: what cannot be downloaded, or not in time, is named in `files`.
 */
export async function eventItems(
	reading: RunReading,
	events: RunEvent[],
	{ detail, files }: EventSettings,
): Promise<INodeExecutionData[]> {
	const attached =
		files === undefined
			? undefined
			: await downloadFilesOf(reading, { ...files, ifOneFails: 'continue' });
	return events.map((event) => {
		const json = presentEvent(event, reading.run, detail);
		if (attached === undefined) return { json };
		return { json: { ...json, files: attached.list }, binary: attached.binary };
	});
}
