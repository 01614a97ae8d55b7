import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import { CanceledError } from '../../service/errors';
import { runsOf } from '../../service/runs/runs';
import { connectToWatch } from '../../transport/client';
import { cancelSignalOf, withSignal } from '../../transport/cancellation';
import type { RunSource } from '../executable';
import { hostOf } from '../host';
import { giveHint, nameRunsInCustomData } from '../hints';
import { isProduction } from '../workflow';
import { unendedRuns, isNotReused, isSuspended, countsOf, startedTaskIds } from './batch/ledger';
import { recordAwake, recordCanceled, recordQueued, recordWaves } from './batch/records';
import type { Batch } from './batch/batch';
import { earlierLedger, openBatch, type Earlier } from './openBatch';
import { lastKnownOutcomes, collectOutcomes, failBatch } from './batch/outcomes';
import { callerWaitsUntil, hintIfCallerWaited, maySuspend } from './batch/waitMethod';
import { isBetweenWaves } from './batch/waves';
import { passFence, inRound } from './fence';
import { statusPageHint, statusPageUrlFor } from './statusPage';
import type { Abilities, StepTo } from './nextStep';
import { untilSuspended } from './platform';
import { cancelRuns, carryOut } from './steps';
import {
	recordResumedAt,
	staleWritesUntil,
	stayAwakeForLaterNodes,
	untilAnswered,
} from './suspension/staleWrites';
import {
	onlyThisProcessResumes,
	remember,
	rememberedSuspension,
	type EndedSuspensions,
} from './suspension/suspensions';
import { suspend } from './suspension/suspend';
import { reachesItself } from './suspension/resumeCall';
import { dequeue, endAndUnwatch, getOrMakeWatcher } from './suspension/watcher';

/**
 * Starts a run for each item, or finds the existing ones, waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a resume and
 * where a node has failed (Retry On Fail): what was started is found in the ledger and never started again.
 *
 * @returns the results; while the execution is suspended, the runs' IDs
 * @throws NodeOperationError or NodeApiError, unless the node goes on after failures; it names every
 * run that was started
 */
export async function executeRuns(
	context: IExecuteFunctions,
	source: RunSource,
): Promise<INodeExecutionData[]> {
	return await inRound(context, async () => await executeRound(context, source));
}

async function executeRound(
	context: IExecuteFunctions,
	source: RunSource,
): Promise<INodeExecutionData[]> {
	const { executionId } = hostOf(context);
	const endedSuspensions = endAndUnwatch(executionId);
	let earlier: Earlier = {};
	let batch: Batch | undefined;
	let isPastFence = false;
	try {
		earlier = earlierLedger(context);
		await untilAnswered(endedSuspensions);
		if (isSuspended(earlier.own)) {
			// `endedSuspensions` lacks this suspension where another node, executed from an old state, has ended it.
			if (rememberedSuspension(earlier.own.suspension.id)?.isCancelWanted === true)
				recordCanceled(earlier.own);
			recordResumedAt(context, endedSuspensions, earlier.own.suspension.timerAt);
			await passFence(context, earlier.own);
			isPastFence = true;
		}
		batch = await openBatch(context, source, earlier);
		if (earlier.own === undefined) await passFence(context, batch.ledger);
		return await resultsInTime(batch, continueBatch(batch, endedSuspensions));
	} catch (error) {
		const ledger = batch?.ledger ?? earlier.own;
		dequeue(executionId);
		// Not even its credential could be read, so nothing of the stored wave was sent. Marked awake, so that a retry does not call it uncertain.
		if (isPastFence && isSuspended(ledger)) recordAwake(ledger, undefined);
		const isStopped = error instanceof CanceledError || cancelSignalOf(context)?.aborted === true;
		if (batch !== undefined && isStopped) await cancelAfterStop(batch);
		const itemIndex = batch?.awake.startFailure?.itemIndex ?? 0;
		const failures = failBatch(context, error, itemIndex, ledger ?? earlier.retried);
		await stayAwakeForLaterNodes(context);
		return failures;
	} finally {
		if (batch !== undefined) nameRunsInCustomData(context, startedTaskIds(batch.ledger));
	}
}

/** For how long after `answersBy` the node still reads results, in milliseconds. */
const READ_FOR_MS = 15_000;

/** How long before n8n ends it the node answers at the latest, in milliseconds. */
const ANSWER_BEFORE_END_MS = 1_000;

/** The results. Where a node that nothing resumes must answer before they are read, the runs with their last known statuses in place of them. */
async function resultsInTime(batch: Batch, results: Promise<INodeExecutionData[]>) {
	const { endsAt = Infinity, answersBy } = batch.host;
	// Without `answersBy`, `endsAt` is the workflow's timeout as the user has set it: reaching it is an error.
	if (answersBy === undefined) return await results;
	const last = Math.min(answersBy + READ_FOR_MS, endsAt - ANSWER_BEFORE_END_MS);
	const end = AbortSignal.timeout(Math.max(last - Date.now(), 0));
	const found = await attempt(withSignal(end, results));
	if (found.ok) return found.value;
	if (end.aborted) return lastKnownOutcomes(batch);
	throw found.error;
}

