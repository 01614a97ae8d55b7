import type { IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { Semaphore } from '../transport/semaphore';

/** How many rows of a node n8n's database remembers, in test executions too. Beyond so many the oldest are forgotten. */
export const HISTORY = { mode: 'entries', maxEntries: 100_000 } as const;

/** The turn of who works on what n8n's database remembers of nodes: n8n reads all records of a node and writes them back. */
export const recordTurn = new Semaphore(1);

/**
 * Records an event of a node in n8n's database, for all processes and at once (n8n deduplication-helper.js, 2.41.1 and
 * 1.123.81). Two processes that record at the same moment may lose one of the two.
 *
 * @param own names the event and who records it. Two processes that make a node's first record at once collide: the second
 * try succeeds, and may find what the first has recorded
 * @param maxEntries beyond so many, the node's oldest are forgotten. Each event takes two
 * @returns whether nobody else recorded it before; true where n8n cannot record
 */
export async function isFirstToRecord(
	context: IExecuteFunctions,
	event: string,
	own: string,
	maxEntries: number,
): Promise<boolean> {
	const options = { mode: 'entries', maxEntries } as const;
	const record = async () =>
		await recordTurn.inTurn(
			async () => await context.helpers.checkProcessedAndRecord([event, own], 'node', options),
		);
	const recorded = await attempt(record().catch(record));
	if (!recorded.ok) return true;
	const { processed } = recorded.value;
	return !processed.includes(event) || processed.includes(own);
}
