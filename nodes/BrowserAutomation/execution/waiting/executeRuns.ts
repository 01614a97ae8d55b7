import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { recheckUrlFor } from '../../fields/triggersOfWorkflow';
import { attempt } from '../../service/attempt';
import { mapConcurrently } from '../../service/concurrency';
import { CanceledError } from '../../service/errors';
import { withLimits, limitsOf, type ServiceClient } from '../../service/http/client';
import { isAccessRefusal, isTransient } from '../../service/http/retry';
import { cancelRun, readRun } from '../../service/runs/oneRun';
import { runApi, toRunStatus } from '../../service/runs/runApi';
import { readStatuses } from '../../service/runs/statuses';
import { connectToWatch } from '../../transport/client';
import { cancelSignalOf, pause, withSignal } from '../../transport/cancellation';
import { callOwnAddress } from '../../transport/ownAddress';
import type { RunSource } from '../executable';
import { hostOf } from '../host';
import { giveHint, nameRuns } from '../hints';
import { isProduction, nodeKey } from '../workflow';
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
import { recordAwake, recordCancels, recordStatuses, refuseStarts } from './batch/records';
import { leftLedger, openBatch, type Batch } from './batch/open';
import { asTheyStand, collectOutcomes, failBatch } from './batch/outcomes';
import { callerWaitsUntil, recordAnswered, maySuspend } from './batch/plan';
import { planWaves, startRuns } from './batch/start';
import { endWave, isBetweenWaves } from './batch/waves';
import { statusPageUrlFor } from './statusPage';
import { nextStep, type Abilities, type Facts, type StepTo } from './nextStep';
import {
	recordResume,
	stayAwake,
	stayAwakeBeforeSuspendingNodes,
	untilAnswered,
} from './suspension/claim';
import { activityOf, recordRequestError, type Resumed } from './suspension/suspensions';
import { suspend } from './suspension/suspend';
import { reachesItself } from './suspension/resumeCall';
import { knownWatcher, dequeue, stopWatching, watcherFor } from './suspension/watchers';

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
	const { executionId } = hostOf(context);
	const resumed = stopWatching(executionId);
	let left: Ledger | undefined;
	let batch: Batch | undefined;
	try {
		left = leftLedger(context);
		await untilAnswered(resumed);
		recordResume(context, left, resumed);
		batch = await openBatch(context, source, left);
		return await beforeTheEnd(batch, carryOut(batch, resumed));
	} catch (error) {
		const ledger = batch?.ledger ?? left;
		dequeue(executionId);
		// What another execution left is as uncertain as before; in this one, nothing is on its way any more.
		if (ledger !== undefined && ledger.executionId === executionId) endWave(ledger);
		if (batch !== undefined && error instanceof CanceledError) await cancelAfterStop(batch);
		return failBatch(context, error, batch?.failure?.itemIndex ?? 0, ledger);
	} finally {
		if (batch !== undefined) nameRuns(context, startedTaskIds(batch.ledger));
	}
}

/** How long before n8n ends the node it answers although its results are still being read, in milliseconds. */
const LAST_MOMENT_MS = 1_000;

/** Waits for the results, but answers with the runs as they stand where the host ends the node before. */
async function beforeTheEnd(batch: Batch, results: Promise<INodeExecutionData[]>) {
	const { endsAt, answersBy } = batch.host;
	if (endsAt === undefined || answersBy === undefined) return await results;
	const left = Math.max(endsAt - LAST_MOMENT_MS - Date.now(), 0);
	const end = AbortSignal.timeout(left);
	const found = await attempt(withSignal(end, results));
	if (found.ok) return found.value;
	if (end.aborted) return asTheyStand(batch);
	throw found.error;
}

/** Carries out one step after the other until the results are there, or the execution is suspended. */
async function carryOut(batch: Batch, { suspensions }: Resumed): Promise<INodeExecutionData[]> {
	const { context, ledger, isResumed } = batch;
	let abilities = await abilitiesOf(batch);
	const { isWatched, resumeUrl } = abilities;
	if (!isWatched) giveHint(context, batch.hint);
	if (isResumed) {
		recordAnswered(context);
		recordAwake(
			ledger,
			suspensions.find(({ suspensionId }) => suspensionId === ledger.suspension?.id),
		);
	} else if (isWatched && resumeUrl !== undefined && isProduction(context)) {
		planWaves(ledger, resumeUrl);
	}
	const before = countsOf(ledger);
	for (; ; abilities = await abilitiesOf(batch)) {
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
				return await suspendBatch(batch, step, before);
			case 'collect':
				return await collect(batch);
			case 'fail':
				throw batch.failure?.error;
		}
	}
}

