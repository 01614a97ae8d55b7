import { SEND_AND_WAIT_OPERATION, type IExecuteFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import type { Ledger } from '../batch/ledger';
import { isProduction } from '../../mode';
import { isOnlyProcess, wakeUp } from './sleeps';

/**
 * A handler of a callback in another process, or a second timer of n8n's clock, may hold the
 * execution's state of before a wake-up and be about to write it back. n8n refuses that while the
 * execution runs, so an execution keeps running for a while before it starts anything.
 */

const WOKEN_AT = 'browserAutomationWokenAt';

/**
 * How long after a wake-up another handler's, or another timer of n8n's clock, may still be under way,
 * in milliseconds. A handler gives up one second after n8n told it which sleep is the present one.
 */
const OTHERS_WITHIN_MS = 2_000;

/**
 * Notes with the execution, for all of its nodes, that it was woken just now. A handler of the only
 * process has taken care that no other one follows.
 *
 * @param left the ledger that the node left; it tells whether the execution has slept
 */
export async function noteWakeUp(
	context: IExecuteFunctions,
	left: Ledger | undefined,
): Promise<void> {
	const isAlone = await wakeUp(context.getExecutionId());
	if (left?.sleep === undefined) return;
	const flow = context.getContext('flow');
	if (isAlone && isOnlyProcess() && isProduction(context)) delete flow[WOKEN_AT];
	else flow[WOKEN_AT] = Date.now();
}

/**
 * Waits until nothing from before the last wake-up can be under way any more.
 *
 * @throws CanceledError
 */
export async function holdBack(context: IExecuteFunctions): Promise<void> {
	const wokenAt: unknown = context.getContext('flow')[WOKEN_AT];
	if (typeof wokenAt !== 'number') return;
	await pause(wokenAt + OTHERS_WITHIN_MS - Date.now(), cancelSignalOf(context));
}

/** Nodes of n8n's own that may put the execution to sleep, by the end of their type. */
const SLEEPERS = ['.wait', '.form', '.executeWorkflow'];

/**
 * Waits likewise before results are passed on to where the execution may sleep again: all nodes up to
 * there would be carried out twice. Our own nodes see to that themselves.
 *
 * @throws CanceledError
 */
export async function holdBackBeforeSleepers(context: IExecuteFunctions): Promise<void> {
	if (context.getContext('flow')[WOKEN_AT] === undefined) return;
	const behind = context.getChildNodes(context.getNode().name, { includeNodeParameters: true });
	const maySleep = behind.some(
		({ type, parameters }) =>
			SLEEPERS.some((end) => type.endsWith(end)) ||
			parameters?.operation === SEND_AND_WAIT_OPERATION,
	);
	if (maySleep) await holdBack(context);
}
