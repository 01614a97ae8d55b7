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
import {
	unendedRuns,
	idsOf,
	isNotReused,
	hasSuspension,
	countsOf,
	startedTaskIds,
} from './batch/ledger';
import { recordAwake, recordCanceled, recordQueued, recordWaves } from './batch/records';
import type { Batch } from './batch/batch';
import { earlierOf, openBatch, type Earlier } from './openBatch';
import { lastKnownOutcomes, collectOutcomes, failBatch } from './batch/outcomes';
import { callerWaitsUntil, hintIfCallerWaited, maySuspend } from './batch/waitMethod';
import { mayStartOnceStored } from './batch/waves';
import { passFence, inRound } from './fence';
import { statusPageHint, statusPageUrlFor } from './statusPage';
import type { Abilities, StepTo } from './nextStep';
import { untilSuspended } from './platform';
import { cancelRuns, carryOut } from './steps';
import {
	storeResumedAt,
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
import { endAndUnwatch, getOrMakeWatcher, leaveQueues } from './suspension/watcher';

/**
 * Starts a run for each item, or finds the existing ones, waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a resume and
 * where a node has failed (Retry On Fail): what was started is found in the ledger and never started again.
 *
 * @returns the results; where it suspends the execution, what the editor shows
 * @throws NodeOperationError or NodeApiError, unless the node goes on after failures; it names every
 * run that was started
 */
export async function executeRuns(
	context: IExecuteFunctions,
	source: RunSource,
): Promise<INodeExecutionData[]> {
	return await inRound(context, async () => await executePass(context, source));
}

async function executePass(
	context: IExecuteFunctions,
	source: RunSource,
): Promise<INodeExecutionData[]> {
	const { executionId } = hostOf(context);
	const endedSuspensions = endAndUnwatch(executionId);
	let earlier: Earlier = {};
	let batch: Batch | undefined;
	let hasPassedFence = false;
	try {
		earlier = earlierOf(context);
		await untilAnswered(endedSuspensions);
		if (hasSuspension(earlier.own)) {
			// Not by `endedSuspensions`: a stale pass of another node of this execution may have ended this suspension before.
			if (rememberedSuspension(earlier.own.suspension.id)?.wantsAllCanceled === true)
				recordCanceled(earlier.own);
			storeResumedAt(context, endedSuspensions, earlier.own.suspension.timerAt);
			await passFence(context, earlier.own);
			hasPassedFence = true;
		}
		batch = await openBatch(context, source, earlier);
		if (earlier.own === undefined) await passFence(context, batch.ledger);
		return await resultsInTime(batch, continueBatch(batch, endedSuspensions));
	} catch (error) {
		const ledger = batch?.ledger ?? earlier.own;
		leaveQueues(executionId);
		// The pass failed before it sent a start of its wave. An awake ledger says so to a retry, which sends them (takeUp.ts).
		if (hasPassedFence && hasSuspension(ledger)) recordAwake(ledger, undefined);
		const isStopped = error instanceof CanceledError || cancelSignalOf(context)?.aborted === true;
		if (batch !== undefined && isStopped) await cancelAfterStop(batch);
		const itemIndex = batch?.awake.startFailure?.itemIndex ?? 0;
		const failures = failBatch(context, error, itemIndex, ledger ?? earlier.retried);
		await attempt(stayAwakeForLaterNodes(context));
		return failures;
	} finally {
		if (batch !== undefined) nameRunsInCustomData(context, startedTaskIds(batch.ledger));
	}
}

/** For how long after it should have answered (`Host.answersBy`) the node still reads results. */
const READ_FOR_MS = 15_000;

/** How long before n8n ends the node it answers at the latest. */
const ANSWER_BEFORE_END_MS = 1_000;

/** The results, or the last known statuses where the node must answer before. */
async function resultsInTime(batch: Batch, results: Promise<INodeExecutionData[]>) {
	const { endsAt = Infinity, answersBy } = batch.host;
	// Without `answersBy`, `endsAt` is the workflow's timeout as the user has set it: reaching it is an error.
	if (answersBy === undefined) return await results;
	const answerAt = Math.min(answersBy + READ_FOR_MS, endsAt - ANSWER_BEFORE_END_MS);
	const timeout = AbortSignal.timeout(Math.max(answerAt - Date.now(), 0));
	const read = await attempt(withSignal(timeout, results));
	if (read.ok) return read.value;
	if (timeout.aborted) return lastKnownOutcomes(batch);
	throw read.error;
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
	const wantsWaves =
		ledger.waveEnd === undefined && batch.countsBefore.pending > 1 && isProduction(context);
	if (wantsWaves && canWatch && resumeUrl !== undefined) recordWaves(ledger, resumeUrl);
	const last = await carryOut(batch, abilitiesOf);
	if (last.do === 'suspend') return await suspendBatch(batch, last);
	if (last.do === 'fail') throw batch.awake.startFailure?.error;
	leaveQueues(ledger.executionId);
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
	const taskIds = idsOf(unendedRuns(ledger).filter(isNotReused));
	await cancelRuns(runsOf(connectToWatch(context, credential), ledger.api), taskIds);
}

/**
 * From when the execution may be suspended, in milliseconds since 1970. A stale write after that has n8n execute it once more,
 * from before this pass. That matters in two cases:
 * - This pass has started something, may have, or a person has canceled all: the stored ledger would not say so.
 * - Several processes execute production: the fence fails the second pass, and so the execution. One that n8n's wait timer has
 *   resumed takes this risk: the timer resumes many at a time, and staying awake holds workers.
 */
function suspendableFromOf({
	countsBefore,
	context,
	wasTimerDue,
	isResumed,
	ledger,
}: Batch): number {
	const wouldLoseWork = !isResumed || countsBefore.pending > 0 || ledger.isCanceled === true;
	const production = isProduction(context);
	const mayFenceEndIt = production && !onlyThisProcessResumes(production);
	return wouldLoseWork || (mayFenceEndIt && !wasTimerDue) ? staleWritesUntil(context) : 0;
}

async function suspendBatch(
	batch: Batch,
	{ resumeUrl }: StepTo<'suspend'>,
): Promise<INodeExecutionData[]> {
	const { countsBefore, caller, context, credential, isResumed, canWatch, ledger } = batch;
	if (cancelSignalOf(context)?.aborted) throw new CanceledError();
	if (!isResumed) hintIfCallerWaited(context, caller);
	const { pending, awaited } = countsOf(ledger);
	// What is pending waits for a slot, or was slowed down: the rest of its wave is stored anew, in a wave of its own size.
	if (pending > 0 && !mayStartOnceStored(ledger)) {
		recordQueued(ledger, Date.now(), ledger.slowed);
		recordWaves(ledger, resumeUrl);
	}
	const wasResumedInVain =
		isResumed && pending === countsBefore.pending && awaited === countsBefore.awaited;
	const pageUrl = statusPageUrlFor(resumeUrl, ledger);
	const { output, suspendedLedger } = await suspend(batch, resumeUrl, wasResumedInVain, pageUrl);
	const here = { isProduction: isProduction(context), ready: untilSuspended(context) };
	giveHint(context, statusPageHint(pageUrl));
	if (canWatch) {
		const watcher = getOrMakeWatcher(context, credential);
		watcher.watch(suspendedLedger, here);
		giveHint(context, watcher.queue.describe(ledger));
	} else {
		leaveQueues(ledger.executionId);
		remember(suspendedLedger, here);
	}
	// The editor cannot show items of later suspensions: they would seem to load.
	return isResumed && !here.isProduction ? [] : output;
}
