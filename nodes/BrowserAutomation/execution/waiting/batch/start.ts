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
	recordStarted,
	recordNoCallbacks,
	recordSlowdownOver,
	recordUnsent,
	recordStartsSent,
} from './records';
import type { Pass, StartFailure } from './pass';
import { sendsCallbackUrl, callbackUrlFor } from './waitMethod';
import { refusedError, uncertainRefusal } from './runErrors';

/**
 * Sends the starts of these items, each once, and records each run as soon as it was started. The service _turns a start away_,
 * and starts nothing, at the plan's limit of running tasks (10118), and when it asks to slow down (429). Where waiting for a slot
 * is allowed, the first of these stops the others, and what is left stays pending.
 *
 * @returns the first failed start, unless the node goes on after failures
 * @throws CanceledError
 */
export async function startRuns(
	pass: Pass,
	items: number[],
	concurrency: number,
): Promise<StartFailure | undefined> {
	const { context, ledger } = pass;
	const continuesOnFail = context.continueOnFail();
	const startUnlessReused = pass.newStarter();
	let mustWait = false;
	const failures: StartFailure[] = [];
	recordSlowdownOver(ledger, Date.now());
	await mapConcurrently(items, concurrency, async (itemIndex) => {
		if (mustWait || failures.length > 0 || Date.now() >= ledger.deadline) return;
		const sent = await attempt(startItem(pass, itemIndex, startUnlessReused));
		if (sent.ok) return;
		const { error } = sent;
		if (error === PAST_DEADLINE) return;
		if (error instanceof CanceledError) throw error;
		if (ledger.settings.waitForSlot && isTurnedAway(error)) {
			const isNoSlot = error.facts.code === TOO_MANY_RUNNING_TASKS;
			// Of starts on their way at the same moment the first counts, but to slow down counts more than the lack of a slot.
			if (mustWait && (isNoSlot || ledger.slowed !== undefined)) return;
			mustWait = true;
			recordQueued(ledger, Date.now(), isNoSlot ? undefined : slowdown(ledger, error));
			if (isNoSlot) pass.slots.noteNoSlot();
			return;
		}
		const isUncertain = isUncertainStart(error);
		const refusal = isUncertain ? uncertainRefusal(error) : toRefusal(error);
		if (continuesOnFail || isUncertain) recordRefused(ledger, itemIndex, refusal);
		if (!continuesOnFail)
			failures.push({ error: isUncertain ? refusedError(refusal) : error, itemIndex });
	});
	recordStartsSent(ledger);
	return failures[0];
}

/** Whether the service has turned a start away: nothing was started, and it may be sent again later. */
function isTurnedAway(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError) || isUncertainStart(error)) return false;
	const { code, httpStatus } = error.facts;
	return code === TOO_MANY_RUNNING_TASKS || httpStatus === TOO_MANY_REQUESTS;
}

/** Until when starts are delayed: as the service asks (Retry-After), else longer each time; until the wait limit at most. */
function slowdown({ slowed, deadline }: Ledger, { facts }: ServiceError): Ledger['slowed'] {
	const times = (slowed?.times ?? 0) + 1;
	const pause = Math.max(facts.retryAfterMs ?? 0, pauseBeforeRetry(times, facts.retryAfterMs));
	return { times, until: Math.min(Date.now() + pause, deadline) };
}

/** Why nothing was sent: the wait limit was reached while earlier runs were looked for. */
const PAST_DEADLINE = new Error('The wait limit was reached');

/** Starts an item's run, or records the one that was there already (Reuse Results For). */
async function startItem(
	pass: Pass,
	itemIndex: number,
	startUnlessReused: ReturnType<Pass['newStarter']>,
): Promise<void> {
	const { context, ledger } = pass;
	const { request } = ledger.entries[itemIndex] ?? {};
	if (request === undefined) return;
	const send = async (): Promise<string> => {
		if (cancelSignalOf(context)?.aborted) throw new CanceledError();
		if (Date.now() >= ledger.deadline) throw PAST_DEADLINE;
		recordSending(ledger, itemIndex, Date.now());
		const sent = await attempt(sendStart(pass, itemIndex, request));
		if (!sent.ok) {
			if (!isUncertainStart(sent.error)) recordUnsent(ledger, itemIndex);
			throw sent.error;
		}
		const { taskId } = sent.value;
		const other = ledger.entries.findIndex((one) => one.taskId === taskId && isNotReused(one));
		if (other >= 0) throw sameRunError(taskId, other);
		recordStarted(ledger, itemIndex, sent.value, Date.now());
		pass.slots.noteStart();
		pass.notifyTrigger(request.body, taskId);
		// Before n8n stores what it stops in the editor.
		nameRunsInCustomData(context, [taskId]);
		// The only trace of the run where n8n's database cannot store the execution.
		context.logger.info(
			`Execution ${ledger.executionId} started run ${taskId} for item ${itemIndex}`,
		);
		return taskId;
	};
	const reusedTaskId = await startUnlessReused(request, send);
	if (reusedTaskId === undefined) return;
	recordStarted(ledger, itemIndex, { taskId: reusedTaskId, isReused: true }, Date.now());
	// Most likely it calls back another execution, which has started it.
	recordNoCallbacks(ledger);
	// Its status is not known yet: it is polled next.
	delete pass.awake.pollTriedAt;
}

/** The error of a start whose answer names an earlier run: nobody knows which run it has begun. */
function sameRunError(taskId: string, itemIndex: number): ServiceError {
	return new ServiceError(
		`The service’s answer to the start names run ${taskId}, which was started for item ${itemIndex}`,
		'Look for another run of this input in the service’s own list of runs.',
	);
}

async function sendStart(
	{ uninterrupted, host: { resumeUrl }, ledger, canWatch }: Pass,
	itemIndex: number,
	request: StoredRequest,
): Promise<StartedRun> {
	if (resumeUrl === undefined || !sendsCallbackUrl(ledger, canWatch)) {
		// The ledger keeps this: after a restart, another process must not expect callbacks of these runs.
		recordNoCallbacks(ledger);
		return await uninterrupted.start(request);
	}
	const completed = callbackUrlFor(resumeUrl, itemIndex, ledger.callbackKey);
	const statusChanged = ledger.settings.isPauseEnough ? completed : undefined;
	const started = await attempt(uninterrupted.start(request, { completed, statusChanged }));
	if (started.ok) return started.value;
	const { error } = started;
	if (!hasCode(error, INVALID_PARAMETER) || isUncertainStart(error)) throw error;
	// Nothing was started. The service may refuse the address of this n8n, so it is sent again without.
	const run = await uninterrupted.start(request);
	recordNoCallbacks(ledger);
	return run;
}
