import type { IExecuteFunctions } from 'n8n-workflow';

import { checkUrlFor } from '../fields/notify';
import { mapConcurrently } from '../service/concurrency';
import { callOwnAddress } from '../transport/ownAddress';

/** How long the call that notifies a trigger may take, in milliseconds, and how many are made at once. */
const NOTIFIED_WITHIN_MS = 30_000;
const NOTIFIED_AT_ONCE = 20;

/**
 * Calls the trigger that newly started runs notify (if they do), so that it checks them if their callbacks are lost.
 *
 * @param idName the field of their records that has the ID
 * @param bodies of the requests that started them, in the same order
 */
export function notifyTrigger(
	context: IExecuteFunctions,
	idName: string,
	bodies: unknown[],
	runs: ReadonlyArray<{ taskId?: string | undefined; isReused?: true | undefined } | undefined>,
): void {
	const urls = runs.flatMap((run, index) => {
		if (run?.taskId === undefined || run.isReused) return [];
		return checkUrlFor(context, bodies[index], { [idName]: run.taskId }) ?? [];
	});
	void mapConcurrently(urls, NOTIFIED_AT_ONCE, async (url) => {
		await callOwnAddress(context, 'POST', url, NOTIFIED_WITHIN_MS);
	});
}
