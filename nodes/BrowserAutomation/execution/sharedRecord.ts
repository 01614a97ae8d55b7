import type { IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../service/attempt';
import { Semaphore } from '../transport/semaphore';

/** How many rows of a node n8n's database remembers, in test executions too. Beyond so many the oldest are forgotten. */
export const HISTORY = { mode: 'entries', maxEntries: 100_000 } as const;

/** One record at a time within a process: n8n reads all records of a node and writes them back. */
const turn = new Semaphore(1);

/**
 * Records values for a node in n8n's database, for all processes and at once (n8n deduplication-helper.js, 2.41.1 and
 * 1.123.81). Two processes that record at the same moment may lose one of the two.
 *
 * @param maxEntries beyond so many, the node's oldest are forgotten
 * @returns those that were recorded before; none where n8n cannot record
 */
export async function recordedBefore(
	context: IExecuteFunctions,
	values: string[],
	maxEntries: number,
): Promise<unknown[]> {
	const options = { mode: 'entries', maxEntries } as const;
	const record = async () =>
		await turn.inTurn(async () => {
			return await context.helpers.checkProcessedAndRecord(values, 'node', options);
		});
	// Two processes that make a node's first record at once collide: the second try succeeds.
	const recorded = await attempt(record().catch(record));
	return recorded.ok ? recorded.value.processed : [];
}
