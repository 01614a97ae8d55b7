import type { IExecuteFunctions } from 'n8n-workflow';

import { checkUrlFor } from '../fields/notify';
import { callOwnAddress } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';

/** How long the call that notifies a trigger may take, in milliseconds, and how many are made at once. */
const NOTIFIED_WITHIN_MS = 30_000;
const calls = new Semaphore(20);

/**
 * Calls the trigger that a newly started run notifies (if it does), so that it checks the run if its callbacks are lost.
 *
 * @param idName the field of a run's record that has the ID
 * @param body of the request that started it
 */
export function notifyTrigger(
	context: IExecuteFunctions,
	idName: string,
	body: unknown,
	taskId: string,
): void {
	const url = checkUrlFor(context, body, { [idName]: taskId });
	if (url === undefined) return;
	void calls.inTurn(async () => await callOwnAddress(context, 'POST', url, NOTIFIED_WITHIN_MS));
}
