import { SEND_AND_WAIT_OPERATION, sleep, type IExecuteFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { isProduction } from '../../mode';
import type { Ledger } from '../batch/ledger';
import { isBeingWoken, type Woken } from './sleepers';

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

/** For how long, and how often, a woken execution looks whether its handler's call was answered, in milliseconds. */
const HANDLER_WITHIN_MS = 10_000;
const NAP_MS = 10;

let hearsCallbacks = false;

/**
 * Notes that this process handles callbacks, as the one process of n8n's regular mode does: a worker
 * handles none, and the processes that do in queue mode run no executions.
 */
export function noteHandler(): void {
	hearsCallbacks = true;
}

/**
 * Waits until a handler that was about to wake the execution has been answered: it holds the state of
 * before and must not come to write it back.
 */
export async function untilAnswered({ sleeps }: Woken): Promise<void> {
	const until = Date.now() + HANDLER_WITHIN_MS;
	while (sleeps.some(({ waking }) => waking?.hasBeenAnswered() === false) && Date.now() < until) {
		await sleep(NAP_MS);
	}
}

/**
 * Notes with the execution, for all of its nodes, that it was woken just now. A handler of the only
 * process has taken care that no other one follows.
 *
 * @param left the ledger that the node left; it tells whether the execution has slept
 */
export async function noteWakeUp(
	context: IExecuteFunctions,
	left: Ledger | undefined,
	woken: Woken,
): Promise<void> {
	await untilAnswered(woken);
	if (left?.sleep === undefined) return;
	const isByHandler = woken.sleeps.some((sleeper) => sleeper.isOwn && isBeingWoken(sleeper));
	const isAlone = hearsCallbacks && isByHandler && !woken.isClockNear && isProduction(context);
	const flow = context.getContext('flow');
	if (isAlone) delete flow[WOKEN_AT];
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
