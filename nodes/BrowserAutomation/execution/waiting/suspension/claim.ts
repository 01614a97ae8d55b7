import { sleep, type IExecuteFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { Semaphore } from '../../../transport/semaphore';
import { responseOf, type WebhookContext } from '../../webhook';
import { executionContextOf } from '../../host';
import { keptLedger, type Ledger } from '../batch/ledger';
import { claimsExecutions, maySleepBehind, storedNodeContext } from '../platform';
import { isTimerDue } from './schedule';
import { isBeingResumed, isOnlyOurs, type Suspension, type Resumed } from './suspensions';

/**
 * Never resumes from a stale snapshot. n8n gives a handler a copy of the execution, read when the call came. When the handler
 * resumes it, n8n saves that copy over the stored execution, even if that has changed since, unless it is running. Where n8n
 * is one process, that process knows the present suspension. Where there are several, a handler first reads in n8n's database
 * whether the execution is still in the same suspension; and an execution that has started runs stays awake, before it is
 * suspended again, until handlers with an older copy have ended.
 */

/** How long reading may take, in milliseconds. What was read is as old as that. */
const READ_WITHIN_MS = 2_000;

/** How long n8n usually takes to resume an execution where the call is answered before that, in milliseconds. */
const RESUME_AFTER_ANSWER_MS = 500;

/** If the execution is still suspended so long after a handler was to resume it, n8n could not, in milliseconds. */
const VOID_AFTER_MS = 30_000;

/** The part of a handler's context that claiming needs. */
type ResumingContext = WebhookContext & Pick<IWebhookFunctions, 'getExecutionId' | 'getNode'>;

/**
 * Claims the right to resume an execution from this suspension. Call it last, when nothing is left that takes time.
 * Only one handler of this process gets it. It is free again if n8n fails to resume the execution.
 *
 * @param late aborts when the answer to the call is due
 * @param isPage whether the call is answered with a page, before n8n resumes the execution
 * @returns whether this handler may resume it; else another one does, or the suspension is over
 * @throws Error where n8n cannot tell, or takes too long to
 */
export async function claim(
	context: ResumingContext,
	suspension: Suspension,
	late: AbortSignal,
	isPage = false,
): Promise<boolean> {
	const isFree = (): boolean => !suspension.isOver && !isBeingResumed(suspension);
	if (!isFree()) return false;
	const resumesOnce = claimsExecutions(suspension.resumeUrl);
	if (!isOnlyOurs(suspension) && !(await stillSleeps(context, suspension, late))) return false;
	const response = responseOf(context);
	const begun = Date.now();
	if (!isFree() || (!resumesOnce && isTimerDue(suspension.timerAt, begun, false))) return false;
	// n8n answers once the execution is awake. Earlier versions answer before that, as we do with a page.
	const least = isPage || !resumesOnce ? RESUME_AFTER_ANSWER_MS : 0;
	suspension.resuming = {
		isAnswered: () => response.headersSent && Date.now() - begun >= least,
		hasFailed: () =>
			(response.headersSent && response.statusCode >= 500) || Date.now() - begun >= VOID_AFTER_MS,
	};
	return true;
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
			if (stored?.suspension?.id !== suspension.suspensionId) return false;
			if (Date.now() - begun <= READ_WITHIN_MS) return true;
		}
		throw new Error('n8n took too long to read it');
	});
}

const RESUMED_AT = 'browserAutomationWokenAt';

/**
 * How long after a resume another handler, or n8n's wait timer, may still write a stale snapshot back, in milliseconds.
 * What it has read is two seconds old at most (READ_WITHIN_MS), and n8n marks the execution as running within another two.
 */
const OTHERS_WITHIN_MS = 4_000;

/** For how long, and how often, a resumed execution checks whether its handler's call was answered, in milliseconds. */
const HANDLER_WITHIN_MS = 10_000;
const DELAY_MS = 10;

/** Waits until a handler of this process that was about to resume the execution has been answered. */
export async function untilAnswered({ suspensions }: Resumed): Promise<void> {
	const until = Date.now() + HANDLER_WITHIN_MS;
	while (
		suspensions.some(({ resuming }) => resuming?.isAnswered() === false) &&
		Date.now() < until
	) {
		await sleep(DELAY_MS);
	}
}

/**
 * Records in the execution, for all of its nodes, that it was just resumed. Where n8n is one process, that is needed only
 * if its wait timer is about to fire: its handlers rule out a second resume.
 *
 * @param left the ledger that the node left; it says whether the execution was suspended
 */
export function recordResume(
	context: IExecuteFunctions,
	left: Ledger | undefined,
	resumed: Resumed,
): void {
	if (left?.suspension === undefined) return;
	const isByOnlyHandler = resumed.suspensions.some((one) => isOnlyOurs(one) && isBeingResumed(one));
	const flow = executionContextOf(context);
	if (isByOnlyHandler && !resumed.isTimerNear) delete flow[RESUMED_AT];
	else flow[RESUMED_AT] = Date.now();
}

/**
 * Keeps the execution awake until no stale snapshot from before the last resume can be written any more. Call it before
 * the execution is suspended again, where it has started something since, or a person has canceled its runs.
 *
 * @throws CanceledError
 */
export async function stayAwake(context: IExecuteFunctions): Promise<void> {
	const resumedAt: unknown = executionContextOf(context)[RESUMED_AT];
	if (typeof resumedAt !== 'number') return;
	await pause(resumedAt + OTHERS_WITHIN_MS - Date.now(), cancelSignalOf(context));
}

/**
 * Does the same before results are passed on, if a later node may suspend the execution: a stale snapshot saved then would
 * have n8n execute all nodes up to that one twice. This package's own nodes call `stayAwake` themselves.
 *
 * @throws CanceledError
 */
export async function stayAwakeBeforeSuspendingNodes(context: IExecuteFunctions): Promise<void> {
	if (executionContextOf(context)[RESUMED_AT] === undefined) return;
	if (maySleepBehind(context)) await stayAwake(context);
}
