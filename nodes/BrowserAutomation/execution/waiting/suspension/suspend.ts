import type { Batch } from '../batch/batch';
import { identityOf } from '../batch/outcomes';
import { isProduction } from '../../workflow';
import { layResumingEntry, mayBeSuspendedLater, resumesOnlySuspended } from '../platform';
import { expectsCallbacks } from '../batch/waitMethod';
import { recordSuspended } from '../batch/records';
import { BEHIND_WATCHER_MS, LEAST_TIMER_MS, timerPause, timerPutOff } from '../schedule';
import { newSecret } from '../secret';
import { countSuspended } from './suspensions';
import { nextCancelOrLimitAt } from '../nextStep';

/** How long before n8n's time limit for the execution its wait timer resumes it at the latest, in milliseconds. */
const BEFORE_TIMEOUT_MS = 10_000;

/**
 * n8n's Agents poll a workflow that is their tool only if it is to be resumed in less than a minute, and for two
 * minutes at most (n8n workflow-tool-factory.js). n8n's wait timer may be some seconds late then: the watcher is not.
 */
const POLLED_PAUSE_MS = 50_000;
const POLLED_FOR_MS = 60_000;

/** What suspending needs of a batch. */
type ToSuspend = Pick<Batch, 'context' | 'host' | 'ledger' | 'canWatch'>;

/**
 * Suspends the execution until a call or n8n's wait timer resumes it. Either way the node is carried
 * out again, with its input and the ledger.
 *
 * @returns `output`: what the editor shows of the node meanwhile, and no other node receives; `suspended`: the ledger, which
 * has the suspension now
 */
export async function suspend(
	batch: ToSuspend,
	resumeUrl: string,
	wasResumedInVain: boolean,
	statusPageUrl: string,
) {
	const { context, ledger } = batch;
	const timer = planTimer(batch, resumeUrl);
	const { timerAt } = timer;
	const suspension = { id: newSecret(), resumeUrl, timerAt, wasResumedInVain };
	const suspended = recordSuspended(ledger, suspension, timer);
	layResumingEntry(context, ledger.runIndex);
	context.setMetadata({ resumeUrl: statusPageUrl });
	await context.putExecutionToWait(new Date(timerAt));
	const output = ledger.entries.map((entry, item) => ({
		json: identityOf(entry),
		pairedItem: { item },
	}));
	return { output, suspended };
}

/**
 * When n8n's wait timer is to resume the execution, in milliseconds since 1970. n8n counts the time suspended towards the
 * workflow's timeout, and ends what its timer resumes later: the last chance is just before.
 */
function planTimer({ context, host, ledger, canWatch }: ToSuspend, resumeUrl: string) {
	const now = Date.now();
	const isCalledBack = expectsCallbacks(ledger);
	const isForEditor = canWatch && !isProduction(context);
	const isHarmful = !resumesOnlySuspended(resumeUrl) || mayBeSuspendedLater(context);
	const usual = isCalledBack ? 'called' : 'noCallbacks';
	const how = (canWatch || isCalledBack) && (isForEditor || isHarmful) ? 'seldom' : usual;
	// While it was awake n8n took no callback of its runs: it polls once more before its timer is put off again.
	const skipsPutOff = isCalledBack && ledger.wasTimerPutOff === true;
	const wasTimerPutOff = isCalledBack ? !skipsPutOff : ledger.wasTimerPutOff;
	const putOff = skipsPutOff ? 0 : timerPutOff(countSuspended(isCalledBack));
	const elapsed = now - ledger.begunAt;
	const isPolled = host.isPolled && elapsed < POLLED_FOR_MS;
	const pause = isPolled ? POLLED_PAUSE_MS : timerPause(how, elapsed, Math.random()) + putOff;
	const { executionEndsAt = host.endsAt } = ledger;
	const beforeTimeout = (executionEndsAt ?? Infinity) - BEFORE_TIMEOUT_MS;
	// After a usual date, less than the minute for which the timer is exact may be left.
	const isLast = beforeTimeout > now && now + pause > beforeTimeout - LEAST_TIMER_MS;
	const planned = isLast ? beforeTimeout : now + pause;
	const resumeAt = Math.max(now, nextCancelOrLimitAt(ledger));
	const afterWatcher = Math.min(resumeAt + BEHIND_WATCHER_MS, isLast ? beforeTimeout : Infinity);
	const latest = canWatch && !isPolled ? afterWatcher : resumeAt;
	return { timerAt: planned < resumeAt ? planned : latest, wasTimerPutOff, executionEndsAt };
}
