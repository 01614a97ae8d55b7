import { sleep, type IExecuteFunctions, type IWebhookFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { Semaphore } from '../../../transport/semaphore';
import { responseOf, type WebhookContext } from '../../webhook';
import { executionContextOf } from '../../host';
import { keptLedger } from '../batch/ledger';
import { claimsExecutions, mayBeSuspendedLater, storedNodeContext } from '../platform';
import type { Suspension } from './suspension';
import { isOnlyProcess, type EndedSuspensions } from './suspensions';

/*
 * Nothing is resumed from a stale snapshot. n8n gives a handler a copy of the execution, read when the call came. When the handler
 * resumes it, n8n saves that copy over the stored execution, even if that has changed since, unless it is running. Where n8n
 * is one process, that process knows the present suspension. Where there are several, a handler first reads in n8n's database
 * whether the execution is still in the same suspension; and an execution that has started runs stays awake, before it is
 * suspended again, until handlers with an older copy have ended.
 */

/** How long reading a stored execution may take, in milliseconds: what was read may be as old as that. */
const READ_WITHIN_MS = 2_000;

/** How long n8n usually takes to resume an execution after it has answered the call, if it answers first, in milliseconds. */
const RESUME_AFTER_ANSWER_MS = 500;

/** How long after n8n has answered a call another handler may claim the execution, if it is still suspended, in milliseconds: twice as long each time. */
const CLAIM_AGAIN_AFTER_MS = 30_000;

/** The part of a handler's context that claiming needs. */
type ResumingContext = WebhookContext & Pick<IWebhookFunctions, 'getExecutionId' | 'getNode'>;

/**
 * Claims the right to resume an execution from this suspension. Call it last, when nothing is left that takes time.
 * Only one handler of this process gets it. Another one may if n8n fails to resume the execution.
 *
 * @param answerDue aborts when the answer to the call is due
 * @param isPage whether the call is answered with a page, before n8n resumes the execution
 * @returns whether this handler may resume it; else another one does, or the suspension is over
 * @throws Error where n8n cannot tell, or takes too long to
 */
export async function claim(
	context: ResumingContext,
	suspension: Suspension,
	answerDue: AbortSignal,
	isPage = false,
): Promise<boolean> {
	const isFree = (): boolean => !suspension.isOver && !suspension.isBeingResumed;
	if (!isFree()) return false;
	const resumesOnce = claimsExecutions(suspension.resumeUrl);
	if (!isOnlyProcess(suspension) && !(await isCurrent(context, suspension, answerDue)))
		return false;
	const response = responseOf(context);
	const begun = Date.now();
	if (!isFree() || (!resumesOnce && suspension.isTimerNear(begun, false))) return false;
	// n8n answers when the execution is awake. Earlier versions answer before that, and so do we with a page.
	const least = isPage || !resumesOnce ? RESUME_AFTER_ANSWER_MS : 0;
	const claimAgainAfter = CLAIM_AGAIN_AFTER_MS * 2 ** suspension.claimCount;
	let answeredAt = Infinity;
	// Until it answers, n8n has the handler's snapshot, if need be for hours: another call would be one more.
	const hasAnswered = (): boolean => {
		if (response.headersSent) answeredAt = Math.min(answeredAt, Date.now());
		return response.headersSent;
	};
	suspension.recordClaim({
		isAnswered: () => hasAnswered() && Date.now() - begun >= least,
		hasFailed: () =>
			hasAnswered() && (response.statusCode >= 500 || Date.now() - answeredAt >= claimAgainAfter),
	});
	return true;
}

/** How many executions are read at once, as n8n loads all of each. */
const reads = new Semaphore(3);

/** How often the execution is read until n8n answers in time. */
const MAX_READS = 3;

async function isCurrent(
	context: ResumingContext,
	suspension: Suspension,
	answerDue: AbortSignal,
): Promise<boolean> {
	return await reads.inTurn(async () => {
		for (let count = 0; count < MAX_READS; count++) {
			if (suspension.isOver || suspension.isBeingResumed) return false;
			const begun = Date.now();
			const stored = keptLedger(await storedNodeContext(context));
			if (stored?.suspension?.id !== suspension.id) return false;
			if (Date.now() - begun <= READ_WITHIN_MS) return true;
		}
		throw new Error('n8n took too long to read it');
	}, answerDue);
}

/** The key under which the execution keeps when it was last resumed. */
const RESUMED_AT = 'browserAutomationResumedAt';

/**
 * How long after a resume another handler, or n8n's wait timer, may still save a stale snapshot, in milliseconds. Its
 * snapshot is two seconds old at most (READ_WITHIN_MS), and n8n marks the execution as running within another two.
 */
const STALE_WRITE_WITHIN_MS = 4_000;

/** How long a resumed execution waits until its handler's call is answered, and how often it checks that, in milliseconds. */
const ANSWERED_WITHIN_MS = 10_000;
const CHECK_EVERY_MS = 10;

/**
 * Waits until the calls are answered whose handlers in this process have resumed the execution. n8n keeps the answer that is due
 * with the active execution, and hands it on to the next resume (2.41 active-executions.js: `add`), which must not come before.
 */
export async function untilCallsAnswered({ suspensions }: EndedSuspensions): Promise<void> {
	const until = Date.now() + ANSWERED_WITHIN_MS;
	const isOpen = () => suspensions.some(({ resuming }) => resuming?.isAnswered() === false);
	while (isOpen() && Date.now() < until) await sleep(CHECK_EVERY_MS);
}

/**
 * Records in the execution, for all of its nodes, that it was just resumed. Where n8n is one process, that is needed only
 * if its wait timer is about to fire: its handlers rule out a second resume.
 */
export function recordResumedAt(context: IExecuteFunctions, ended: EndedSuspensions): void {
	const isByOnlyHandler = ended.suspensions.some(
		(one) => isOnlyProcess(one) && one.resuming?.hasFailed() === false,
	);
	const flow = executionContextOf(context);
	if (isByOnlyHandler && !ended.isTimerNear) delete flow[RESUMED_AT];
	else flow[RESUMED_AT] = Date.now();
}

/**
 * Keeps the execution awake until no stale snapshot from before the last resume can be written any more. Call it before
 * the execution is suspended again, where it has started something since, or a person has canceled its runs.
 *
 * @throws CanceledError
 */
export async function waitOutStaleWrites(context: IExecuteFunctions): Promise<void> {
	const resumedAt: unknown = executionContextOf(context)[RESUMED_AT];
	if (typeof resumedAt !== 'number') return;
	await pause(resumedAt + STALE_WRITE_WITHIN_MS - Date.now(), cancelSignalOf(context));
}

/**
 * Does the same before results are passed on, if a later node may suspend the execution: a stale snapshot saved then would
 * have n8n execute all nodes up to that one twice. This package's own nodes call `waitOutStaleWrites` themselves.
 *
 * @throws CanceledError
 */
export async function waitOutStaleWritesForLaterNodes(context: IExecuteFunctions): Promise<void> {
	if (executionContextOf(context)[RESUMED_AT] === undefined) return;
	if (mayBeSuspendedLater(context)) await waitOutStaleWrites(context);
}
