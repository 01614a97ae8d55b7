import type { IExecuteFunctions } from 'n8n-workflow';

import { attempt } from '../../../service/attempt';
import {
	INVALID_PARAMETER,
	TOO_MANY_REQUESTS,
	TOO_MANY_RUNNING_TASKS,
} from '../../../service/http/errorCodes';
import { CanceledError, hasCode, ServiceError } from '../../../service/errors';
import { pauseBeforeRetry } from '../../../service/http/retry';
import type { ServiceRequest } from '../../../service/http/request';
import { limitsOf } from '../../../service/http/client';
import { runApi } from '../../../service/runs/runApi';
import { isUncertainStart, startRun, type StartedRun } from '../../../service/runs/oneRun';
import { mapConcurrently } from '../../../service/concurrency';
import { cancelSignalOf } from '../../../transport/cancellation';
import { accountOf } from '../../../transport/credentials';
import type { Host } from '../../host';
import { claimsExecutions } from '../platform';
import { knownWatcher } from '../sleep/watcher';
import { type Entry, type Ledger, toRefusal, unstarted } from './ledger';
import type { Batch } from './open';
import { callbacksPay, callbackUrlFor } from './plan';
import { unlessRepeated } from './repeats';
import { refusedError, uncertainRefusal } from './runErrors';

/** How many starts a wave has at least, and how many waves there are at the most: n8n writes the whole execution for each, so waves of one size would cost the square of the items. */
const LEAST_WAVE = 100;
const MOST_WAVES = 5;

/** The items whose start is to be sent now: the wave that the ledger was stored for, or all. */
export function dueStarts({ entries, waveEnd }: Ledger): Entry[] {
	return unstarted({ entries: entries.slice(0, waveEnd) });
}

/**
 * Decides whether a batch that may sleep is started in waves, each of which is stored before it is sent
 * (docs/develop/waiting.md: Stored before the start). Each needs a wake-up, so n8n has to be able to call
 * itself and to tell an execution that is awake from one that sleeps.
 */
export function planWaves(ledger: Ledger, resumeUrl: string): void {
	if (unstarted(ledger).length > 1 && claimsExecutions(resumeUrl)) ledger.waveEnd = 0;
}

/** Chooses the starts that may be sent when the execution wakes, before the ledger is stored. */
export function chooseWave(ledger: Ledger): void {
	const { entries, waveEnd } = ledger;
	if (waveEnd === undefined) return;
	const size = Math.max(LEAST_WAVE, Math.ceil(entries.length / MOST_WAVES));
	const next = unstarted(ledger)[size];
	ledger.waveEnd = next === undefined ? entries.length : entries.indexOf(next);
}

/** Notes that no start is on its way any more: what was not sent may be sent later. */
export function endWave(ledger: Ledger): void {
	if (ledger.waveEnd !== undefined) ledger.waveEnd = 0;
}

/** Whether starts are left for another wave, rather than for when a slot is free. */
export function isBetweenWaves(ledger: Ledger): boolean {
	return ledger.waveEnd === 0 && ledger.queuedAt === undefined && unstarted(ledger).length > 0;
}

/** What starting needs of a batch. */
type StartContext = Pick<Batch, 'starter' | 'credential' | 'ledger' | 'isWatched'> & {
	host: Pick<Host, 'resumeUrl'>;
	context: Pick<IExecuteFunctions, 'continueOnFail'>;
};

/**
 * Sends the starts that are due, each exactly once, noting every started run at once. Stops at the
 * plan's limit of running tasks (10118), and where the service asks to slow down (429: a start that was
 * refused so is none), if waiting for a slot is allowed; what is left stays unstarted, and the ledger says
 * since when it waits.
 *
 * @param allowed how many runs may be started now
 * @returns the first refusal of a start, unless the node goes on after failures
 * @throws CanceledError
 */