function countsOf(ledger: Ledger) {
	return { left: pendingStarts(ledger).length, open: openTaskIds(ledger).length };
}

async function abilitiesOf(batch: Batch): Promise<Abilities> {
	const { context, host, ledger } = batch;
	const resumeUrl = maySuspend(ledger.waitMethod) ? host.resumeUrl : undefined;
	const awakeUntil = callerWaitsUntil(host);
	if (resumeUrl !== undefined && Date.now() >= awakeUntil) {
		batch.isWatched ||= await reachesItself(context, resumeUrl);
	}
	const { concurrency } = limitsOf(batch.starter);
	return { resumeUrl, awakeUntil, isWatched: batch.isWatched, concurrency };
}

function factsOf({ credential, facts, isWatched, ledger }: Batch): Facts {
	const { executionId, queuedAt, settings } = ledger;
	const queue = isWatched && settings.waitForSlot ? knownWatcher(credential)?.queue : undefined;
	return {
		...facts,
		allowedStarts: queue?.allowedStarts(executionId, queuedAt, Date.now()) ?? Infinity,
	};
}

async function start(batch: Batch, { items, atOnce }: StepTo<'start'>): Promise<void> {
	const { context, credential, facts, isWatched, ledger } = batch;
	const { executionId, entries } = ledger;
	const before = new Set(startedTaskIds(ledger));
	// Of what is started from now on, the answer tells the status.
	if (openTaskIds(ledger).length === 0) ledger.statusesAt = Date.now();
	const sent = items.map((item) => ({ item, body: entries[item]?.request?.body }));
	const failure = await startRuns(batch, items, atOnce).finally(() => notifyTrigger(batch, sent));
	const { queuedAt } = ledger;
	const left = pendingStarts(ledger).length;
	const started = startedTaskIds(ledger).filter((taskId) => !before.has(taskId));
	knownWatcher(credential)?.queue.recordStarts(started);
	if (left > 0) facts.startsSentAt = Date.now();
	if (failure !== undefined) {
		batch.failure = failure;
		facts.failedAt = Date.now();
	} else if (queuedAt === undefined || !isWatched) dequeue(executionId);
	else {
		const { queue } = watcherFor(context, credential);
		queue.enqueue(executionId, queuedAt, left, started.length, ledger.slowed?.until);
	}
}

/** How long a trigger may take to hear of a run, in milliseconds, and of how many it hears at once. */
const NOTIFIED_WITHIN_MS = 30_000;
const NOTIFIED_AT_ONCE = 20;

/** Tells the trigger about newly started runs, so that it polls them if callbacks are lost. */
function notifyTrigger({ context, ledger }: Batch, sent: Array<{ item: number; body: unknown }>) {
	const { idName } = runApi(ledger.api);
	const urls = sent.flatMap(({ item, body }) => {
		const { taskId, isRepeated } = ledger.entries[item] ?? {};
		if (taskId === undefined || isRepeated) return [];
		return recheckUrlFor(context, body, { [idName]: taskId }) ?? [];
	});
	void mapConcurrently(urls, NOTIFIED_AT_ONCE, async (url) => {
		await callOwnAddress(context, 'POST', url, NOTIFIED_WITHIN_MS);
	});
}

const CANCELED_ON_PAGE: Refusal = {
	message: 'No run was started: all were canceled on the status page',
	advice: 'Execute the workflow again if you still need the results.',
	facts: {},
};

async function cancel(batch: Batch, { runs, why }: StepTo<'cancel'>): Promise<void> {
	const { client, failure, facts, ledger } = batch;
	if (why === 'person') refuseStarts(ledger, CANCELED_ON_PAGE);
	if (why === 'refusal') refuseStarts(ledger, toRefusal(failure?.error));
	const taken = await cancelRuns(client, ledger, runs);
	recordCancels(ledger, runs, taken, why, Date.now());
	delete facts.askedAt;
}

