import type { IExecuteFunctions, INodeExecutionData } from 'n8n-workflow';

import { attempt } from '../../service/attempt';
import { readAnswerBounds } from '../../fields/answers';
import { valuesOfItems } from '../../fields/values';
import { bounded, type ServiceClient } from '../../service/http/client';
import { CanceledError } from '../../service/errors';
import { isAccessRefusal, isTransient } from '../../service/http/retry';
import { cancelRun } from '../../service/runs/oneRun';
import { runApi } from '../../service/runs/runApi';
import {
	connectToWatch,
	connectWith,
	readApiCredential,
	type ApiCredential,
} from '../../transport/client';
import { cancelSignalOf, pause } from '../../transport/cancellation';
import { mapConcurrently } from '../concurrency';
import { activityOf, noteRefusal, wasLookedAt } from './sleep/sleepers';
import type { RunBehaviour } from './batch/behaviour';
import { answerBy, noteAnswered } from './batch/caller';
import type { Ledger, Refusal, Sleep } from './batch/ledger';
import { leftLedger, openLedger } from './batch/open';
import { collectOutcomes, failBatch, type Collecting } from './batch/outcomes';
import { resumeUrlOf } from './platform';
import {
	dueStarts,
	isAllSettled,
	isStarted,
	nextLimit,
	noteStatuses,
	openRuns,
	openTaskIds,
	overdueRuns,
	ownOpenRuns,
	refreshByReading,
	refreshRuns,
	unstarted,
	type StartedEntry,
} from './batch/progress';
import { IN_PLACE, pollPause } from './sleep/schedule';
import { holdBack, holdBackBeforeSleepers, noteWakeUp } from './sleep/hold';
import { callbacksPay, startRuns, toRefusal } from './batch/start';
import { suspend } from './sleep/suspend';
import { reachesItself } from './sleep/wakeCall';
import { accountOf, leaveLine, lineOf, stopWatching, watcherFor } from './sleep/watcher';
import { endWave, isBetweenWaves, planWaves } from './batch/waves';

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
	behaviour: RunBehaviour,
): Promise<INodeExecutionData[]> {
	const executionId = context.getExecutionId();
	const woken = stopWatching(executionId);
	let left: Ledger | undefined;
	let batch: Batch | undefined;
	try {
		left = leftLedger(context);
		await noteWakeUp(context, left, woken);
		batch = await openBatch(context, behaviour, left);
		for (const { runs, activity } of woken.sleeps) {
			noteStatuses(batch.ledger, runs);
			batch.ledger.activity = { ...batch.ledger.activity, ...activity };
		}
		batch.isInformed = woken.sleeps.some(wasLookedAt) && Date.now() < batch.ledger.deadline;
		return await waitFor(batch);
	} catch (error) {
		const ledger = batch?.ledger ?? left;
		leaveLine(executionId);
		// What another execution left is as uncertain as before; in this one, nothing is on its way any more.
		if (ledger?.executionId === executionId) endWave(ledger);
		if (batch !== undefined && error instanceof CanceledError) await cancelAfterStop(batch);
		return failBatch(context, error, batch?.failedItem ?? 0, ledger);
	}
}

async function openBatch(
	context: IExecuteFunctions,
	behaviour: RunBehaviour,
	left: Ledger | undefined,
): Promise<Batch> {
	const credential = await readApiCredential(context);
	const bounds = readAnswerBounds(valuesOfItems(context)(0));
	const client = bounded(connectWith(context, credential), bounds);
	const { ledger, isFresh, hint } = await openLedger(context, client, behaviour, left);
	const maySleep = ledger.way === 'callback' || ledger.way === 'clock';
	const resumeUrl = maySleep ? resumeUrlOf(context) : undefined;
	const until = answerBy(context);
	const isWatched =
		resumeUrl !== undefined && Date.now() >= until && (await reachesItself(context, resumeUrl));
	if (hint !== undefined && !isWatched) {
		context.addExecutionHints({ message: hint, location: 'outputPane' });
	}
	return {
		context,
		client,
		api: behaviour.api,
		ledger,
		credential,
		isFresh,
		isInformed: false,
		slept: ledger.sleep,
		resumeUrl,
		isWatched,
		answerBy: until,
		failedItem: 0,
		credits: [],
	};
}

