import { sleep, type IExecuteFunctions } from 'n8n-workflow';

import { cancelSignalOf, pause } from '../../../transport/cancellation';
import { executionContextOf, hostOf } from '../../host';
import { mayBeSuspendedLater } from '../platform';
import { DUE_AFTER_MS, isTimerDue } from '../schedule';
import { onlyThisProcessResumes, type EndedSuspensions } from './suspensions';

/** The keys under which the execution keeps when it was last resumed, and the date of a timer of n8n's that is still to go off. */
const RESUMED_AT = 'browserAutomationResumedAt';
const TIMER_AT = 'browserAutomationTimerAt';

/**
 * How long after a resume another handler, or n8n's wait timer, may still save a stale snapshot, in milliseconds. Its
 * snapshot is two seconds old at most (claim.ts: READ_WITHIN_MS), and n8n marks the execution as running within another two.
 */
const STALE_WRITE_WITHIN_MS = 4_000;

/** What is further ahead comes of a clock that was set back, in milliseconds; twice as much, for one that was only corrected. */
const LONGEST_WAIT_MS = 2 * STALE_WRITE_WITHIN_MS;

/** How long before n8n ends the execution it goes on at the latest, in milliseconds. */
const BEFORE_END_MS = 5_000;

/** How long a resumed execution waits until its handler's call is answered, and how often it checks that, in milliseconds. */
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
 * if its wait timer is about to fire: its handlers rule out a second resume. And until when that timer may still go off.
 */
export function recordResumedAt(
	context: IExecuteFunctions,
	ended: EndedSuspensions,
	timerAt: number,
): void {
	const claimed = ended.suspensions.filter(({ isClaimed }) => isClaimed);
	const isByOnlyHandler = claimed.some((one) =>
		onlyThisProcessResumes(one.suspendedHereInProduction),
	);
	const flow = executionContextOf(context);
	const now = Date.now();
	if (isByOnlyHandler && !ended.isTimerNear) delete flow[RESUMED_AT];
	else flow[RESUMED_AT] = now;
	// n8n's timer is still to go off if a handler has resumed the execution, or its date is ahead.
	if ((claimed.length > 0 || timerAt > now) && isTimerDue(timerAt, now, true))
		flow[TIMER_AT] = Math.max(timerAt, timerSetFor(context));
}

/** The date of a timer of n8n's that is still to go off, in milliseconds since 1970; 0 where there is none. */
function timerSetFor(context: IExecuteFunctions): number {
	const timerAt: unknown = executionContextOf(context)[TIMER_AT];
	return typeof timerAt === 'number' && isTimerDue(timerAt, Date.now(), true) ? timerAt : 0;
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
 * execute all nodes up to that one twice, and a timer that n8n has set would wake that node. This package's own nodes ask
 * `staleWritesUntil` themselves, and sleep again when they are woken too soon.
 *
 * @throws CanceledError
 */
export async function stayAwakeForLaterNodes(context: IExecuteFunctions): Promise<void> {
	const timerAt = timerSetFor(context);
	const goneOffAt = timerAt === 0 ? 0 : timerAt + DUE_AFTER_MS;
	const latest = (hostOf(context).endsAt ?? Infinity) - BEFORE_END_MS;
	const until = Math.min(Math.max(staleWritesUntil(context), goneOffAt), latest);
	if (until <= Date.now() || !mayBeSuspendedLater(context)) return;
	await pause(until - Date.now(), cancelSignalOf(context));
}
