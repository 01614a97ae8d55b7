import type { Pass } from '../batch/pass';
import { identityOf } from '../batch/outcomes';
import { isProduction } from '../../workflow';
import {
	forgetSubWorkflow,
	layResumingEntry,
	mayBeSuspendedLater,
	signsResumeUrls,
} from '../platform';
import { expectsCallbacks } from '../batch/waitMethod';
import { recordSuspended } from '../batch/records';
import { BEHIND_WATCHER_MS, LEAST_TIMER_MS, timerPause, timerPutOff } from '../schedule';
import { newSecret } from '../secret';
import { countSuspended } from './suspensions';
import { nextCancelOrLimitAt } from '../nextStep';

/** How long before n8n's timeout its wait timer resumes the execution at the latest. */
const RESUME_BEFORE_END_MS = 10_000;

/**
 * n8n's Agents poll a workflow that is their tool only if it is to be resumed in less than a minute, and for two
 * minutes at most (n8n workflow-tool-factory.js): no such pause begins after the first minute. n8n's wait timer may be some seconds late
 * then: the watcher is not.
 */
const AGENT_PAUSE_MS = 50_000;
const AGENT_FOR_MS = 60_000;

/** What suspending needs of a pass. */
type ToSuspend = Pick<Pass, 'context' | 'host' | 'ledger' | 'canWatch'>;

/**
 * Suspends the execution until a call or n8n's wait timer resumes it. Either way the node is carried
 * out again, with its input and the ledger.
 *
 * @returns `output`: what the editor shows of the node meanwhile, and no other node receives; `suspendedLedger`: the ledger, which
 * has the suspension now
 */
export async function suspend(
	pass: ToSuspend,
	resumeUrl: string,
	wasResumedInVain: boolean,
	statusPageUrl: string,
) {
	const { context, ledger } = pass;
	const timer = planTimer(pass, resumeUrl);
	const { timerAt } = timer;
	const suspendedAt = Date.now();
	const suspension = { id: newSecret(), suspendedAt, resumeUrl, timerAt, wasResumedInVain };
	const suspendedLedger = recordSuspended(ledger, suspension, timer);
	layResumingEntry(context, ledger.runIndex);
	context.setMetadata({ resumeUrl: statusPageUrl });
	await context.putExecutionToWait(new Date(timerAt));
	forgetSubWorkflow(context);
	const output = ledger.entries.map((entry, item) => ({
		json: identityOf(entry),
		pairedItem: { item },
	}));
	return { output, suspendedLedger };
}

/**
 * When n8n's wait timer is to resume the execution, in milliseconds since 1970. n8n counts the time suspended towards the
 * workflow's timeout, and ends what its timer resumes after that: so it is resumed just before.
 */
function planTimer({ context, host, ledger, canWatch }: ToSuspend, resumeUrl: string) {
	const now = Date.now();
	const isCalledBack = expectsCallbacks(ledger);
	// The editor shows each suspension as a run of the node. The timer does harm where it resumes what is awake (n8n before 2.14), or
	// is armed and then wakes a later node. Where something else resumes the execution, both set it seldom.
	const isForEditor = canWatch && !isProduction(context);
	const isTimerHarmful = !signsResumeUrls(resumeUrl) || mayBeSuspendedLater(context);
	const usual = isCalledBack ? 'callbacks' : 'noCallbacks';
	const how = (canWatch || isCalledBack) && (isForEditor || isTimerHarmful) ? 'seldom' : usual;
	// Callbacks may have been lost while it was awake: poll once before delaying the timer again.
	const mustPollOnce = isCalledBack && ledger.wasTimerPutOff === true;
	const wasTimerPutOff = isCalledBack ? !mustPollOnce : ledger.wasTimerPutOff;
	const putOff = mustPollOnce ? 0 : timerPutOff(countSuspended(isCalledBack));
	const elapsed = now - ledger.begunAt;
	const isAgentAsking = host.isPolled && elapsed < AGENT_FOR_MS;
	const pause = isAgentAsking ? AGENT_PAUSE_MS : timerPause(how, elapsed, Math.random()) + putOff;
	const { executionEndsAt = host.endsAt } = ledger;
	const beforeEnd = (executionEndsAt ?? Infinity) - RESUME_BEFORE_END_MS;
	// If less than a minute is left between the planned date and the last possible one, a timer for the latter is not exact.
	const isLast = beforeEnd > now && now + pause > beforeEnd - LEAST_TIMER_MS;
	const planned = isLast ? beforeEnd : now + pause;
	const resumeAt = Math.max(now, nextCancelOrLimitAt(ledger));
	const backstopAt = Math.min(resumeAt + BEHIND_WATCHER_MS, isLast ? beforeEnd : Infinity);
	const timerLimit = canWatch && !isAgentAsking ? backstopAt : resumeAt;
	return { timerAt: planned < resumeAt ? planned : timerLimit, wasTimerPutOff, executionEndsAt };
}