/** A batch that is being waited for. */
interface Batch extends Collecting {
	credential: ApiCredential;
	/** Whether the ledger was made just now. */
	isFresh: boolean;
	/** Whether the watcher has just told how the runs stand. */
	isInformed: boolean;
	/** The sleep from which the execution was woken to go on with the batch. */
	slept: Sleep | undefined;
	/** Where n8n wakes the execution; undefined where it cannot. */
	resumeUrl: string | undefined;
	/** Whether this process can have n8n wake the execution, so that its runs are watched. */
	isWatched: boolean;
	/** Until when it does not sleep, in milliseconds since 1970. */
	answerBy: number;
	/** The item whose start ended the batch, else the first. */
	failedItem: number;
}

async function waitFor(batch: Batch): Promise<INodeExecutionData[]> {
	const { context, ledger, isFresh, slept, resumeUrl } = batch;
	if (slept !== undefined) noteAnswered(context);
	delete ledger.sleep;
	if (isFresh && batch.isWatched && resumeUrl !== undefined) planWaves(ledger, resumeUrl);
	if (ledger.isCanceled === true) await giveUp(batch, CANCELED_ON_PAGE);
	const before = progressOf(ledger);
	for (let asked = 0; ; asked++) {
		const isTold = await startWhatMayBe(batch);
		if (isDone(ledger)) break;
		const isKnown = isTold || (batch.isInformed && asked === 0) || isBetweenWaves(ledger);
		if (ledger.way !== 'none' && !isKnown) {
			await refresh(batch, slept !== undefined && asked === 0);
		}
		await cancelOverdue(batch);
		const now = Date.now();
		if (isDone(ledger) || now >= ledger.deadline) break;
		if (resumeUrl !== undefined && (await isTimeToSleep(batch, resumeUrl))) {
			const hasMoved = slept === undefined || progressOf(ledger) !== before;
			return await fallAsleep(batch, resumeUrl, hasMoved ? 0 : slept.idleWakes + 1);
		}
		const next = pollPause(asked, now - ledger.begunAt, Math.random());
		await pause(Math.min(next, nextLimit(ledger, now) - now), cancelSignalOf(context));
	}
	leaveLine(ledger.executionId);
	const outcomes = await collectOutcomes(batch);
	await holdBackBeforeSleepers(context);
	return outcomes;
}

/**
 * Whether to sleep rather than to ask again soon: no caller is to be answered any more; and where this process watches the runs or callbacks
 * come, or where asking has taken a while already and n8n's clock is exact enough for what is left.
 */
async function isTimeToSleep(batch: Batch, resumeUrl: string): Promise<boolean> {
	const { context, ledger } = batch;
	const now = Date.now();
	if (now < batch.answerBy) return false;
	batch.isWatched ||= await reachesItself(context, resumeUrl);
	if (batch.isWatched) return true;
	if (ledger.way === 'callback' && openTaskIds(ledger).length > 0) return true;
	return now - ledger.begunAt >= IN_PLACE && ledger.deadline - now >= IN_PLACE;
}

async function fallAsleep(
	{ context, credential, ledger, isWatched }: Batch,
	resumeUrl: string,
	idleWakes: number,
): Promise<INodeExecutionData[]> {
	noteAnswered(context);
	const watcher = watcherFor(context, credential);
	const { shown, sleep } = await suspend(context, ledger, resumeUrl, { idleWakes, isWatched });
	watcher.watch(ledger, sleep, isWatched);
	const message = watcher.line.describe(ledger.executionId);
	if (message !== undefined) context.addExecutionHints({ message, location: 'outputPane' });
	return shown;
}

/** How far a batch has come, to tell whether anything happened. */
function progressOf(ledger: Ledger): number {
	return openTaskIds(ledger).length + unstarted(ledger).length * (ledger.entries.length + 1);
}

/** Whether there is nothing more to start or to wait for. */
function isDone(ledger: Ledger): boolean {
	if (ledger.way === 'none') return unstarted(ledger).length === 0;
	return isAllSettled(ledger);
}

/**
 * Starts the runs that are due, as far as others in line for the plan's slots let it.
 *
 * @returns whether it is known how the runs stand: the service has just said so
 */
async function startWhatMayBe(batch: Batch): Promise<boolean> {
	const { context, credential, ledger, isFresh, isWatched } = batch;
	const count = dueStarts(ledger).length;
	if (count === 0 || Date.now() >= ledger.deadline) return false;
	const { executionId, settings } = ledger;
	const line = isWatched && settings.waitForSlot ? lineOf(credential) : undefined;
	const allowed = line?.allowed(executionId, ledger.queuedAt, Date.now()) ?? Infinity;
	if (allowed === 0) {
		ledger.queuedAt ??= Date.now();
		return isFresh;
	}
	await holdBack(context);
	await startAll(batch, allowed);
	const { queuedAt } = ledger;
	if (queuedAt === undefined || !isWatched) {
		leaveLine(executionId);
	} else {
		watcherFor(context, credential).line.join(executionId, queuedAt, unstarted(ledger).length);
	}
	return (isFresh && isWatched && areKnown(ledger)) || allowed < Infinity;
}

