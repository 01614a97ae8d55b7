import type { IExecuteFunctions } from 'n8n-workflow';

import { checkUrlFor } from '../fields/notify';
import { delay } from '../transport/cancellation';
import { callOwnAddress } from '../transport/ownAddress';
import { Semaphore } from '../transport/semaphore';
import { KNOWN_AFTER_MS } from './reuse';

/** How long the call that notifies a trigger may take, in milliseconds, and how many of a node are made at once. */
const NOTIFIED_WITHIN_MS = 30_000;
const NOTIFIED_AT_ONCE = 20;

/** The pauses before a trigger is called that could not read the run: the service may not know it at once. */
const PAUSES_MS = [0, 10_000, KNOWN_AFTER_MS];

/**
 * Makes what calls the trigger that a newly started run notifies (if it does), so that it checks the run if its callbacks are lost.
 *
 * @param idName the field of a run's record that has the ID
 * @returns is given the body of the request that started the run, and the run's ID
 */
export function notifierOf(context: IExecuteFunctions, idName: string) {
	const calls = new Semaphore(NOTIFIED_AT_ONCE);
	const call = async (url: string) =>
		await callOwnAddress(context, 'POST', url, NOTIFIED_WITHIN_MS);
	const notify = async (url: string): Promise<void> => {
		for (const pause of PAUSES_MS) {
			if (pause > 0) await delay(pause);
			const answer = await calls.inTurn(async () => await call(url));
			if (answer?.status !== 503) return;
		}
	};
	return (body: unknown, taskId: string): void => {
		const url = checkUrlFor(context, body, { [idName]: taskId });
		if (url === undefined) return;
		void notify(url);
	};
}