async function cancelAfterStop({ context, credential, ledger }: Batch): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.waitMethod === 'none') return;
	const own = activeRuns(ledger).filter(isOwn);
	const taskIds = own.map(({ taskId }) => taskId);
	await cancelRuns(connectToWatch(context, credential), ledger, taskIds);
}

/** Cancels runs, as far as the service lets us. @returns those that it has canceled, or that have ended already */
async function cancelRuns(client: ServiceClient, { api }: Ledger, taskIds: string[]) {
	const taken = await mapConcurrently(taskIds, limitsOf(client).concurrency, async (taskId) => {
		const sent = await attempt(cancelRun(client, runApi(api), taskId));
		return sent.ok ? [taskId] : [];
	});
	return new Set(taken.flat());
}

/**
 * Asks how runs stand. While the service cannot be asked, nothing is known anew; an execution that was resumed puts up
 * with other refusals, too, as long as its key is not refused.
 */
async function poll(batch: Batch, { runs, until }: StepTo<'poll'>): Promise<void> {
	const { context, credential, facts, isResumed, ledger } = batch;
	const client = withLimits(batch.client, { until });
	const open = openTaskIds(ledger);
	const at = Date.now();
	const isFirst = isResumed && facts.askedAt === undefined;
	const read = await attempt(async () => {
		if (isFirst && (await readOnlyRun(batch, client, runs))) return;
		const { api, firstStartedAt: since } = ledger;
		recordStatuses(ledger, await readStatuses(client, runApi(api), runs, { since }));
	});
	facts.askedAt = Date.now();
	facts.random = Math.random();
	if (read.ok) {
		ledger.statusesAt = at;
		activityOf(ledger).polledAt = Date.now();
		const left = new Set(openTaskIds(ledger));
		knownWatcher(credential)?.recordEnds(open.filter((taskId) => !left.has(taskId)));
		return;
	}
	recordRequestError(activityOf(ledger), context.getNode(), read.error);
	const mayPass = isTransient(read.error) || (isResumed && !isAccessRefusal(read.error));
	if (!mayPass && open.length > 0) throw read.error;
}

/** Reads the only run that is asked about, which had the execution resumed in all likelihood, for its result. @returns whether that told its status */
async function readOnlyRun(batch: Batch, client: ServiceClient, runs: string[]): Promise<boolean> {
	const { ledger } = batch;
	const [taskId, ...others] = runs;
	if (taskId === undefined || others.length > 0) return false;
	const read = await attempt(readRun(client, runApi(ledger.api), taskId));
	const status = read.ok ? toRunStatus(read.value.status) : 'unknown';
	if (!read.ok || status === 'unknown') return false;
	recordStatuses(ledger, new Map([[taskId, status]]));
	if (isAllOver(ledger)) batch.lastRun = { taskId, run: read.value };
	return true;
}

/** @param before how many starts were left, and runs open, when the execution was resumed */
async function suspendBatch(
	batch: Batch,
	{ resumeUrl }: StepTo<'suspend'>,
	before: ReturnType<typeof countsOf>,
): Promise<INodeExecutionData[]> {
	const { context, credential, isResumed, isWatched, ledger } = batch;
	const { left, open } = countsOf(ledger);
	const isCanceled = ledger.isCanceled === true;
	if (!isResumed || left < before.left || isCanceled) await stayAwake(context);
	recordAnswered(context);
	// What is left and was not sent for another reason waits for a slot.
	if (left > 0 && !isBetweenWaves(ledger)) ledger.queuedAt ??= Date.now();
	const watcher = watcherFor(context, credential);
	const isIdle = isResumed && left === before.left && open === before.open;
	const page = statusPageUrlFor(resumeUrl, ledger);
	const { shown, stored } = await suspend(batch, resumeUrl, isIdle, page);
	const isSuspendedHere = isProduction(context);
	watcher.watch(ledger, stored, {
		canResume: isWatched,
		isSuspendedHere,
		nodeKey: nodeKey(context),
	});
	giveHint(context, watcher.queue.describe(ledger.executionId));
	// The editor has no data of items that come after the first suspension, and would show that it loads them.
	return isResumed && !isProduction(context) ? [] : shown;
}

async function collect(batch: Batch): Promise<INodeExecutionData[]> {
	dequeue(batch.ledger.executionId);
	const outcomes = await collectOutcomes(batch);
	await stayAwakeBeforeSuspendingNodes(batch.context);
	return outcomes;
}
