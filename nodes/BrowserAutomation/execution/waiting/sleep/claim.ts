import { sleep as pass, type IWebhookFunctions } from 'n8n-workflow';

import type { OwnCaller } from '../../../transport/ownAddress';
import { Semaphore } from '../../../transport/semaphore';
import { isProduction } from '../../mode';
import { responseOf, type WebhookContext } from '../../webhook';
import { claimsExecutions } from '../platform';
import { isForStatusPage } from '../statusPage';
import { isClocksTurn } from './schedule';
import {
	claim,
	isBeingWoken,
	sleeperOf,
	type AsleepLedger,
	type Claim,
	type Sleeper,
	type Waking,
} from './sleepers';
import { askWhetherAsleep } from './wakeCall';

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

/** How long n8n may take to wake an execution where it has answered before, in milliseconds. */
const CLAIM_WITHIN_MS = 500;

/** If the execution still sleeps so long after a handler was to wake it, n8n could not, in milliseconds. */
const VOID_AFTER_MS = 30_000;

/** What a handler that may wake an execution gives of its context. */
export type WakingContext = WebhookContext &
	OwnCaller &
	Pick<IWebhookFunctions, 'getMode' | 'getWebhookName'>;

/**
 * Whether the execution may be woken by this handler: it still sleeps the sleep that the handler was
 * called for, and no other handler wakes it or is about to. n8n hands a handler the execution as it
 * was when the call came and writes that back, whatever happened meanwhile. Executions of the editor
 * are no work for n8n's workers: whichever process takes a callback carries them on.
 *
 * @param late when an answer of the handler would come too late
 */
export async function mayWake(
	context: WakingContext,
	ledger: AsleepLedger,
	late: AbortSignal,
): Promise<Claim> {
	const { resumeUrl, date } = ledger.sleep;
	if (!claimsExecutions(resumeUrl) && isClocksTurn(date, Date.now(), false)) return 'others';
	const sleeper = sleeperOf(ledger);
	const isKnown = sleeper.isOver || (sleeper.isOwn && isProduction(context));
	if (isKnown) return claim(sleeper, wakingOf(context, sleeper));
	if (sleeper.isAskedAbout || isBeingWoken(sleeper)) return 'others';
	if (turns.waiting >= MOST_WAITING) return 'busy';
	// A callback that is refused comes again, a person may not: then another handler has to ask.
	sleeper.isAskedAbout = !isForStatusPage(context);
	try {
		return await claimInTurn(context, sleeper, late);
	} finally {
		sleeper.isAskedAbout = false;
	}
}

/** Asks and claims when the turn comes, which ends when n8n has woken the execution. */
async function claimInTurn(
	context: WakingContext,
	sleeper: Sleeper,
	late: AbortSignal,
): Promise<Claim> {
	try {
		await turns.enter(late);
	} catch {
		return 'busy';
	}
	let claimed: Claim = 'busy';
	try {
		claimed = await askAndClaim(context, sleeper, late);
		return claimed;
	} finally {
		void leave(claimed === 'mine' ? sleeper.waking : undefined);
	}
}

async function leave(waking: Waking | undefined): Promise<void> {
	for (
		let nap = FIRST_NAP_MS;
		waking?.hasBeenAnswered() === false && !waking.hasFailed();
		nap *= 2
	) {
		await pass(Math.min(nap, LONGEST_NAP_MS));
	}
	turns.leave();
}

async function askAndClaim(
	context: WakingContext,
	sleeper: Sleeper,
	late: AbortSignal,
): Promise<Claim> {
	for (let asks = 1; !isBeingWoken(sleeper); asks++) {
		const said = await askWhetherAsleep(context, sleeper);
		if (said === 'asleep') break;
		if (said === 'over' || asks === MOST_ASKS || late.aborted) return said;
		await pass(FIRST_PAUSE_MS * 2 ** (asks - 1));
	}
	return claim(sleeper, wakingOf(context, sleeper));
}

/**
 * How a handler's answer stands, for others that want to know whether it still may wake the execution.
 * n8n answers when the execution is awake, but earlier versions do so before, as we do with a page.
 */
function wakingOf(context: WakingContext, { resumeUrl }: Sleeper): Waking {
	const response = responseOf(context);
	const begun = Date.now();
	const isAnsweredFirst = isForStatusPage(context) || !claimsExecutions(resumeUrl);
	const least = isAnsweredFirst ? CLAIM_WITHIN_MS : 0;
	return {
		hasBeenAnswered: () => response.headersSent && Date.now() - begun >= least,
		hasFailed: () =>
			(response.headersSent && response.statusCode >= 500) || Date.now() - begun >= VOID_AFTER_MS,
	};
}
