import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import { mapConcurrently } from '../../service/concurrency';
import { CanceledError } from '../../service/errors';
import { isAccessRefusal, isTransient } from '../../service/http/retry';
import { runsOf, toRunStatus, type Runs } from '../../service/runs/runs';
import { connectToWatch } from '../../transport/client';
import { cancelSignalOf, pause, withSignal } from '../../transport/cancellation';
import type { RunSource } from '../executable';
import { failureText } from '../failures';
import { hostOf } from '../host';
import { giveHint, nameRunsInCustomData } from '../hints';
import { notifyTrigger } from '../notifyTrigger';
import { isProduction } from '../workflow';
import {
	activeRuns,
	isAllOver,
	isOwn,
	openTaskIds,
	startedTaskIds,
	toRefusal,
	pendingStarts,
	type Ledger,
	type Refusal,
} from './batch/ledger';
import {
	recordAwake,
	recordCanceled,
	recordCancels,
	recordKnown,
	recordQueued,
	recordRequestError,
	recordStatuses,
	recordWaveEnd,
	refuseStarts,
} from './batch/records';
import type { Batch } from './batch/batch';
import { earlierLedger, openBatch } from './batch/open';
import { lastKnownOutcomes, collectOutcomes, failBatch } from './batch/outcomes';
import { callerWaitsUntil, hintIfCallerWaited, maySuspend } from './batch/plan';
import { planWaves, startRuns } from './batch/start';
import { isBetweenWaves } from './batch/waves';
import { checkResumedOnce, inRound } from './fence';
import { statusPageHint, statusPageUrlFor } from './statusPage';
import { nextDeadline, nextStep, type Abilities, type AwakeFacts, type StepTo } from './nextStep';
import {
	recordResumedAt,
	waitOutStaleWrites,
	waitOutStaleWritesForLaterNodes,
	untilCallsAnswered,
} from './suspension/claim';
import type { EndedSuspensions } from './suspension/suspensions';
import { suspend } from './suspension/suspend';
import { reachesItself } from './suspension/resumeCall';
import { existingWatcher, dequeue, stopWatching, getOrMakeWatcher } from './suspension/watcher';

/**
 * Starts a run for each item (or takes up existing ones), waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a resume
 * and on a retry: what was started is found in the ledger and never started again.
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
	const ended = stopWatching(executionId);
	let earlier: Ledger | undefined;
	let batch: Batch | undefined;
	try {
		earlier = earlierLedger(context);
		await untilCallsAnswered(ended);
		recordResumedAt(context, earlier, ended);
		batch = await openBatch(context, source, earlier);
		return await resultsInTime(batch, carryOut(batch, ended));
	} catch (error) {
		const ledger = batch?.ledger ?? earlier;
		dequeue(executionId);
		// No start of this execution is on its way any more. Starts of the execution that it retries may be.
		if (ledger !== undefined && ledger.executionId === executionId) recordWaveEnd(ledger);
		if (batch !== undefined && error instanceof CanceledError) await cancelAfterStop(batch);
		return failBatch(context, error, batch?.startFailure?.itemIndex ?? 0, ledger);
	} finally {
		if (batch !== undefined) nameRunsInCustomData(context, startedTaskIds(batch.ledger));
	}
}

/** How long before n8n ends the node it answers without results that are still being read, in milliseconds. */
const ANSWER_BEFORE_END_MS = 1_000;

/** The results. Just before n8n ends a node that nothing resumes, the runs with their last known statuses in place of them. */
async function resultsInTime(batch: Batch, results: Promise<INodeExecutionData[]>) {
	const { endsAt, answersBy } = batch.host;
	// Without `answersBy`, `endsAt` is the workflow's timeout as the user has set it: reaching it is an error.
	if (endsAt === undefined || answersBy === undefined) return await results;
	const end = AbortSignal.timeout(Math.max(endsAt - ANSWER_BEFORE_END_MS - Date.now(), 0));
	const found = await attempt(withSignal(end, results));
	if (found.ok) return found.value;
	if (end.aborted) return lastKnownOutcomes(batch);
	throw found.error;
}

