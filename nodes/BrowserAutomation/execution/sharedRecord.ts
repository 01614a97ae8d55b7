import type { IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { Semaphore } from '../transport/semaphore';

/** How many rows of a node n8n's database remembers at least, in test executions too, and how many records of events, of which each makes two. */
const MAX_ROWS = 100_000;
export const MAX_EVENT_RECORDS = 1_000;

/** What is left of a node's history when rows are kept alive (newRows.ts). */
export const KEPT = { mode: 'entries', maxEntries: MAX_ROWS + MAX_EVENT_RECORDS } as const;
/** What n8n keeps of a node that has rows: a quarter more, so that they are kept alive seldom. Beyond that the oldest are forgotten. */
export const HISTORY = {
	mode: 'entries',
	maxEntries: 1.25 * MAX_ROWS + MAX_EVENT_RECORDS,
} as const;

/** The turn of who works on what n8n's database remembers of nodes: n8n reads all records of a node and writes them back. */
export const recordTurn = new Semaphore(1);

/**
 * Records an event of a node in n8n's database, for all processes and at once (n8n deduplication-helper.js, 2.41.1 and
 * 1.123.81). Two processes that record at the same moment may lose one of the two.
 *
 * @param own names the event and who records it. Two processes that make a node's first record at once collide: the second
 * try succeeds, and may find what the first has recorded
 * @returns whether nobody else recorded it before; true where n8n cannot record
 */
export async function isFirstToRecord(
	context: IExecuteFunctions,
	event: string,
	own: string,
): Promise<boolean> {
	const { helpers } = context;
	const record = async () => {
		// A node that has rows has more records than events can take (FIRST_ROWS, newRows.ts).
		const hasRows = (await helpers.getProcessedDataCount('node', HISTORY)) > MAX_EVENT_RECORDS;
		const options = hasRows ? HISTORY : { ...HISTORY, maxEntries: MAX_EVENT_RECORDS };
		return await helpers.checkProcessedAndRecord([event, own], 'node', options);
	};
	const inTurn = async () => await recordTurn.inTurn(record);
	const recorded = await attempt(inTurn().catch(inTurn));
	if (!recorded.ok) return true;
	const { processed } = recorded.value;
	return !processed.includes(event) || processed.includes(own);
}
