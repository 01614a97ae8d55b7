import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { lookUrlFor } from '../../fields/triggersOfWorkflow';
import { attempt } from '../../service/attempt';
import { bounded, limitsOf, type ServiceClient } from '../../service/http/client';
import { CanceledError } from '../../service/errors';
import { isAccessRefusal, isTransient } from '../../service/http/retry';
import { cancelRun, readRun } from '../../service/runs/oneRun';
import { runApi, toRunStatus } from '../../service/runs/runApi';
import { connectToWatch } from '../../transport/client';
import { cancelSignalOf, pause, withSignal } from '../../transport/cancellation';
import { callOwnAddress } from '../../transport/ownAddress';
import { isProduction } from '../workflow';
import { mapConcurrently } from '../../service/concurrency';
import { hostOf } from '../host';
import { giveHint, nameRuns } from '../notes';
import type { RunSource } from '../executable';
import { activityOf, noteRefusal, wasLookedAt, type Woken } from './sleep/sleepers';
import {
	activeRuns,
	type Entry,
	isAllOver,
	isOwn,
	isStarted,
	type Ledger,
	nextLimit,
	noteStatuses,
	openTaskIds,
	overdueRuns,
	refreshRuns,
	startedTaskIds,
	type Refusal,
	type StartedEntry,
	toRefusal,
	unstarted,
} from './batch/ledger';
import { leftLedger, openBatch, type Batch } from './batch/open';
import { asTheyStand, collectOutcomes, failBatch } from './batch/outcomes';
import { maySleepNow, noteAnswered } from './batch/plan';
import { IN_PLACE, pollPause } from './sleep/schedule';
import { noteWakeUp, stayAwake, stayAwakeBeforeSleepers } from './sleep/claim';
import { dueStarts, endWave, isBetweenWaves, planWaves, startRuns } from './batch/start';
import { suspend } from './sleep/suspend';
import { reachesItself } from './sleep/wakeCall';
import { knownWatcher, leaveLine, stopWatching, watcherFor } from './sleep/watcher';

/**
 * Starts a run for each item (or takes up existing ones), waits for all of them as the user chose,
 * and returns their results. It can be carried out again at any time, as n8n does after a wake-up
 * and on a retry: what was started is found in the ledger and never started again.
 *
 * @returns the results; while the execution sleeps, the runs' IDs
 * @throws NodeOperationError or NodeApiError, unless the node goes on after failures; it names every
 * run that was started
 */
