import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import { CanceledError } from '../../service/errors';
import { runsOf } from '../../service/runs/runs';
import { nameList } from '../../service/schema/wording';
import { connectToWatch } from '../../transport/client';
import { cancelSignalOf, withSignal } from '../../transport/cancellation';
import type { RunSource } from '../executable';
import { hostOf } from '../host';
import { giveHint, nameRunsInCustomData } from '../hints';
import { isProduction } from '../workflow';
import {
	openRuns,
	idsOf,
	isNotReused,
	hasSuspension,
	countsOf,
	startedTaskIds,
} from './batch/ledger';
import { recordAwake, recordCanceled, recordQueued, recordWaves } from './batch/records';
import type { Pass } from './batch/pass';
import { earlierOf, openPass, type Earlier } from './openPass';
import { lastKnownOutcomes, collectOutcomes, failBatch } from './batch/outcomes';
import { callerWaitsUntil, hintIfCallerWaited, maySuspend } from './batch/waitMethod';
import { mayStartOnceStored } from './batch/waves';
import { passFence, inRound } from './fence';
import { statusPageHint, statusPageUrlFor } from './statusPage';
import type { Abilities, StepTo } from './nextStep';
import { signsResumeUrls, untilSuspended } from './platform';
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
	let pass: Pass | undefined;
	let hasPassedFence = false;
	try {
		earlier = earlierOf(context);
		await untilAnswered(endedSuspensions);
		// Without a suspension, the ledger is of a pass of this process that has passed the fence and ended: n8n executes the node again (Retry
		// On Fail, or from a stale snapshot), which needs no second permission.
		if (hasSuspension(earlier.own)) {
			// Not by `endedSuspensions`: a stale pass of another node of this execution may have ended this suspension before.
			if (rememberedSuspension(earlier.own.suspension.id)?.wantsAllCanceled === true)
				recordCanceled(earlier.own);
			storeResumedAt(context, endedSuspensions, earlier.own.suspension.timerAt);
			await passFence(context, earlier.own);
			hasPassedFence = true;
		}
		pass = await openPass(context, source, earlier);
		if (earlier.own === undefined) await passFence(context, pass.ledger);
		return await resultsInTime(pass, continuePass(pass, endedSuspensions));
	} catch (error) {
		const ledger = pass?.ledger ?? earlier.own;
		leaveQueues(executionId);
		// The pass failed before it sent a start of its wave. An awake ledger says so to a retry, which sends them (takeUp.ts).
		if (hasPassedFence && hasSuspension(ledger)) recordAwake(ledger, undefined);
		const isStopped = error instanceof CanceledError || cancelSignalOf(context)?.aborted === true;
		if (pass !== undefined && isStopped) await cancelAfterStop(pass);
		const itemIndex = pass?.awake.startFailure?.itemIndex ?? 0;
		const failures = failBatch(context, error, itemIndex, ledger ?? earlier.retried);
		await attempt(stayAwakeForLaterNodes(context));
		return failures;
	} finally {
		if (pass !== undefined) nameRunsInCustomData(context, startedTaskIds(pass.ledger));
	}
}

/** For how long after it should have answered (`Host.answersBy`) the node still reads results. */
const READ_FOR_MS = 15_000;

/** How long before n8n ends the node it answers at the latest. */
const ANSWER_BEFORE_END_MS = 1_000;

/** The results, or the last known statuses where the node must answer before. */
async function resultsInTime(pass: Pass, results: Promise<INodeExecutionData[]>) {
	const { endsAt = Infinity, answersBy } = pass.host;
	// Without `answersBy`, `endsAt` is the workflow's timeout as the user has set it: reaching it is an error.
	if (answersBy === undefined) return await results;
	const answerAt = Math.min(answersBy + READ_FOR_MS, endsAt - ANSWER_BEFORE_END_MS);
	const timeout = AbortSignal.timeout(Math.max(answerAt - Date.now(), 0));
	const read = await attempt(withSignal(timeout, results));
	if (read.ok) return read.value;
	if (timeout.aborted) return lastKnownOutcomes(pass);
	throw read.error;
}

