import {
	sleep,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { isFirstToRecord } from '../execution/sharedRecord';
import { textAt } from '../service/json/json';
import { memoryOf } from '../service/processMemory';

/** The key of the mark on the first item of a run's end: the run, and the address that was called. The trigger removes it. */
const ENDED = 'ended';

/** How long an execution of the completion address waits in a worker, in milliseconds, so that the status address is first. */
const LATER_MS = 500;

/** The runs whose ends were reported to this process. */
const received = memoryOf<true>('reportedEnds');

/** Marks the items of a run's end with the run, so that `unlessRecorded` can drop a second report from another process. */
export function markEnd(
	context: IWebhookFunctions,
	items: INodeExecutionData[],
	run: string,
): INodeExecutionData[] {
	received.set(run, true, Infinity);
	const mark = { run, address: context.getWebhookName() };
	return items.map((item, index) => (index === 0 ? { ...item, [ENDED]: mark } : item));
}

/**
 * The same items without the mark; none where another execution has passed on the end of that run. The record is
 * in n8n's database, for all processes, but only an execution can reach it (2.41.1 and 1.123.81:
 * `DeduplicationHelper`; both call `execute` of a webhook node before `webhook`: `runNode` in n8n-core's
 * workflow-execute.js). Better twice than never: the items stay where n8n has no record, and on Retry.
 */
export async function unlessRecorded(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const none: INodeExecutionData = { json: {} };
	const [{ [ENDED]: mark, ...item } = none, ...others] = context.getInputData();
	const run = textAt(mark, 'run');
	if (run === undefined) return context.getInputData();
	if (received.get(run) === undefined && textAt(mark, 'address') === 'default')
		await sleep(LATER_MS);
	if (context.getMode() === 'retry') return [item, ...others];
	const own = `${run} ${context.getExecutionId()}`;
	return (await isFirstToRecord(context, run, own)) ? [item, ...others] : [];
}