export async function executeRuns(
	context: IExecuteFunctions,
	source: RunSource,
): Promise<INodeExecutionData[]> {
	const { executionId } = hostOf(context);
	const woken = stopWatching(executionId);
	let left: Ledger | undefined;
	let batch: Batch | undefined;
	try {
		left = leftLedger(context);
		await noteWakeUp(context, left, woken);
		batch = await openBatch(context, source, left);
		return await beforeTheEnd(batch, waitFor(batch, takeNews(batch.ledger, woken)));
	} catch (error) {
		const ledger = batch?.ledger ?? left;
		leaveLine(executionId);
		// What another execution left is as uncertain as before; in this one, nothing is on its way any more.
		if (ledger !== undefined && ledger.executionId === executionId) endWave(ledger);
		if (batch !== undefined && error instanceof CanceledError) await cancelAfterStop(batch);
		return failBatch(context, error, batch?.failedItem ?? 0, ledger);
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

/** Notes what this process has learned while the execution slept. @returns whether it is how the runs stand now */
function takeNews(ledger: Ledger, { sleeps }: Woken): boolean {
	for (const { runs, activity } of sleeps) {
		noteStatuses(ledger, runs);
		ledger.activity = { ...ledger.activity, ...activity };
	}
	return sleeps.some(wasLookedAt) && Date.now() < ledger.deadline;
}

/** @param isInformed whether it is known how the runs stand */
async function waitFor(batch: Batch, isInformed: boolean): Promise<INodeExecutionData[]> {
	const { context, host, ledger, hasSlept, isWatched } = batch;
	const { resumeUrl } = host;
	if (hasSlept) noteAnswered(context);
	else if (isWatched && resumeUrl !== undefined && isProduction(context)) {
		planWaves(ledger, resumeUrl);
	}
	delete ledger.sleep;
	if (ledger.isCanceled === true) await giveUp(batch, CANCELED_ON_PAGE);
	const before = { left: unstarted(ledger).length, open: openTaskIds(ledger).length };
	const isFresh = !hasSlept || before.open === 0;
	for (let asked = 0; ; asked++) {
		const isTold = await startWhatMayBe(batch, isFresh && asked === 0);
		if (await isDone(batch)) break;
		const isKnown = isTold || (isInformed && asked === 0) || isBetweenWaves(ledger);
		if (ledger.waitMethod !== 'none' && !isKnown) {
			const open = openTaskIds(ledger).length;
			await refresh(batch, hasSlept && asked === 0);
			knownWatcher(batch.credential)?.end(open - openTaskIds(ledger).length);
		}
		await cancelOverdue(batch);
		if ((await isDone(batch)) || Date.now() >= ledger.deadline) break;
		if (resumeUrl !== undefined && (await isTimeToSleep(batch, resumeUrl))) {
			const hasStarted = unstarted(ledger).length < before.left;
			const isCanceled = ledger.isCanceled === true;
			if (!hasSlept || hasStarted || isCanceled) await stayAwake(context, isCanceled);
			const hasMoved = hasStarted || openTaskIds(ledger).length !== before.open;
			return await fallAsleep(batch, resumeUrl, hasSlept && !hasMoved);
		}
		const now = Date.now();
		const next = pollPause(asked, now - ledger.begunAt, Math.random());
		await pause(Math.min(next, nextLimit(ledger, now) - now), cancelSignalOf(context));
	}
	leaveLine(ledger.executionId);
	const outcomes = await collectOutcomes(batch);
	await stayAwakeBeforeSleepers(context);
	return outcomes;
}

/**
 * Whether to sleep rather than to ask again soon: where this process watches the runs or callbacks
 * come, or where asking has taken a while already and n8n's clock is exact enough for what is left.
 */
async function isTimeToSleep(batch: Batch, resumeUrl: string): Promise<boolean> {
	const { context, host, ledger } = batch;
	const now = Date.now();
	if (!maySleepNow(host, ledger.waitMethod)) return false;
	batch.isWatched ||= await reachesItself(context, resumeUrl);
	if (batch.isWatched) return true;
	if (ledger.waitMethod === 'callback' && openTaskIds(ledger).length > 0) return true;
	return now - ledger.begunAt >= IN_PLACE && ledger.deadline - now >= IN_PLACE;
}

async function fallAsleep(batch: Batch, resumeUrl: string, isIdle: boolean) {
	const { context, credential, ledger, isWatched } = batch;
	noteAnswered(context);
	const watcher = watcherFor(context, credential);
	const { shown, sleep } = await suspend(batch, resumeUrl, isIdle);
	watcher.watch(ledger, sleep, { canWake: isWatched, sleptHere: isProduction(context) });
	giveHint(context, watcher.line.describe(ledger.executionId));
	// The editor has no data of items that come after the first sleep, and would show that it loads them.
	return batch.hasSlept && !isProduction(context) ? [] : shown;
}

/** Whether to wait no longer. Of several runs, those whose pause is enough are looked at again: somebody may have resumed them. */
async function isDone(batch: Batch): Promise<boolean> {
	const { ledger } = batch;
	if (ledger.waitMethod === 'none') return unstarted(ledger).length === 0;
	if (!isAllOver(ledger) || ledger.entries.length === 1) return isAllOver(ledger);
	const paused = activeRuns(ledger).map(({ taskId }) => taskId);
	await attempt(refreshRuns(lookingClient(batch), ledger, paused));
	return isAllOver(ledger);
}

/**
 * Starts the runs that are due, as far as others in line for the plan's slots let it.
 *
 * @param isFresh whether nothing was open before, or was just asked about
 * @returns whether it is known how the runs stand: the service has just said so
 */
async function startWhatMayBe(batch: Batch, isFresh: boolean): Promise<boolean> {
	const { context, credential, ledger, isWatched } = batch;
	if (dueStarts(ledger).length === 0 || Date.now() >= ledger.deadline) return false;
	const { executionId, settings, entries } = ledger;
	const line = isWatched && settings.waitForSlot ? knownWatcher(credential)?.line : undefined;
	const isSlowed = Date.now() < (ledger.slowed?.until ?? 0);
	const granted = line?.allowed(executionId, ledger.queuedAt, Date.now()) ?? Infinity;
	const allowed = isSlowed ? 0 : granted;
	if (allowed === 0) {
		ledger.queuedAt ??= Date.now();
		return isFresh;
	}
	const before = openTaskIds(ledger).length;
	await startAll(batch, allowed);
	const { queuedAt } = ledger;
	const left = unstarted(ledger).length;
	const started = openTaskIds(ledger).length - before;
	if (queuedAt === undefined || !isWatched) leaveLine(executionId);
	else {
		const { line } = watcherFor(context, credential);
		line.join(executionId, queuedAt, left, started, ledger.slowed?.until);
	}
	// The answer to a start may tell the run's status.
	const isTold = entries.filter(isStarted).every(({ status }) => status !== undefined);
	return (isFresh && isWatched && isTold) || allowed < Infinity;
}

/** How long a trigger may take to hear of a run, in milliseconds, and of how many it hears at once. */
const TOLD_WITHIN_MS = 30_000;
const TOLD_AT_ONCE = 20;

/** Has the trigger that started runs are to notify hear of them: it learns of their ends even if no callback ever comes. */
function tellTrigger({ context, ledger }: Batch, sent: Array<{ entry: Entry; body: unknown }>) {
	const { idName } = runApi(ledger.api);
	const urls = sent.flatMap(({ entry: { taskId, isRepeated }, body }) => {
		if (taskId === undefined || isRepeated) return [];
		return lookUrlFor(context, body, { [idName]: taskId }) ?? [];
	});
	void mapConcurrently(urls, TOLD_AT_ONCE, async (url) => {
		await callOwnAddress(context, 'POST', url, TOLD_WITHIN_MS);
	});
}

async function startAll(batch: Batch, allowed: number): Promise<void> {
	const { ledger } = batch;
	const due = dueStarts(ledger).map((entry) => ({ entry, body: entry.request?.body }));
	const failure = await startRuns(batch, allowed).finally(() => tellTrigger(batch, due));
	if (failure === undefined) return;
	batch.failedItem = failure.itemIndex;
	if (ledger.settings.cancelOnFailedStart) await giveUp(batch, toRefusal(failure.error));
	throw failure.error;
}

const CANCELED_ON_PAGE: Refusal = {
	message: 'No run was started: all were canceled on the status page',
	advice: 'Execute the workflow again if that was a mistake.',
	facts: {},
};

/** Cancels what was started, and starts nothing more: not on a retry either. */
async function giveUp({ client, ledger }: Batch, reason: Refusal): Promise<void> {
	for (const entry of unstarted(ledger)) {
		delete entry.request;
		entry.refusal = reason;
	}
	delete ledger.queuedAt;
	const runs = activeRuns(ledger);
	await cancelRuns(client, ledger, ledger.isCanceled === true ? runs : runs.filter(isOwn));
}

async function cancelAfterStop({ context, credential, ledger }: Batch): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.waitMethod === 'none') return;
	await cancelRuns(connectToWatch(context, credential), ledger, activeRuns(ledger).filter(isOwn));
}