/** Whether the service has told the status of every run, in its answer to the start. */
function areKnown({ entries }: Ledger): boolean {
	return entries.filter(isStarted).every(({ status }) => status !== undefined);
}

async function startAll(batch: Batch, allowed: number): Promise<void> {
	const { context, credential, client, api, ledger, resumeUrl, isWatched } = batch;
	const started = await attempt(
		startRuns({
			client,
			api,
			ledger,
			resumeUrl,
			callsBack: callbacksPay(ledger, isWatched),
			goesOn: context.continueOnFail(),
			allowed,
			account: accountOf(credential),
			listed: new Map(),
			onFull: () => {
				if (isWatched) watcherFor(context, credential).line.refuse();
			},
		}),
	);
	endWave(ledger);
	if (!started.ok) throw started.error;
	if (started.value === undefined) return;
	const { error, itemIndex } = started.value;
	batch.failedItem = itemIndex;
	if (ledger.settings.cancelOnFailedStart) await giveUp(batch, toRefusal(error));
	throw error;
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
		delete entry.isDue;
		entry.refusal = reason;
	}
	delete ledger.queuedAt;
	const isForAll = ledger.isCanceled === true;
	await cancelRuns(client, ledger, isForAll ? openRuns(ledger) : ownOpenRuns(ledger));
}

async function cancelAfterStop({ context, credential, ledger }: Batch): Promise<void> {
	if (!ledger.settings.cancelOnStop || ledger.way === 'none') return;
	await cancelRuns(connectToWatch(context, credential), ledger, ownOpenRuns(ledger));
}

/** Cancels what has gone on for too long, and reads how it stands then. */
async function cancelOverdue({ client, ledger }: Batch): Promise<void> {
	const now = Date.now();
	const canceled = await cancelRuns(client, ledger, overdueRuns(ledger, now));
	for (const entry of canceled) entry.canceledAt = now < ledger.deadline ? 'age' : 'limit';
	const taskIds = canceled.map(({ taskId }) => taskId);
	if (taskIds.length > 0) await attempt(refreshRuns(client, ledger, taskIds));
}

/** How long a look may take that begins when the limit of waiting is near or over, in milliseconds. */
const LAST_LOOK_MS = 10_000;

/**
 * Asks for the statuses of the open runs, not beyond the limit of waiting. While the service cannot be asked, nothing is known anew;
 * an execution that has slept puts up with other refusals, too, as long as its key is not refused.
 */
async function refresh(batch: Batch, justWoken: boolean): Promise<void> {
	const { ledger, slept } = batch;
	const until = Math.max(ledger.deadline, Date.now() + LAST_LOOK_MS);
	const client = bounded(batch.client, { until });
	const read = await attempt(async () => {
		if (justWoken && (await readOnlyRun(batch, client))) return;
		await refreshRuns(client, ledger, openTaskIds(ledger));
	});
	if (read.ok) {
		activityOf(ledger).lookedAt = Date.now();
		return;
	}
	noteRefusal(activityOf(ledger), batch.context.getNode(), read.error);
	const mayPass = isTransient(read.error) || (slept !== undefined && !isAccessRefusal(read.error));
	if (!mayPass) throw read.error;
}

/**
 * Reads the only open run, which woke the execution in all likelihood, and keeps it for the result.
 *
 * @returns whether that told how the run stands; if not, its status is still to be asked for
 */
async function readOnlyRun(batch: Batch, client: ServiceClient): Promise<boolean> {
	const { ledger } = batch;
	const [taskId, ...others] = openTaskIds(ledger);
	if (taskId === undefined || others.length > 0) return false;
	const read = await attempt(refreshByReading(client, ledger, taskId));
	if (!read.ok || read.value === undefined) return false;
	if (isAllSettled(ledger)) batch.lastRun = { taskId, run: read.value };
	return true;
}

/**
 * Cancels runs, as far as the service lets us: the error to be shown matters more.
 *
 * @returns those that it has canceled, or that have ended already
 */
async function cancelRuns(
	client: ServiceClient,
	{ api, settings }: Ledger,
	runs: StartedEntry[],
): Promise<StartedEntry[]> {
	const answers = await mapConcurrently(runs, settings.concurrency, async (run) => {
		const sent = await attempt(cancelRun(client, runApi(api), run.taskId));
		return sent.ok ? [run] : [];
	});
	return answers.flat();
}