export async function startRuns(batch: StartContext, allowed: number) {
	const { context, credential, ledger } = batch;
	const { waitForSlot } = ledger.settings;
	const { concurrency } = limitsOf(batch.starter);
	const goesOn = context.continueOnFail();
	// Whoever has waited and was given no slots finds out one by one.
	const atOnce = ledger.queuedAt !== undefined && allowed === Infinity ? 1 : concurrency;
	const due = dueStarts(ledger).slice(0, allowed);
	const startOnce = unlessRepeated(batch.starter, accountOf(credential), ledger);
	let isRefused = false;
	const failures: Array<{ error: unknown; itemIndex: number }> = [];
	await mapConcurrently(due, atOnce, async (entry) => {
		const { request } = entry;
		if (request === undefined || isRefused || failures.length > 0) return;
		const start = await attempt(startItem(batch, entry, request, startOnce));
		if (start.ok) return;
		const { error } = start;
		if (error instanceof CanceledError) throw error;
		if (waitForSlot && isRefusedForNow(error)) {
			ledger.queuedAt ??= Date.now();
			if (isRefused) return;
			isRefused = true;
			if (error.facts.code === TOO_MANY_RUNNING_TASKS) {
				delete ledger.slowed;
				knownWatcher(credential)?.line.refuse(ledger.executionId);
			} else slowDown(ledger, error);
			return;
		}
		const isUncertain = isUncertainStart(error);
		const refusal = isUncertain ? uncertainRefusal(error) : toRefusal(error);
		if (goesOn || isUncertain) {
			delete entry.request;
			entry.refusal = refusal;
		}
		const itemIndex = ledger.entries.indexOf(entry);
		if (!goesOn) failures.push({ error: isUncertain ? refusedError(refusal) : error, itemIndex });
	});
	if (unstarted(ledger).length === 0) {
		delete ledger.queuedAt;
		delete ledger.slowed;
	}
	endWave(ledger);
	return failures[0];
}

/** Whether a start was refused, so that nothing was started, and may be sent again later. */
function isRefusedForNow(error: unknown): error is ServiceError {
	if (!(error instanceof ServiceError)) return false;
	const { code, httpStatus } = error.facts;
	return code === TOO_MANY_RUNNING_TASKS || httpStatus === TOO_MANY_REQUESTS;
}

/** Has starts wait for as long as the service asks (Retry-After), or longer each time, until the wait limit at most. */
function slowDown(ledger: Ledger, { facts }: ServiceError): void {
	const times = (ledger.slowed?.times ?? 0) + 1;
	const pause = Math.max(facts.retryAfterMs ?? 0, pauseBeforeRetry(times, facts.retryAfterMs));
	ledger.slowed = { times, until: Math.min(Date.now() + pause, ledger.deadline) };
}

/** Starts an item's run, or notes the one that was there already. */
async function startItem(
	batch: StartContext,
	entry: Entry,
	request: ServiceRequest,
	startOnce: ReturnType<typeof unlessRepeated>,
): Promise<void> {
	const { context, ledger } = batch;
	const start = async (): Promise<string> => {
		if (cancelSignalOf(context)?.aborted) throw new CanceledError();
		ledger.startedAt = Date.now();
		entry.isBeingSent = true;
		try {
			const started = await sendStart(batch, entry, request);
			delete entry.request;
			Object.assign(entry, started);
			if (ledger.settings.cancelAfterMs !== undefined) entry.startedAt = Date.now();
			return started.taskId;
		} finally {
			delete entry.isBeingSent;
		}
	};
	const taskId = await startOnce(entry.origin, request, start);
	if (taskId === undefined) return;
	delete entry.request;
	Object.assign(entry, { taskId, isRepeated: true });
	// It calls somebody else back.
	if (ledger.waitMethod === 'callback') ledger.waitMethod = 'clock';
}

async function sendStart(
	{ starter, host: { resumeUrl }, ledger, isWatched }: StartContext,
	entry: Entry,
	request: ServiceRequest,
): Promise<StartedRun> {
	const api = runApi(ledger.api);
	if (resumeUrl === undefined || !callbacksPay(ledger, isWatched)) {
		return await startRun(starter, api, request);
	}
	const completed = callbackUrlFor(resumeUrl, ledger.entries.indexOf(entry), ledger.callbackKey);
	const statusChanged = ledger.settings.wakeWhenPaused ? completed : undefined;
	const started = await attempt(startRun(starter, api, request, { completed, statusChanged }));
	if (started.ok) return started.value;
	if (!hasCode(started.error, INVALID_PARAMETER)) throw started.error;
	// Nothing was started. The service may not like the address of this n8n, so it gets none.
	const run = await startRun(starter, api, request);
	ledger.waitMethod = 'clock';
	return run;
}