/** Cancels what has gone on for too long, and reads how it stands then. */
async function cancelOverdue(batch: Batch): Promise<void> {
	const { client, ledger } = batch;
	const now = Date.now();
	const canceled = await cancelRuns(client, ledger, overdueRuns(ledger, now));
	for (const entry of canceled) entry.canceledAt = now < ledger.deadline ? 'age' : 'limit';
	const taskIds = canceled.map(({ taskId }) => taskId);
	if (taskIds.length > 0) await attempt(refreshRuns(lookingClient(batch), ledger, taskIds));
}

/** How long a look may take that begins when the limit of waiting is near or over, in milliseconds. */
const LAST_LOOK_MS = 10_000;

/** The client for a look at runs, which may not take beyond the limit of waiting. */
function lookingClient({ client, ledger }: Batch): ServiceClient {
	return bounded(client, { until: Math.max(ledger.deadline, Date.now() + LAST_LOOK_MS) });
}

/**
 * Asks for the statuses of the open runs. While the service cannot be asked, nothing is known anew;
 * an execution that has slept puts up with other refusals, too, as long as its key is not refused.
 */
async function refresh(batch: Batch, justWoken: boolean): Promise<void> {
	const { ledger, hasSlept } = batch;
	const client = lookingClient(batch);
	const read = await attempt(async () => {
		if (justWoken && (await readOnlyRun(batch, client))) return;
		await refreshRuns(client, ledger, openTaskIds(ledger));
	});
	if (read.ok) {
		activityOf(ledger).lookedAt = Date.now();
		return;
	}
	noteRefusal(activityOf(ledger), batch.context.getNode(), read.error);
	const mayPass = isTransient(read.error) || (hasSlept && !isAccessRefusal(read.error));
	if (!mayPass) throw read.error;
}

/** Reads the only open run, which woke the execution in all likelihood, for the result. @returns whether that told its status */
async function readOnlyRun(batch: Batch, client: ServiceClient): Promise<boolean> {
	const { ledger } = batch;
	const [taskId, ...others] = openTaskIds(ledger);
	if (taskId === undefined || others.length > 0) return false;
	const read = await attempt(readRun(client, runApi(ledger.api), taskId));
	const status = read.ok ? toRunStatus(read.value.status) : 'unknown';
	if (!read.ok || status === 'unknown') return false;
	noteStatuses(ledger, new Map([[taskId, status]]));
	if (isAllOver(ledger)) batch.lastRun = { taskId, run: read.value };
	return true;
}

/** Cancels runs, as far as the service lets us. @returns those that it has canceled, or that have ended already */
async function cancelRuns(client: ServiceClient, { api }: Ledger, runs: StartedEntry[]) {
	const answers = await mapConcurrently(runs, limitsOf(client).concurrency, async (run) => {
		const sent = await attempt(cancelRun(client, runApi(api), run.taskId));
		return sent.ok ? [run] : [];
	});
	return answers.flat();
}
