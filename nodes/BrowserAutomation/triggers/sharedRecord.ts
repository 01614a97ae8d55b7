import {
	sleep,
	type IExecuteFunctions,
	type INodeExecutionData,
	type IWebhookFunctions,
} from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { textAt } from '../service/json/json';
import { TtlCache } from '../service/ttlCache';
import { Semaphore } from '../transport/semaphore';

/** Where the first item of a run's end names the run, and the address that heard of it. It goes no further than the trigger. */
const ENDED = 'ended';

/** How many records n8n keeps for a trigger: two for each end. */
const MAX_RECORDS = 1_000;

/** Processes read all records and write them again: within one of them, one after the other. */
const turn = new Semaphore(1);

/** How much later than the one at the address of statuses the execution of a completion records its end, in a worker, in milliseconds. */
const LATER_MS = 500;

/** The ends that this process has heard of. */
const received = new TtlCache<true>(1_000);

/** The items of a run's end, marked by the run: it ends once, whichever processes hear of it. */
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
 * The same items without the mark; none where another execution was given the end of that run before. n8n's records of what was
 * processed stand in its database, for all of its processes, but only an execution has them (2.41.1 and 1.123.81: `DeduplicationHelper`; both
 * call `execute` of a webhook node before they look for `webhook`: `runNode` in n8n-core’s workflow-execute.js). An
 * end is reported rather twice than never: where there is no record to be had, and to an execution that is tried again.
 */
export async function unlessRecorded(context: IExecuteFunctions): Promise<INodeExecutionData[]> {
	const none: INodeExecutionData = { json: {} };
	const [{ [ENDED]: mark, ...item } = none, ...others] = context.getInputData();
	const run = textAt(mark, 'run');
	if (run === undefined) return context.getInputData();
	if (received.get(run) === undefined && textAt(mark, 'address') === 'default')
		await sleep(LATER_MS);
	const isFirst = context.getMode() === 'retry' || (await recordEnd(context, run));
	return isFirst ? [item, ...others] : [];
}

/** @returns whether this execution was the first to be given the end of the run */
async function recordEnd(context: IExecuteFunctions, run: string): Promise<boolean> {
	const own = `${run} ${context.getExecutionId()}`;
	const options = { mode: 'entries', maxEntries: MAX_RECORDS } as const;
	const record = async () =>
		await turn.inTurn(undefined, async () => {
			return await context.helpers.checkProcessedAndRecord([run, own], 'node', options);
		});
	// The first two records of a trigger collide where two processes make them.
	const recorded = await attempt(record().catch(record));
	return (
		!recorded.ok ||
		!recorded.value.processed.includes(run) ||
		recorded.value.processed.includes(own)
	);
}
