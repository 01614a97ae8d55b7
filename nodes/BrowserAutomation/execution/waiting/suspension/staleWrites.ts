import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { executionContextOf, hostOf } from '../../host';
import { mayBeSuspendedLater } from '../platform';
import { DUE_AFTER_MS, isTimerArmed } from '../schedule';
import { onlyThisProcessResumes, type EndedSuspensions } from './suspensions';

/*
 * A _stale write_: n8n saves the copy of an execution that a handler or its wait timer has read, a _stale snapshot_, over what was
 * stored since (claim.ts).
 */

/** The keys under which the execution keeps when it was last resumed, and the date of a timer of n8n's that is still to fire. */
const RESUMED_AT = 'browserAutomationResumedAt';
const TIMER_AT = 'browserAutomationTimerAt';

/**
 * How long after a resume another handler, or n8n's wait timer, may still save a stale snapshot. Its snapshot is two seconds old at
 * most, and n8n marks the execution as running within another two. Where an execution is so large that reading it takes longer
 * (suspension.ts: READ_WITHIN_MS), the fence is the only guard.
 */
const STALE_WRITE_WITHIN_MS = 4_000;

/** If longer is left, the clock was set back. Doubled, for small corrections. */
const LONGEST_WAIT_MS = 2 * STALE_WRITE_WITHIN_MS;

/** How long before n8n ends the execution it goes on at the latest. */
const GO_ON_BEFORE_END_MS = 5_000;

/** How long a resumed execution waits until its handler's call is answered, and how often it checks that. */
const ANSWERED_WITHIN_MS = 10_000;
const CHECK_EVERY_MS = 10;

/**
 * Waits until the calls are answered whose handlers in this process have resumed the execution. n8n keeps the answer that is due
 * with the active execution, and hands it on to the next resume (2.41 active-executions.js: `add`), which must not come before.
 */
export async function untilAnswered({ suspensions }: EndedSuspensions): Promise<void> {
	const until = Date.now() + ANSWERED_WITHIN_MS;
	const isDue = () => suspensions.some(({ isUnanswered }) => isUnanswered);
	while (isDue() && Date.now() < until) await sleep(CHECK_EVERY_MS);
}

/**
 * Records in the execution, for all of its nodes, that it was just resumed. Where n8n is one process, that is needed only
 * if its wait timer is about to fire: its handlers rule out a second resume. Also notes the date of a timer that may still fire.
 */
export function storeResumedAt(
	context: IExecuteFunctions,
	ended: EndedSuspensions,
	timerAt: number,
): void {
	const claimed = ended.suspensions.filter(({ isClaimed }) => isClaimed);
	const onlyWeResume = claimed.some((one) => onlyThisProcessResumes(one.isOursInProduction));
	const stored = executionContextOf(context);
	const now = Date.now();
	if (onlyWeResume && !ended.wasTimerNear) delete stored[RESUMED_AT];
	else stored[RESUMED_AT] = now;
	// n8n's timer is still to fire if a handler has resumed the execution, or its date is ahead.
	if ((claimed.length > 0 || timerAt > now) && isTimerArmed(timerAt, now))
		stored[TIMER_AT] = Math.max(timerAt, armedTimerAt(context));
}

/** The date of a timer of n8n's that is still to fire, in milliseconds since 1970; 0 where there is none. */
function armedTimerAt(context: IExecuteFunctions): number {
	const timerAt: unknown = executionContextOf(context)[TIMER_AT];
	return typeof timerAt === 'number' && isTimerArmed(timerAt, Date.now()) ? timerAt : 0;
}

/** Until when a stale snapshot from before the last resume may be written, in milliseconds since 1970; 0 where none ever could. */
export function staleWritesUntil(context: IExecuteFunctions): number {
	const resumedAt: unknown = executionContextOf(context)[RESUMED_AT];
	if (typeof resumedAt !== 'number') return 0;
	const until = resumedAt + STALE_WRITE_WITHIN_MS;
	return until - Date.now() > LONGEST_WAIT_MS ? 0 : until;
}

/**
 * Keeps the execution awake before results are passed on, if a later node may suspend it: a stale snapshot saved then would have n8n
 * execute all nodes up to that one twice, and a timer that n8n has armed would resume that node. This package's own nodes ask
 * `staleWritesUntil` themselves, and suspend it again when they are resumed too soon.
 *
 * @throws CanceledError
 */
export async function stayAwakeForLaterNodes(context: IExecuteFunctions): Promise<void> {
	const timerAt = armedTimerAt(context);
	const firedAt = timerAt === 0 ? 0 : timerAt + DUE_AFTER_MS;
	const latest = (hostOf(context).endsAt ?? Infinity) - GO_ON_BEFORE_END_MS;
	const until = Math.min(Math.max(staleWritesUntil(context), firedAt), latest);
	if (until <= Date.now() || !mayBeSuspendedLater(context)) return;
	await pause(until - Date.now(), cancelSignalOf(context));
}
