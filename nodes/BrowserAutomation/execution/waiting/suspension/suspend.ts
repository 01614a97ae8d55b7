import type { Batch } from '../batch/open';
import { identityOf } from '../batch/outcomes';
import type { Host } from '../../host';
import { isProduction } from '../../workflow';
import { claimsExecutions, layResumingEntry } from '../platform';
import { isCalledBack } from '../batch/plan';
import { sleepFor, spread } from './schedule';
import { newNonce } from './secret';
import { countAsleep } from './suspensions';
import { chooseWave } from '../batch/waves';
import { nextLimit } from '../nextStep';

/** How long before n8n's time limit for the execution its clock must not wake it, in milliseconds. */
const BEFORE_TIMEOUT_MS = 10_000;

/**
 * n8n's Agents poll a workflow that is their tool only if it is to be resumed in less than a minute, and for two
 * minutes at most (n8n workflow-tool-factory.js). n8n's wait timer may be some seconds late then: the watcher is not.
 */
const POLLED_PAUSE_MS = 50_000;
const POLLED_FOR_MS = 60_000;

/** What falling asleep needs of a batch. */
type SleepyBatch = Pick<Batch, 'context' | 'ledger' | 'isWatched'> & {
	host: Pick<Host, 'endsAt' | 'isPolled'>;
};

/**
 * Puts the execution to sleep until a call or n8n's wait timer resumes it. Either way the node is carried
 * out again, with its input and the ledger.
 *
 * @returns what the node shows while it sleeps, which nothing receives; and the sleep
 */
export async function suspend(
	batch: SleepyBatch,
	resumeUrl: string,
	isIdle: boolean,
	statusPageUrl: string,
) {
	const { context, ledger } = batch;
	const date = nextPoll(batch, resumeUrl);
	const sleep = { id: newNonce(), resumeUrl, date, isIdle };
	ledger.sleep = sleep;
	chooseWave(ledger);
	layResumingEntry(context, ledger.runIndex);
	context.setMetadata({ resumeUrl: statusPageUrl });
	await context.putExecutionToWait(new Date(date));
	const shown = ledger.entries.map((entry, item) => ({
		json: identityOf(entry),
		pairedItem: { item },
	}));
	return { shown, sleep };
}

/**
 * When n8n's wait timer is to resume the execution, in milliseconds since 1970. It counts the time asleep towards the
 * workflow's timeout, so a look must not come after that: a callback can still save the execution then.
 */
function nextPoll({ context, host, ledger, isWatched }: SleepyBatch, resumeUrl: string): number {
	const now = Date.now();
	const isCalled = isCalledBack(ledger, isWatched);
	const isAlone = !isWatched && !isCalled;
	const usual = isCalled ? 'called' : 'uncalled';
	const isForEditor = isWatched && !isProduction(context);
	const isUsual = isAlone || (claimsExecutions(resumeUrl) && !isForEditor);
	const how = isUsual ? usual : 'seldom';
	// While it was awake n8n took no callback of its runs: it looks once more before it is put off again.
	const isSoon = isCalled && ledger.isPutOff === true;
	if (isCalled) ledger.isPutOff = !isSoon;
	const putOff = isSoon ? 0 : spread(countAsleep(isCalled));
	const elapsed = now - ledger.begunAt;
	const isPolled = host.isPolled && elapsed < POLLED_FOR_MS;
	const pause = isPolled ? POLLED_PAUSE_MS : sleepFor(how, elapsed, Math.random()) + putOff;
	const date = Math.min(now + pause, Math.max(now, nextLimit(ledger)));
	const timeout = (ledger.timeout ??= host.endsAt);
	const isTooLate = timeout !== undefined && date > timeout - BEFORE_TIMEOUT_MS;
	return isTooLate ? ledger.deadline : date;
}