/** Carries on with the batch until the results are there, or the execution is suspended. */
async function continuePass(pass: Pass, { suspensions }: EndedSuspensions) {
	const { caller, context, ledger, isResumed } = pass;
	const { canWatch, resumeUrl } = await abilitiesOf(pass);
	if (!canWatch) giveHint(context, pass.hint);
	if (isResumed) {
		hintIfCallerWaited(context, caller);
		const seen = suspensions.find(({ id }) => id === ledger.suspension?.id);
		recordAwake(ledger, seen);
	}
	// A single start is not worth the second that storing it first takes (docs/develop/waiting.md: Stored before the start).
	const wantsWaves =
		ledger.waveEnd === undefined && pass.countsBefore.pending > 1 && isProduction(context);
	if (wantsWaves && canWatch && resumeUrl !== undefined && signsResumeUrls(resumeUrl))
		recordWaves(ledger);
	const last = await carryOut(pass, abilitiesOf);
	if (last.do === 'suspend') return await suspendPass(pass, last);
	if (last.do === 'fail') throw pass.awake.startFailure?.error;
	leaveQueues(ledger.executionId);
	const outcomes = await collectOutcomes(pass);
	await stayAwakeForLaterNodes(context);
	return outcomes;
}

/** What is possible now. Where the execution may be suspended, it finds out whether this process can watch it. */
async function abilitiesOf(pass: Pass): Promise<Abilities> {
	const { caller, context, host, ledger } = pass;
	const isAllowed = maySuspend(ledger.waitMethod) && Date.now() >= callerWaitsUntil(caller);
	const resumeUrl = isAllowed ? host.resumeUrl : undefined;
	if (resumeUrl !== undefined) pass.canWatch ||= await reachesItself(context, resumeUrl);
	const { canWatch } = pass;
	const allowedStarts = canWatch && ledger.settings.waitForSlot ? pass.slots.allowed() : Infinity;
	return { resumeUrl, canWatch, suspendableFrom: suspendableFromOf(pass), allowedStarts };
}

/** Cancels the runs of a stopped execution, if wanted. What was not accepted is named in n8n's log alone: nobody reads an error. */
async function cancelAfterStop({ context, credential, ledger }: Pass): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.waitMethod === 'none') return;
	const taskIds = idsOf(openRuns(ledger).filter(isNotReused));
	const runs = runsOf(connectToWatch(context, credential), ledger.api);
	const accepted = await cancelRuns(runs, taskIds);
	const left = taskIds.filter((taskId) => !accepted.has(taskId));
	if (left.length === 0) return;
	context.logger.warn(
		`Execution ${ledger.executionId} was stopped, and the service has not accepted to cancel these runs: ${nameList(left, Infinity)}`,
	);
}

/**
 * From when the execution may be suspended, in milliseconds since 1970. A stale write (staleWrites.ts) after the suspension has
 * n8n execute it once more, from before this pass. That matters in two cases:
 * - This pass has started something, may have, or a person has canceled all: the stored ledger would not say so.
 * - Several processes execute production: the fence fails the second pass, and so the execution. One that n8n's wait timer has
 *   resumed takes this risk: the timer resumes many at a time, and staying awake holds workers.
 */
function suspendableFromOf(pass: Pass): number {
	const { countsBefore, context, wasTimerDue, isResumed, ledger } = pass;
	const wouldLoseWork = !isResumed || countsBefore.pending > 0 || ledger.isCanceled === true;
	const production = isProduction(context);
	const mayFenceEndIt = production && !onlyThisProcessResumes(production);
	return wouldLoseWork || (mayFenceEndIt && !wasTimerDue) ? staleWritesUntil(context) : 0;
}

async function suspendPass(
	pass: Pass,
	{ resumeUrl }: StepTo<'suspend'>,
): Promise<INodeExecutionData[]> {
	const { countsBefore, caller, context, credential, isResumed, canWatch, ledger } = pass;
	if (cancelSignalOf(context)?.aborted) throw new CanceledError();
	if (!isResumed) hintIfCallerWaited(context, caller);
	const { pending, awaited } = countsOf(ledger);
	// What is pending waits for a slot, or was slowed down: it is stored in waves, which are smaller for slots.
	if (pending > 0 && !mayStartOnceStored(ledger)) {
		recordQueued(ledger, Date.now(), ledger.slowed);
		if (signsResumeUrls(resumeUrl)) recordWaves(ledger);
	}
	const wasResumedInVain =
		isResumed && pending === countsBefore.pending && awaited === countsBefore.awaited;
	const pageUrl = statusPageUrlFor(resumeUrl, ledger);
	const { output, suspendedLedger } = await suspend(pass, resumeUrl, wasResumedInVain, pageUrl);
	const own = { isProduction: isProduction(context), ready: untilSuspended(context) };
	giveHint(context, statusPageHint(pageUrl));
	if (canWatch) {
		const watcher = getOrMakeWatcher(context, credential);
		watcher.watch(suspendedLedger, own);
		giveHint(context, watcher.queue.describe(ledger));
	} else {
		leaveQueues(ledger.executionId);
		remember(suspendedLedger, own);
	}
	// The editor cannot show items of later suspensions: they would seem to load.
	return isResumed && !own.isProduction ? [] : output;
}
