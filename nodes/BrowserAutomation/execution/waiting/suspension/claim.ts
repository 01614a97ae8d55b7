import type { IWebhookFunctions } from 'n8n-workflow';

import { withSignal } from '../../../transport/cancellation';
import { Semaphore } from '../../../transport/semaphore';
import { responseOf, type WebhookContext, type WebhookResponse } from '../../webhook';
import { keptLedger } from '../batch/ledger';
import { signsResumeUrls, storedNodeContext } from '../platform';
import type { Claim, Suspension } from './suspension';
import { onlyThisProcessResumes } from './suspensions';

/*
 * This keeps resumes from stale snapshots rare; the fence (fence.ts) copes with the others. n8n gives a handler a copy of the
 * execution, read when the call came. When the handler resumes it, n8n saves that copy over the stored execution, even if that
 * has changed since, unless it is running. Where n8n is one process, that process knows the present suspension. Where there are
 * several, a handler first reads in n8n's database whether the execution is still in the same suspension, and leaves it to n8n's wait
 * timer when that is due; and an execution mostly stays awake before it is suspended again, until handlers with a stale snapshot
 * have ended (executeRuns.ts: `suspendableFromOf`).
 */

/** How long n8n usually takes to resume an execution after it has answered the call, if it answers first. */
const RESUME_AFTER_ANSWER_MS = 500;

/** How long after n8n has answered a call another handler may claim the execution, if it is still suspended: twice as long each time. */
const CLAIM_AGAIN_AFTER_MS = 30_000;

/** The part of a handler's context that claiming needs. */
type ResumingContext = WebhookContext & Pick<IWebhookFunctions, 'getExecutionId' | 'getNode'>;

/**
 * Claims the right to resume an execution from this suspension. Call it last, when nothing is left that takes time.
 * Only one handler of this process gets it. Another one may if n8n fails to resume the execution.
 *
 * @param answerDue aborts when the answer to the call is due
 * @returns whether this handler may resume it; else another one or n8n's wait timer does, or the suspension has ended
 * @throws Error where n8n cannot tell, or takes too long to
 */
export async function claim(
	context: ResumingContext,
	suspension: Suspension,
	answerDue: AbortSignal,
): Promise<boolean> {
	await withSignal(answerDue, suspension.ready);
	const resumesOnlySuspended = signsResumeUrls(suspension.resumeUrl);
	const othersMayResume = !onlyThisProcessResumes(suspension.isOursInProduction);
	if (othersMayResume && !(await isStillSuspended(context, suspension, answerDue))) return false;
	if (suspension.hasEnded || suspension.isClaimed) return false;
	const response = responseOf(context);
	// When n8n's wait timer resumes an execution, what n8n has stored of it still looks suspended.
	// Before n8n 2.14 an armed timer also resumes what is awake.
	const { isTimerArmed, isTimerNear } = suspension;
	if (resumesOnlySuspended ? othersMayResume && isTimerNear : isTimerArmed) return false;
	// n8n answers when the execution is awake; before 2.14 earlier, and the status page is sent before.
	const unansweredFor = response.headersSent || !resumesOnlySuspended ? RESUME_AFTER_ANSWER_MS : 0;
	suspension.noteClaim(new HandlerClaim(response, unansweredFor, suspension.claimCount));
	return true;
}

/**
 * A handler's claim. Until n8n answers, n8n holds the handler's snapshot, if need be for hours: another call would make it hold one more.
 * The suspension may be remembered for hours after that, so this keeps no strong reference to the call, whose body may be large.
 */
class HandlerClaim implements Claim {
	private readonly claimedAt = Date.now();
	private answeredAt = Infinity;
	/** n8n holds it until it has answered. */
	private readonly response: WeakRef<WebhookResponse>;

	/** @param unansweredFor for how long after the claim it counts as unanswered, in milliseconds */
	constructor(
		response: WebhookResponse,
		private readonly unansweredFor: number,
		private readonly earlierClaims: number,
	) {
		this.response = new WeakRef(response);
		this.noteAnswer();
		response.once('close', () => this.noteAnswer());
	}

	isAnswered(): boolean {
		this.noteAnswer();
		return this.answeredAt < Infinity && Date.now() - this.claimedAt >= this.unansweredFor;
	}

	mayBeTakenOver(): boolean {
		this.noteAnswer();
		const claimAgainAt = this.answeredAt + CLAIM_AGAIN_AFTER_MS * 2 ** this.earlierClaims;
		return (this.response.deref()?.statusCode ?? 0) >= 500 || Date.now() >= claimAgainAt;
	}

	private noteAnswer(): void {
		if (this.response.deref()?.headersSent === false) return;
		this.answeredAt = Math.min(this.answeredAt, Date.now());
	}
}

/** How many executions are read at once, as n8n loads all of each. */
const readTurns = new Semaphore(3);

async function isStillSuspended(
	context: ResumingContext,
	suspension: Suspension,
	answerDue: AbortSignal,
): Promise<boolean> {
	return await readTurns.inTurn(async () => {
		if (suspension.hasEnded || suspension.isClaimed) return false;
		const begun = Date.now();
		const stored = keptLedger(await storedNodeContext(context));
		if (stored?.suspension?.id !== suspension.id) return false;
		if (suspension.noteReadTook(Date.now() - begun)) return true;
		throw new Error('n8n took too long to read it');
	}, answerDue);
}
