import { sleep as pass, type IWebhookFunctions } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import { textAt } from '../../service/json';
import { callOwnAddress, type OwnCaller } from '../../transport/ownAddress';
import { Semaphore } from '../../transport/semaphore';
import { isProduction } from '../mode';
import { responseOf, type WebhookContext } from '../webhook';
import type { Ledger } from './ledger';
import { claimsExecutions } from './platform';
import { isClocksTurn } from './schedule';
import { claimAfterAsking, claimWakeUp, datesOf, isBeingWoken, type Answering } from './sleeps';
import { isForStatusPage, statusPageUrlFor } from './statusPage';

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

/** The query parameter with which a handler asks for the present sleep of an execution. */
const ASK_KEY = 'ask';

/** How long n8n may take to wake an execution where it has answered before, in milliseconds. */
const CLAIM_WITHIN_MS = 500;

/** If the execution still sleeps so long after a handler was to wake it, n8n could not, in milliseconds. */
const VOID_AFTER_MS = 30_000;

/** What a handler that may wake an execution gives of its context. */
export type WakingContext = WebhookContext &
	OwnCaller &
	Pick<IWebhookFunctions, 'getMode' | 'getWebhookName'>;

/** Names the sleep that a handler was called for. Executions of version 0.1.0 sleep without a name. */
export function sleepIdOf(ledger: Ledger): string {
	return ledger.sleep?.id ?? `${ledger.executionId}/${ledger.runIndex}`;
}

/** Whether it is another handler that asks which sleep is the present one, rather than a person. */
export function isQuestion(query: Record<string, unknown>): boolean {
	return ASK_KEY in query;
}

/**
 * Whether the execution may be woken by this handler: it still sleeps the sleep that the handler was
 * called for, no other handler wakes it or is about to, and n8n's clock is not about to. n8n hands a
 * handler the execution as it was when the callback came and writes that back, whatever happened
 * meanwhile.
 *
 * @param late when an answer of the handler would come too late
 * @returns undefined when n8n was too busy to say which sleep is the present one
 */
export async function mayWake(
	context: WakingContext,
	ledger: Ledger,
	late: AbortSignal,
): Promise<boolean | undefined> {
	if (isLeftToClock(ledger)) return false;
	const claimed = claimWhereKnown(context, ledger);
	if (claimed !== undefined) return claimed;
	const sleepId = sleepIdOf(ledger);
	if (askedAbout.has(sleepId)) return false;
	if (turns.waiting >= MOST_WAITING) return undefined;
	// A callback that is refused comes again, a person may not: then another handler has to ask.
	if (isForStatusPage(context)) return await claimInTurn(context, ledger, late);
	askedAbout.add(sleepId);
	try {
		return await claimInTurn(context, ledger, late);
	} finally {
		askedAbout.delete(sleepId);
	}
}

/** Asks and claims when the turn comes, which ends when n8n has woken the execution. */
async function claimInTurn(
	context: WakingContext,
	ledger: Ledger,
	late: AbortSignal,
): Promise<boolean | undefined> {
	const begun = await attempt(async () => await turns.enter(late));
	if (!begun.ok) return undefined;
	const claimed = await attempt(async () => await askAndClaim(context, ledger, late));
	if (claimed.ok && claimed.value === true) void leaveWhenOver(answeringOf(context, ledger));
	else turns.leave();
	if (!claimed.ok) throw claimed.error;
	return claimed.value;
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
function claimWhereKnown(context: WakingContext, ledger: Ledger): boolean | undefined {
	if (!isProduction(context)) return undefined;
	return claimWakeUp(ledger.executionId, sleepIdOf(ledger), answeringOf(context, ledger));
}

async function askAndClaim(
	context: WakingContext,
	ledger: Ledger,
	late: AbortSignal,
): Promise<boolean | undefined> {
	const { executionId, sleep } = ledger;
	const sleepId = sleepIdOf(ledger);
	for (let asks = 1; ; asks++) {
		if (isLeftToClock(ledger) || isBeingWoken(executionId, sleepId)) return false;
		const present = sleep === undefined ? sleepId : await presentSleep(context, ledger);
		if (present === sleepId) {
			return (
				claimWhereKnown(context, ledger) ??
				claimAfterAsking(executionId, sleepId, answeringOf(context, ledger))
			);
		}
		if (present !== undefined) return false;
		if (asks === MOST_ASKS || late.aborted) return undefined;
		await pass(FIRST_PAUSE_MS * 2 ** (asks - 1));
	}
}

/** Whether n8n's clock is about to wake the execution. */
function isLeftToClock({ executionId, sleep }: Ledger): boolean {
	if (sleep === undefined) return false;
	const claims = claimsExecutions(sleep.resumeUrl);
	const now = Date.now();
	return [sleep.date, ...datesOf(executionId)].some((date) => isClocksTurn(date, now, claims));
}

/**
 * Asks n8n, by the execution's own address, which sleep is the present one.
 *
 * @returns its ID, empty when the execution is awake; undefined when no answer came in time
 */
async function presentSleep(
	context: WakingContext,
	{ sleep, watchKey }: Ledger,
): Promise<string | undefined> {
	const url = new URL(statusPageUrlFor(sleep?.resumeUrl ?? '', watchKey, false));
	url.searchParams.set(ASK_KEY, 'sleep');
	const asked = Date.now();
	const answer = await callOwnAddress(context, 'GET', url.toString(), ASK_WITHIN_MS);
	const isLate = Date.now() - asked > ASK_WITHIN_MS;
	if (answer === undefined || answer.status >= 500 || isLate) return undefined;
	return answer.status === 200 ? textAt(answer.body, 'sleep') : '';
}

/**
 * How a handler's answer stands, for others that want to know whether it still may wake the execution.
 * n8n answers when the execution is awake, but earlier versions do so before, as we do with a page.
 */
function answeringOf(context: WakingContext, ledger: Ledger): Answering {
	const response = responseOf(context);
	const begun = Date.now();
	const isAnsweredFirst =
		isForStatusPage(context) ||
		(ledger.sleep !== undefined && !claimsExecutions(ledger.sleep.resumeUrl));
	const least = isAnsweredFirst ? CLAIM_WITHIN_MS : 0;
	return {
		isOver: () => response.headersSent && Date.now() - begun >= least,
		hasFailed: () =>
			(response.headersSent && response.statusCode >= 500) || Date.now() - begun >= VOID_AFTER_MS,
	};
}
