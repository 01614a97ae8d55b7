import type { IExecuteFunctions } from 'n8n-workflow';

import { checkUrlFor } from '../fields/notify';
import { callOwnAddress } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';

/** How long the call that notifies a trigger may take, in milliseconds, and how many of a node are made at once. */
const NOTIFIED_WITHIN_MS = 30_000;
const NOTIFIED_AT_ONCE = 20;

/**
 * Makes what calls the trigger that a newly started run notifies (if it does), so that it checks the run if its callbacks are lost.
 *
 * @param idName the field of a run's record that has the ID
 * @returns is given the body of the request that started the run, and the run's ID
 */
export function notifierOf(context: IExecuteFunctions, idName: string) {
	const calls = new Semaphore(NOTIFIED_AT_ONCE);
	return (body: unknown, taskId: string): void => {
		const url = checkUrlFor(context, body, { [idName]: taskId });
		if (url === undefined) return;
		void calls.inTurn(async () => await callOwnAddress(context, 'POST', url, NOTIFIED_WITHIN_MS));
	};
}
