import { sleep, type IExecuteFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { Semaphore } from '../../../transport/semaphore';
import { responseOf, type WebhookContext } from '../../webhook';
import { executionContextOf } from '../../host';
import { keptLedger, type Ledger } from '../batch/ledger';
import { claimsExecutions, isLastToSleep, maySleepBehind, storedNodeContext } from '../platform';
import { isForStatusPage } from '../statusPage';
import { isClocksTurn } from './schedule';
import { isBeingResumed, isOnlyOurs, openRuns, type Suspension, type Resumed } from './suspensions';

/**
 * No wake-up from an old state: n8n hands a handler the execution as it was when the call came, and
 * to wake it writes that back, whatever happened meanwhile, unless the execution runs then. A process
 * that takes the calls of what it puts to sleep itself knows which sleep is the present one. Where the
 * execution can only sleep here, with everything started, an old state repeats nothing: all that is lost
 * is what was noted since, and what a person has canceled stays awake until no handler has it any more.
 * Else a handler reads in n8n's database whether the execution still sleeps the sleep that it was given,
 * in which nothing is written; and an execution that has started anything stays awake until such a
 * handler has ended.
 */

/** How long that may take, in milliseconds: what was read is as old as that. */
const READ_WITHIN_MS = 2_000;

/** How long n8n may take to wake an execution where it has answered before, in milliseconds. */
const CLAIM_WITHIN_MS = 500;

/** If the execution still sleeps so long after a handler was to wake it, n8n could not, in milliseconds. */
const VOID_AFTER_MS = 30_000;

/** What a handler that may wake an execution gives of its context. */
type ResumingContext = WebhookContext &
	Parameters<typeof isLastToSleep>[0] &
	Pick<IWebhookFunctions, 'getExecutionId' | 'getWebhookName'>;

/**
 * Claims the right to wake an execution that sleeps this sleep: to be called when nothing is left that
 * takes time. Of all handlers of this process one gets it; it is void again if n8n could not wake the
 * execution.
 *
 * @param late when its turn to ask n8n comes too late for an answer
 * @returns whether the wake-up is this handler's; else it is another one's, or the sleep is over
 * @throws Error where n8n cannot tell, or takes too long to
 */
export async function claim(
	context: ResumingContext,
	suspension: Suspension,
	late: AbortSignal,
): Promise<boolean> {
	const isFree = (): boolean => !suspension.isOver && !isBeingResumed(suspension);
	if (!isFree()) return false;
	const resumesOnce = claimsExecutions(suspension.resumeUrl);
	const isHarmless = resumesOnce && comesAtOnce(suspension) && isLastToSleep(context);
	const isSure = isOnlyOurs(suspension) || isHarmless;
	if (!isSure && !(await stillSleeps(context, suspension, late))) return false;
	const response = responseOf(context);
	const begun = Date.now();
	if (!isFree() || (!resumesOnce && isClocksTurn(suspension.clockAt, begun, false))) return false;
	// n8n answers when the execution is awake, but earlier versions do so before, as we do with a page.
	const least = isForStatusPage(context) || !resumesOnce ? CLAIM_WITHIN_MS : 0;
	suspension.resuming = {
		isAnswered: () => response.headersSent && Date.now() - begun >= least,
		hasFailed: () =>
			(response.headersSent && response.statusCode >= 500) || Date.now() - begun >= VOID_AFTER_MS,
	};
	return true;
}

/**
 * Whether the call alone was believed, and nothing is to be started: runs still count as open. While a handler
 * looks at the runs, another has most likely woken the execution, which n8n would answer with an error.
 */
function comesAtOnce(suspension: Suspension): boolean {
	return suspension.starts === 0 && openRuns(suspension).length > 0;
}

/** How many executions are read at once, as n8n loads all of each. */
const reads = new Semaphore(3);

/** How often a busy n8n is asked until it answers in time. */
const MAX_READS = 3;

async function stillSleeps(
	context: ResumingContext,
	suspension: Suspension,
	late: AbortSignal,
): Promise<boolean> {
	return await reads.inTurn(late, async () => {
		for (let count = 0; count < MAX_READS; count++) {
			if (suspension.isOver || isBeingResumed(suspension)) return false;
			const begun = Date.now();
			const stored = keptLedger(await storedNodeContext(context));
			if (stored?.sleep?.id !== suspension.sleepId) return false;
			if (Date.now() - begun <= READ_WITHIN_MS) return true;
		}
		throw new Error('n8n took too long to read it');
	});
}

const RESUMED_AT = 'browserAutomationWokenAt';

/**
 * How long after a wake-up another handler, or another timer of n8n's clock, may still be about to write
 * an old state back, in milliseconds: what it has read is two seconds old at most, and n8n takes less
 * than another two to claim the execution.
 */
const OTHERS_WITHIN_MS = 4_000;

/** For how long, and how often, a woken execution looks whether its handler's call was answered, in milliseconds. */
const HANDLER_WITHIN_MS = 10_000;
const DELAY_MS = 10;

/** Waits until a handler of this process that was about to wake the execution has been answered. */
export async function untilAnswered({ sleeps }: Resumed): Promise<void> {
	const until = Date.now() + HANDLER_WITHIN_MS;
	while (sleeps.some(({ resuming }) => resuming?.isAnswered() === false) && Date.now() < until) {
		await sleep(DELAY_MS);
	}
}

/**
 * Notes with the execution, for all of its nodes, that it was woken just now. A handler of the only
 * process has taken care that no other one follows.
 *
 * @param left the ledger that the node left; it tells whether the execution has slept
 */
export async function recordResume(
	context: IExecuteFunctions,
	left: Ledger | undefined,
	resumed: Resumed,
): Promise<void> {
	await untilAnswered(resumed);
	if (left?.sleep === undefined) return;
	const isByOnlyHandler = resumed.sleeps.some((one) => isOnlyOurs(one) && isBeingResumed(one));
	const flow = executionContextOf(context);
	if (isByOnlyHandler && !resumed.isClockNear) delete flow[RESUMED_AT];
	else flow[RESUMED_AT] = Date.now();
}

/** The same where a person has canceled all runs, in milliseconds: a handler that wakes without reading may follow, which n8n held up before. */
const CANCELED_WITHIN_MS = 30_000;

/**
 * Keeps the execution awake until nothing from before the last wake-up can be under way any more: to be
 * called before it sleeps again, where it has started something since, or a person has canceled its runs.
 *
 * @throws CanceledError
 */
export async function stayAwake(context: IExecuteFunctions, isCanceled = false): Promise<void> {
	const resumedAt: unknown = executionContextOf(context)[RESUMED_AT];
	if (typeof resumedAt !== 'number') return;
	const within = isCanceled ? CANCELED_WITHIN_MS : OTHERS_WITHIN_MS;
	await pause(resumedAt + within - Date.now(), cancelSignalOf(context));
}

/**
 * The same before results are passed on to where the execution may sleep again: all nodes up to
 * there would be carried out twice. Our own nodes see to that themselves.
 *
 * @throws CanceledError
 */
export async function stayAwakeBeforeSuspendingNodes(context: IExecuteFunctions): Promise<void> {
	if (executionContextOf(context)[RESUMED_AT] === undefined) return;
	if (maySleepBehind(context)) await stayAwake(context);
}