/** Carries on with the batch until the results are there, or the execution is suspended. */
async function continueBatch(batch: Batch, { suspensions }: EndedSuspensions) {
	const { caller, context, ledger, isResumed } = batch;
	const { canWatch, resumeUrl } = await abilitiesOf(batch);
	if (!canWatch) giveHint(context, batch.hint);
	if (isResumed) {
		hintIfCallerWaited(context, caller);
		recordAwake(
			ledger,
			suspensions.find(({ id }) => id === ledger.suspension?.id),
		);
	}
	const isWithoutWaves =
		ledger.waveEnd === undefined && batch.countsBefore.pending > 1 && isProduction(context);
	if (isWithoutWaves && canWatch && resumeUrl !== undefined) recordWaves(ledger, resumeUrl);
	const last = await carryOut(batch, async () => await abilitiesOf(batch));
	if (last.do === 'suspend') return await suspendBatch(batch, last);
	if (last.do === 'fail') throw batch.awake.startFailure?.error;
	dequeue(ledger.executionId);
	const outcomes = await collectOutcomes(batch);
	await stayAwakeForLaterNodes(context);
	return outcomes;
}

/** What is possible now. Where the execution may be suspended, it finds out whether this process can watch it. */
async function abilitiesOf(batch: Batch): Promise<Abilities> {
	const { caller, context, host, ledger } = batch;
	const isAllowed = maySuspend(ledger.waitMethod) && Date.now() >= callerWaitsUntil(caller);
	const resumeUrl = isAllowed ? host.resumeUrl : undefined;
	if (resumeUrl !== undefined) batch.canWatch ||= await reachesItself(context, resumeUrl);
	const { canWatch } = batch;
	const allowedStarts = canWatch && ledger.settings.waitForSlot ? batch.slots.allowed() : Infinity;
	return { resumeUrl, canWatch, suspendableFrom: suspendableFromOf(batch), allowedStarts };
}

async function cancelAfterStop({ context, credential, ledger }: Batch): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.waitMethod === 'none') return;
	const own = unendedRuns(ledger).filter(isNotReused);
	const taskIds = own.map(({ taskId }) => taskId);
	await cancelRuns(runsOf(connectToWatch(context, credential), ledger.api), taskIds);
}

/**
 * From when the execution may be suspended, in milliseconds since 1970. A stale write before would undo what this call of the node has
 * started, or that a person canceled all. Where several processes execute, it would also have the fence end the execution
 * (fence.ts): that is risked after n8n's wait timer has resumed it, as many workers would be held.
 */
function suspendableFromOf({ countsBefore, context, isByTimer, isResumed, ledger }: Batch): number {
	const wouldLoseWork = !isResumed || countsBefore.pending > 0 || ledger.isCanceled === true;
	const isFenced = isProduction(context) && !onlyThisProcessResumes(true);
	return wouldLoseWork || (isFenced && !isByTimer) ? staleWritesUntil(context) : 0;
}

async function suspendBatch(
	batch: Batch,
	{ resumeUrl }: StepTo<'suspend'>,
): Promise<INodeExecutionData[]> {
	const { countsBefore, caller, context, credential, isResumed, canWatch, ledger } = batch;
	if (cancelSignalOf(context)?.aborted) throw new CanceledError();
	if (!isResumed) hintIfCallerWaited(context, caller);
	const { pending, awaited } = countsOf(ledger);
	// A pending start that is not of the next wave waits for a slot, or because the service has asked to slow down.
	if (pending > 0 && !isBetweenWaves(ledger)) {
		recordQueued(ledger, Date.now());
		recordWaves(ledger, resumeUrl);
	}
	const wasResumedInVain =
		isResumed && pending === countsBefore.pending && awaited === countsBefore.awaited;
	const pageUrl = statusPageUrlFor(resumeUrl, ledger);
	const { output, suspended } = await suspend(batch, resumeUrl, wasResumedInVain, pageUrl);
	const here = { isProduction: isProduction(context), ready: untilSuspended(context) };
	giveHint(context, statusPageHint(pageUrl));
	if (canWatch) {
		const watcher = getOrMakeWatcher(context, credential);
		watcher.watch(suspended, here);
		giveHint(context, watcher.queue.describe(ledger));
	} else {
		dequeue(ledger.executionId);
		remember(suspended, here);
	}
	// The editor has no data of items that come after the first suspension: it would show that it loads them.
	return isResumed && !here.isProduction ? [] : output;
}
