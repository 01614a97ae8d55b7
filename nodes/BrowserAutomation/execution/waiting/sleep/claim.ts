import { sleep as pass, type IWebhookFunctions } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import { callOwnAddress, type OwnCaller } from '../../../transport/ownAddress';
import { Semaphore } from '../../../transport/semaphore';
import { isProduction } from '../../mode';
import { responseOf, type WebhookContext } from '../../webhook';
import type { Ledger, Sleep } from '../batch/ledger';
import { claimsExecutions } from '../platform';
import { isClocksTurn } from './schedule';
import {
	claimAfterAsking,
	claimWakeUp,
	isBeingWoken,
	type Answering,
	type Permission,
} from './sleeps';
import { isForStatusPage } from '../statusPage';
import { ASK_KEY, sleepUrl } from './wakeCall';

/** How long n8n may take to say which sleep is the present one, in milliseconds. */
const ASK_WITHIN_MS = 1_000;

/** How often n8n is asked for one present sleep while it does not say in time. */
const MOST_ASKS = 4;

/** The pause after the first answer that came too late, in milliseconds; each further one is twice as long. */
const FIRST_PAUSE_MS = 500;

/**
 * How many sleeps this process asks about, or wakes an execution from, at once. A question costs n8n
 * as much as a callback, and a wake-up some twenty statements in its database: many at once would keep
 * it from doing any in time.
 */
const turns = new Semaphore(3);

/** How many handlers may wait for their turn: n8n holds an expression isolate for each. */
const MOST_WAITING = 25;

/** How long to wait before looking again whether n8n has answered a handler, twice as long each time, in milliseconds. */
const FIRST_NAP_MS = 50;
const LONGEST_NAP_MS = 1_000;

/** Sleeps that the handler of a callback asks about in this process. */
const askedAbout = new Set<string>();

/** How long n8n may take to wake an execution where it has answered before, in milliseconds. */
const CLAIM_WITHIN_MS = 500;

/** If the execution still sleeps so long after a handler was to wake it, n8n could not, in milliseconds. */
const VOID_AFTER_MS = 30_000;

/** What a handler that may wake an execution gives of its context. */
export type WakingContext = WebhookContext &
	OwnCaller &
	Pick<IWebhookFunctions, 'getMode' | 'getWebhookName'>;

/** What a handler needs to know of the execution: which one sleeps which sleep. */
type Sleeping = Pick<Ledger, 'executionId'> & { sleep: Sleep };

/**
 * Whether the execution may be woken by this handler: it still sleeps the sleep that the handler was
 * called for, and no other handler wakes it or is about to. n8n hands a handler the execution as it
 * was when the call came and writes that back, whatever happened meanwhile.
 *
 * @param late when an answer of the handler would come too late
 */
export async function mayWake(
	context: WakingContext,
	ledger: Sleeping,
	late: AbortSignal,
): Promise<Permission> {
	const { resumeUrl, id, date } = ledger.sleep;
	if (!claimsExecutions(resumeUrl) && isClocksTurn(date, Date.now(), false)) return 'taken';
	const claimed = claimWhereKnown(context, ledger);
	if (claimed !== undefined) return claimed;
	if (askedAbout.has(id)) return 'taken';
	if (turns.waiting >= MOST_WAITING) return 'busy';
	// A callback that is refused comes again, a person may not: then another handler has to ask.
	if (isForStatusPage(context)) return await claimInTurn(context, ledger, late);
	askedAbout.add(id);
	try {
		return await claimInTurn(context, ledger, late);
	} finally {
		askedAbout.delete(id);
	}
}

/** Asks and claims when the turn comes, which ends when n8n has woken the execution. */
async function claimInTurn(
	context: WakingContext,
	ledger: Sleeping,
	late: AbortSignal,
): Promise<Permission> {
	const begun = await attempt(turns.enter(late));
	if (!begun.ok) return 'busy';
	let claimed: Permission | undefined;
	try {
		claimed = await askAndClaim(context, ledger, late);
		return claimed;
	} finally {
		if (claimed === 'yes') void leaveWhenOver(answeringOf(context, ledger));
		else turns.leave();
	}
}

async function leaveWhenOver(answering: Answering): Promise<void> {
	for (let nap = FIRST_NAP_MS; !answering.isOver() && !answering.hasFailed(); nap *= 2) {
		await pass(Math.min(nap, LONGEST_NAP_MS));
	}
	turns.leave();
}

/**
 * Claims the wake-up where this process knows the present sleep; undefined where it does not. Executions
 * of the editor are no work for n8n's workers: whichever process takes a callback carries them on.
 */
function claimWhereKnown(context: WakingContext, ledger: Sleeping): Permission | undefined {
	if (!isProduction(context)) return undefined;
	return claimWakeUp(ledger.executionId, ledger.sleep.id, answeringOf(context, ledger));
}

async function askAndClaim(
	context: WakingContext,
	ledger: Sleeping,
	late: AbortSignal,
): Promise<Permission> {
	const { executionId, sleep } = ledger;
	for (let asks = 1; ; asks++) {
		if (isBeingWoken(executionId, sleep.id)) return 'taken';
		const isPresent = await isStillAsleep(context, sleep);
		if (isPresent === true) {
			return (
				claimWhereKnown(context, ledger) ??
				claimAfterAsking(executionId, sleep.id, answeringOf(context, ledger))
			);
		}
		if (isPresent === false) return 'no';
		if (asks === MOST_ASKS || late.aborted) return 'busy';
		await pass(FIRST_PAUSE_MS * 2 ** (asks - 1));
	}
}

/**
 * Asks n8n whether an execution still sleeps this sleep: a handler there answers, if so (wake.ts).
 *
 * @returns undefined when n8n does not say in time
 */
async function isStillAsleep(
	context: WakingContext,
	{ resumeUrl, id }: Sleep,
): Promise<boolean | undefined> {
	const asked = Date.now();
	const url = sleepUrl(resumeUrl, ASK_KEY, id);
	const answer = await callOwnAddress(context, 'POST', url, ASK_WITHIN_MS);
	const isLate = Date.now() - asked > ASK_WITHIN_MS;
	if (answer === undefined || answer.status >= 500 || isLate) return undefined;
	return answer.status === 200;
}

/**
 * How a handler's answer stands, for others that want to know whether it still may wake the execution.
 * n8n answers when the execution is awake, but earlier versions do so before, as we do with a page.
 */
function answeringOf(context: WakingContext, { sleep }: Sleeping): Answering {
	const response = responseOf(context);
	const begun = Date.now();
	const isAnsweredFirst = isForStatusPage(context) || !claimsExecutions(sleep.resumeUrl);
	const least = isAnsweredFirst ? CLAIM_WITHIN_MS : 0;
	return {
		isOver: () => response.headersSent && Date.now() - begun >= least,
		hasFailed: () =>
			(response.headersSent && response.statusCode >= 500) || Date.now() - begun >= VOID_AFTER_MS,
	};
}