/** Carries out one step after the other until the results are there, or the execution is suspended. */
async function carryOut(batch: Batch, { suspensions }: EndedSuspensions) {
	const { caller, context, ledger, isResumed } = batch;
	const { canResume, resumeUrl } = await abilitiesOf(batch);
	if (!canResume) giveHint(context, batch.hint);
	if (isResumed) {
		hintIfCallerWaited(context, caller);
		await checkResumedOnce(context, ledger);
		const seen = suspensions.find(({ id }) => id === ledger.suspension?.id);
		recordAwake(ledger, seen);
		if (seen?.isCancelWanted === true) recordCanceled(ledger);
	}
	const before = countsOf(ledger);
	const isNewBatch = !isResumed && before.pending > 1 && isProduction(context);
	if (isNewBatch && canResume && resumeUrl !== undefined) planWaves(ledger, resumeUrl);
	for (;;) {
		const abilities = await abilitiesOf(batch);
		const step = nextStep(ledger, abilities, factsOf(batch), Date.now());
		switch (step.do) {
			case 'start':
				await start(batch, step);
				break;
			case 'poll':
				await poll(batch, step);
				break;
			case 'cancel':
				await cancel(batch, step);
				break;
			case 'delay':
				await pause(step.until - Date.now(), cancelSignalOf(context));
				break;
			case 'suspend':
				await waitOutIfActed(batch, before);
				// Meanwhile the wait limit may have been reached, or a run is to be canceled: n8n's wait timer would be late.
				if (Date.now() < nextDeadline(ledger)) return await suspendBatch(batch, step, before);
				break;
			case 'collect':
				return await collect(batch);
			case 'fail':
				throw batch.startFailure?.error;
		}
	}
}

function countsOf(ledger: Ledger) {
	return { pending: pendingStarts(ledger).length, open: openTaskIds(ledger).length };
}

/** What is possible now. The first time that the execution may be suspended, it finds out whether this process can watch it. */
async function abilitiesOf(batch: Batch): Promise<Abilities> {
	const { caller, context, host, ledger } = batch;
	const resumeUrl = maySuspend(ledger.waitMethod) ? host.resumeUrl : undefined;
	const awakeUntil = callerWaitsUntil(caller);
	if (resumeUrl !== undefined && Date.now() >= awakeUntil) {
		batch.canResume ||= await reachesItself(context, resumeUrl);
	}
	const { canResume, starts } = batch;
	return { resumeUrl, awakeUntil, canResume, concurrency: starts.concurrency };
}

function factsOf({ credential, facts, canResume, ledger }: Batch): AwakeFacts {
	const { executionId, queuedAt, settings } = ledger;
	const queue = canResume && settings.waitForSlot ? existingWatcher(credential)?.queue : undefined;
	const allowedStarts = queue?.allowedStarts(executionId, queuedAt, Date.now()) ?? Infinity;
	return { ...facts, allowedStarts };
}

async function start(batch: Batch, { items, atOnce }: StepTo<'start'>): Promise<void> {
	const { context, credential, facts, canResume, ledger } = batch;
	const { executionId, entries } = ledger;
	const before = new Set(startedTaskIds(ledger));
	// If no run is open yet, all statuses are known: the answer to each start contains that of its run.
	if (openTaskIds(ledger).length === 0) recordKnown(ledger, Date.now());
	// The ledger forgets the request of a start that was sent.
	const bodies = items.map((item) => entries[item]?.request?.body);
	const failure = await startRuns(batch, items, atOnce).finally(() => {
		const runs = items.map((item) => ledger.entries[item]);
		notifyTrigger(context, batch.runs.idName, bodies, runs);
	});
	const { queuedAt } = ledger;
	const pending = pendingStarts(ledger).length;
	const started = startedTaskIds(ledger).filter((taskId) => !before.has(taskId));
	existingWatcher(credential)?.queue.recordStarts(executionId, started.length);
	if (pending > 0) facts.startsSentAt = Date.now();
	if (failure !== undefined) {
		batch.startFailure = failure;
		facts.startFailedAt = Date.now();
	} else if (queuedAt === undefined || !canResume) dequeue(executionId);
	else {
		const { queue } = getOrMakeWatcher(context, credential);
		queue.enqueue(executionId, queuedAt, pending, ledger.slowed?.until);
	}
}

const CANCELED_ON_PAGE: Refusal = {
	message: 'No run was started: all were canceled on the status page',
	advice: 'Execute the workflow again if you still need the results.',
	facts: {},
};

async function cancel(batch: Batch, { runs, why }: StepTo<'cancel'>): Promise<void> {
	const { startFailure, facts, ledger } = batch;
	if (why === 'person') refuseStarts(ledger, CANCELED_ON_PAGE);
	if (why === 'refusal') refuseStarts(ledger, toRefusal(startFailure?.error));
	const accepted = await cancelRuns(batch.runs, runs);
	recordCancels(ledger, runs, accepted, why, Date.now());
	// What was canceled is polled next.
	delete facts.polledAt;
}

