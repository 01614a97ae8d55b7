import { attempt } from '../../../service/attempt';
import {
	INVALID_PARAMETER,
	TOO_MANY_REQUESTS,
	TOO_MANY_RUNNING_TASKS,
} from '../../../service/http/errorCodes';
import { CanceledError, hasCode, ServiceError } from '../../../service/errors';
import { pauseBeforeRetry } from '../../../service/http/retry';
import { isUncertainStart, type StartedRun } from '../../../service/runs/runs';
import { mapConcurrently } from '../../../service/concurrency';
import { cancelSignalOf } from '../../../transport/cancellation';
import { nameRunsInCustomData } from '../../hints';
import type { StoredRequest } from '../../preparation';
import { isNotReused, toRefusal, type Ledger } from './ledger';
import {
	recordQueued,
	recordRefused,
	recordSending,
	recordSlowdown,
	recordStarted,
	recordNoCallbacks,
	recordUnsent,
	recordStartsSent,
} from './records';
import type { Batch, StartFailure } from './batch';
import { registersCallbacks, callbackUrlFor } from './waitMethod';
import { refusedError, uncertainRefusal } from './runErrors';

/**
 * Sends the starts of these items, each once, and records each run as soon as it was started.
 *
 * Two refusals mean that nothing was started: the plan's limit of running tasks (10118), and the request to slow down
 * (429). Where waiting for a slot is allowed, it stops at the first of them. What is left stays pending, and the ledger
 * says since when it waits.
 *
 * @param atOnce how many are sent at a time
 * @returns the first refusal of a start, unless the node goes on after failures
 * @throws CanceledError
 */
export async function startRuns(
	batch: Batch,
	items: number[],
	atOnce: number,
): Promise<StartFailure | undefined> {
	const { context, ledger } = batch;
	const proceeds = context.continueOnFail();
	const startUnlessReused = batch.makeStarter();
	let mustWait = false;
	const failures: StartFailure[] = [];
	await mapConcurrently(items, atOnce, async (itemIndex) => {
		if (mustWait || failures.length > 0 || Date.now() >= ledger.deadline) return;
		const start = await attempt(startItem(batch, itemIndex, startUnlessReused));
		if (start.ok) return;
		const { error } = start;
		if (error === TOO_LATE) return;
		if (error instanceof CanceledError) throw error;
		if (ledger.settings.waitForSlot && isRefusedForNow(error)) {
			recordQueued(ledger, Date.now());
			if (mustWait) return;
			mustWait = true;
			if (error.facts.code === TOO_MANY_RUNNING_TASKS) {
				recordSlowdown(ledger, undefined);
				batch.slots.noteNoSlot();
			} else slowDown(ledger, error);
			return;
		}
		const isUncertain = isUncertainStart(error);
		const refusal = isUncertain ? uncertainRefusal(error) : toRefusal(error);
		if (proceeds || isUncertain) recordRefused(ledger, itemIndex, refusal);
		if (!proceeds) failures.push({ error: isUncertain ? refusedError(refusal) : error, itemIndex });
	});
	recordStartsSent(ledger);
	return failures[0];
}

/** Whether a start was refused for the moment: nothing was started, and it may be sent again later. */
function isRefusedForNow(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus } = error.facts;
	return code === TOO_MANY_RUNNING_TASKS || httpStatus === TOO_MANY_REQUESTS;
}

/** Delays starts for as long as the service asks (Retry-After), else longer each time; until the wait limit at most. */
function slowDown(ledger: Ledger, { facts }: ServiceError): void {
	const times = (ledger.slowed?.times ?? 0) + 1;
	const pause = Math.max(facts.retryAfterMs ?? 0, pauseBeforeRetry(times, facts.retryAfterMs));
	recordSlowdown(ledger, { times, until: Math.min(Date.now() + pause, ledger.deadline) });
}

/** Why nothing was sent: the wait limit was reached while earlier runs were looked for. */
const TOO_LATE = new Error('The wait limit was reached');

/** Starts an item's run, or records the one that was there already (Reuse Results For). */
async function startItem(
	batch: Batch,
	item: number,
	startUnlessReused: ReturnType<Batch['makeStarter']>,
): Promise<void> {
	const { context, ledger } = batch;
	const { inputKey, request } = ledger.entries[item] ?? {};
	if (request === undefined) return;
	const start = async (): Promise<string> => {
		if (cancelSignalOf(context)?.aborted) throw new CanceledError();
		if (Date.now() >= ledger.deadline) throw TOO_LATE;
		recordSending(ledger, item, Date.now());
		const sent = await attempt(sendStart(batch, item, request));
		if (!sent.ok) {
			if (!isUncertainStart(sent.error)) recordUnsent(ledger, item);
			throw sent.error;
		}
		const { taskId } = sent.value;
		const other = ledger.entries.findIndex(
			(entry) => entry.taskId === taskId && isNotReused(entry),
		);
		if (other >= 0) throw sameRunError(taskId, other);
		recordStarted(ledger, item, sent.value, Date.now());
		batch.slots.noteStart();
		batch.notifyTrigger(request.body, taskId);
		// Before n8n stores what it stops in the editor.
		nameRunsInCustomData(context, [taskId]);
		// The only trace of the run where n8n's database cannot store the execution.
		context.logger.info(`Execution ${ledger.executionId} started run ${taskId} for item ${item}`);
		return taskId;
	};
	const reusedTaskId = await startUnlessReused(inputKey, request, start);
	if (reusedTaskId === undefined) return;
	recordStarted(ledger, item, { taskId: reusedTaskId, isReused: true }, Date.now());
	// That run does not call this execution back, but the one that started it.
	recordNoCallbacks(ledger);
}

/** Nobody knows which run the second start has begun. */
function sameRunError(taskId: string, item: number): ServiceError {
	return new ServiceError(
		`The service’s answer to the start names run ${taskId}, which was started for item ${item}`,
		'Look for another run of this input in the service’s own list of runs.',
	);
}

async function sendStart(
	{ uninterrupted, host: { resumeUrl }, ledger, canWatch }: Batch,
	item: number,
	request: StoredRequest,
): Promise<StartedRun> {
	if (resumeUrl === undefined || !registersCallbacks(ledger, canWatch)) {
		// The ledger keeps this: after a restart, another process must not expect callbacks of these runs.
		recordNoCallbacks(ledger);
		return await uninterrupted.start(request);
	}
	const completed = callbackUrlFor(resumeUrl, item, ledger.callbackKey);
	const statusChanged = ledger.settings.resumeWhenPaused ? completed : undefined;
	const started = await attempt(uninterrupted.start(request, { completed, statusChanged }));
	if (started.ok) return started.value;
	if (!hasCode(started.error, INVALID_PARAMETER)) throw started.error;
	// Nothing was started. The service may refuse the address of this n8n, so it is sent again without.
	const run = await uninterrupted.start(request);
	recordNoCallbacks(ledger);
	return run;
}
