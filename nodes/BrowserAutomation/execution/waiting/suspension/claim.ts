import type { IWebhookFunctions } from 'n8n-workflow';

import { withSignal } from '../../../transport/cancellation';
import { Semaphore } from '../../../transport/semaphore';
import { responseOf, type WebhookContext } from '../../webhook';
import { keptLedger } from '../batch/ledger';
import { resumesOnlySuspended, storedNodeContext } from '../platform';
import type { Suspension } from './suspension';
import { onlyThisProcessResumes } from './suspensions';

/*
 * This keeps resumes from stale snapshots rare; the fence (fence.ts) copes with the others. n8n gives a handler a copy of the
 * execution, read when the call came. When the handler resumes it, n8n saves that copy over the stored execution, even if that
 * has changed since, unless it is running. Where n8n is one process, that process knows the present suspension. Where there are
 * several, a handler first reads in n8n's database whether the execution is still in the same suspension, and leaves it to n8n's wait
 * timer when that is due; and an execution mostly stays awake before it is suspended again, until handlers with an older copy have
 * ended (executeRuns.ts: `suspendableFromOf`).
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
 * @param tooLate aborts when the answer to the call is due
 * @returns whether this handler may resume it; else another one does, or the suspension has ended
 * @throws Error where n8n cannot tell, or takes too long to
 */
export async function claim(
	context: ResumingContext,
	suspension: Suspension,
	tooLate: AbortSignal,
): Promise<boolean> {
	await withSignal(tooLate, suspension.ready);
	const isFree = (): boolean => !suspension.hasEnded && !suspension.isClaimed;
	const resumesOnlyAsleep = resumesOnlySuspended(suspension.resumeUrl);
	const othersMayResume = !onlyThisProcessResumes(suspension.suspendedHereInProduction);
	if (othersMayResume && !(await isCurrent(context, suspension, tooLate))) return false;
	const response = responseOf(context);
	const begun = Date.now();
	// When n8n's wait timer resumes an execution, what n8n has stored of it still looks suspended.
	// A timer that is set resumes in earlier versions what is awake, too.
	const timerMayResume = othersMayResume || !resumesOnlyAsleep;
	if (!isFree() || (timerMayResume && suspension.isTimerNear(begun, !resumesOnlyAsleep)))
		return false;
	// n8n answers when the execution is awake. Earlier versions answer before that, and the status page is sent before.
	const least = response.headersSent || !resumesOnlyAsleep ? RESUME_AFTER_ANSWER_MS : 0;
	const claimAgainAfter = CLAIM_AGAIN_AFTER_MS * 2 ** suspension.claimCount;
	let answeredAt = Infinity;
	// Until it answers, n8n has the handler's snapshot, if need be for hours: another call would be one more.
	const hasAnswered = (): boolean => {
		if (response.headersSent) answeredAt = Math.min(answeredAt, Date.now());
		return response.headersSent;
	};
	suspension.noteClaim({
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
	tooLate: AbortSignal,
): Promise<boolean> {
	return await reads.inTurn(async () => {
		for (let count = 0; count < MAX_READS; count++) {
			if (suspension.hasEnded || suspension.isClaimed) return false;
			const begun = Date.now();
			const stored = keptLedger(await storedNodeContext(context));
			if (stored?.suspension?.id !== suspension.id) return false;
			if (Date.now() - begun <= READ_WITHIN_MS) return true;
		}
		throw new Error('n8n took too long to read it');
	}, tooLate);
}
