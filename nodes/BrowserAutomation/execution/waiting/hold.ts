import type { IExecuteFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../transport/cancellation';
import { isProduction } from './platform';
import { isOnlyProcess } from './sleeps';

/**
 * A handler of a callback in another process may hold the execution's state of before a wake-up and
 * be about to write it back. n8n refuses that while the execution runs, so an execution keeps running
 * for a while before it does what must not be done twice, or sleeps again.
 */

const WOKEN_AT = 'browserAutomationWokenAt';

/**
 * How long after a wake-up another handler's may still be under way, in milliseconds. A handler gives
 * up one second after n8n told it which sleep is the present one.
 */
const HANDLERS_WITHIN_MS = 2_000;

/** Notes with the execution, for all of its nodes, that it was woken just now. */
export function noteWokenNow(context: IExecuteFunctions): void {
	context.getContext('flow')[WOKEN_AT] = Date.now();
}

/**
 * Waits until no handler from before the last wake-up can be under way any more.
 *
 * @throws CanceledError
 */
export async function holdBack(context: IExecuteFunctions): Promise<void> {
	const wokenAt: unknown = context.getContext('flow')[WOKEN_AT];
	if (typeof wokenAt !== 'number' || (isProduction(context) && isOnlyProcess())) return;
	await pause(wokenAt + HANDLERS_WITHIN_MS - Date.now(), cancelSignalOf(context));
}