async function cancelAfterStop({ context, credential, ledger }: Batch): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.waitMethod === 'none') return;
	const own = activeRuns(ledger).filter(isOwn);
	const taskIds = own.map(({ taskId }) => taskId);
	await cancelRuns(runsOf(connectToWatch(context, credential), ledger.api), taskIds);
}

/** Asks the service to cancel runs. @returns those for which it accepted the request; a run that has ended counts, too */
async function cancelRuns(runs: Runs, taskIds: string[]) {
	const accepted = await mapConcurrently(taskIds, runs.concurrency, async (taskId) => {
		const sent = await attempt(runs.cancel(taskId));
		return sent.ok ? [taskId] : [];
	});
	return new Set(accepted.flat());
}

/**
 * Polls runs. While the service cannot be reached, the last known statuses stay. An execution that was resumed tolerates
 * other errors, too, unless its key is refused.
 */
async function poll(batch: Batch, { runs: taskIds, until }: StepTo<'poll'>): Promise<void> {
	const { context, credential, facts, isResumed, ledger } = batch;
	const runs = batch.runs.until(until);
	const open = openTaskIds(ledger);
	const begunAt = Date.now();
	const isFirst = isResumed && facts.polledAt === undefined;
	const read = await attempt(async () => {
		if (isFirst && (await pollSingle(batch, runs, taskIds))) return;
		const { firstStartedAt: since } = ledger;
		recordStatuses(ledger, await runs.readStatuses(taskIds, { since }));
	});
	facts.polledAt = Date.now();
	facts.random = Math.random();
	if (read.ok) {
		recordKnown(ledger, begunAt, Date.now());
		const stillOpen = new Set(openTaskIds(ledger));
		existingWatcher(credential)?.recordEnds(open.filter((taskId) => !stillOpen.has(taskId)));
		return;
	}
	recordRequestError(ledger, failureText(context.getNode(), read.error), Date.now());
	const isTolerable = isTransient(read.error) || (isResumed && !isAccessRefusal(read.error));
	// If no run is open, paused ones were polled once more, and their last known statuses are enough.
	if (!isTolerable && open.length > 0) throw read.error;
}

/** Polls a run that is the only one by reading all of it: most likely it has ended, and the result is needed next. @returns whether its status is known now */
async function pollSingle(batch: Batch, runs: Runs, taskIds: string[]): Promise<boolean> {
	const { ledger } = batch;
	const [taskId, ...others] = taskIds;
	if (taskId === undefined || others.length > 0) return false;
	const read = await attempt(runs.read(taskId));
	const status = read.ok ? toRunStatus(read.value.status) : 'unknown';
	if (!read.ok || status === 'unknown') return false;
	recordStatuses(ledger, new Map([[taskId, status]]));
	if (isAllOver(ledger)) batch.endedRun = { taskId, run: read.value };
	return true;
}

/** How many starts were pending, and runs open, when the execution was resumed. */
type Counts = ReturnType<typeof countsOf>;

/** No stale write may undo what was started or canceled. */
async function waitOutIfActed({ context, isResumed, ledger }: Batch, before: Counts) {
	const { pending } = countsOf(ledger);
	const hasActed = !isResumed || pending < before.pending || ledger.isCanceled === true;
	if (hasActed) await waitOutStaleWrites(context);
}

async function suspendBatch(
	batch: Batch,
	{ resumeUrl }: StepTo<'suspend'>,
	before: Counts,
): Promise<INodeExecutionData[]> {
	const { caller, context, credential, isResumed, canResume, ledger } = batch;
	const { pending, open } = countsOf(ledger);
	hintIfCallerWaited(context, caller);
	// A pending start that is not of the next wave waits for a slot, or because the service has asked to slow down.
	if (pending > 0 && !isBetweenWaves(ledger)) {
		recordQueued(ledger, Date.now());
		planWaves(ledger, resumeUrl);
	}
	const watcher = getOrMakeWatcher(context, credential);
	const wasResumedInVain = isResumed && pending === before.pending && open === before.open;
	const pageUrl = statusPageUrlFor(resumeUrl, ledger);
	const { output, suspended } = await suspend(batch, resumeUrl, wasResumedInVain, pageUrl);
	const isPublished = isProduction(context);
	watcher.watch(suspended, { canResume, isPublished });
	giveHint(context, statusPageHint(pageUrl));
	giveHint(context, watcher.queue.describe(ledger));
	// The editor has no data of items that come after the first suspension: it would show that it loads them.
	return isResumed && !isPublished ? [] : output;
}

async function collect(batch: Batch): Promise<INodeExecutionData[]> {
	dequeue(batch.ledger.executionId);
	const outcomes = await collectOutcomes(batch);
	await waitOutStaleWritesForLaterNodes(batch.context);
	return outcomes;
}
