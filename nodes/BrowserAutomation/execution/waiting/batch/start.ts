import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { INVALID_PARAMETER, TOO_MANY_RUNNING_TASKS } from '../../../service/http/errorCodes';
import { CanceledError, hasCode } from '../../../service/errors';
import type { ServiceRequest } from '../../../service/http/request';
import { runApi } from '../../../service/runs/runApi';
import { isUncertainStart, startRun, type StartedRun } from '../../../service/runs/oneRun';
import { mapConcurrently } from '../../../service/concurrency';
import type { Entry, Ledger } from './ledger';
import { unstarted } from './progress';
import { unlessRepeated } from './repeats';
import { refusedError, toRefusal, uncertainRefusal } from './runErrors';
import { nonceOf } from '../sleep/secret';
import { dueStarts } from './waves';

/** The address that the service calls when the run of one item ends. */
export function callbackUrlFor(
	resumeUrl: string,
	itemIndex: number,
	keys: Pick<Ledger, 'callbackKey'>,
): string {
	const url = new URL(resumeUrl);
	url.searchParams.set('item', String(itemIndex));
	url.searchParams.set('nonce', nonceOf(keys, itemIndex));
	return url.toString();
}

/** Up to so many runs of an execution call back: of more, the watcher's look at the list tells sooner. */
const MOST_CALLBACKS = 10;

/** Whether the runs of an execution are to call it back: a few, or all where nothing else watches them. */
export function callbacksPay({ way, entries }: Ledger, isWatched: boolean): boolean {
	return way === 'callback' && (!isWatched || entries.length <= MOST_CALLBACKS);
}

/** How starts are sent. */
export interface StartingLine {
	/** Lets a start that is under way come to its end when the execution is stopped: its run is to be known. */
	client: ServiceClient;
	/** Raised when the execution is stopped. */
	signal: AbortSignal | undefined;
	ledger: Ledger;
	/** Where the runs are to call back, if they are. */
	callbackTo: string | undefined;
	/** Whether one refused start leaves the others alone. */
	goesOn: boolean;
	/** How many runs may be started now. */
	allowed: number;
	/** Names the account among all that this process knows. */
	account: string;
	/** Called when a start meets the plan's limit of running tasks. */
	onFull(): void;
}

/**
 * Sends the starts that are due, as many as are allowed, each exactly once, noting every started run at
 * once. Stops at the plan's limit of running tasks where waiting for a slot is allowed; what is left
 * stays unstarted, and the ledger says since when it waits.
 *
 * @returns the first refusal of a start, unless the batch goes on after one
 * @throws CanceledError
 */
export async function startRuns(
	line: StartingLine,
): Promise<{ error: unknown; itemIndex: number } | undefined> {
	const { ledger, allowed, goesOn } = line;
	const { waitForSlot, concurrency } = ledger.settings;
	// Whoever has waited and was given no slots finds out one by one.
	const atOnce = ledger.queuedAt !== undefined && allowed === Infinity ? 1 : concurrency;
	const due = dueStarts(ledger).slice(0, allowed);
	const startOnce = unlessRepeated(line.client, line.account, ledger);
	let isFull = false;
	let failure: Awaited<ReturnType<typeof startRuns>>;
	await mapConcurrently(due, atOnce, async (entry) => {
		const { request } = entry;
		if (request === undefined || isFull || failure !== undefined) return;
		const start = await attempt(startItem(line, entry, request, startOnce));
		if (start.ok) return;
		const { error } = start;
		if (error instanceof CanceledError) throw error;
		if (hasCode(error, TOO_MANY_RUNNING_TASKS) && waitForSlot) {
			isFull = true;
			ledger.queuedAt ??= Date.now();
			line.onFull();
			return;
		}
		const isUncertain = isUncertainStart(error);
		const refusal = isUncertain ? uncertainRefusal(error) : toRefusal(error);
		if (goesOn || isUncertain) {
			delete entry.request;
			entry.refusal = refusal;
		}
		const itemIndex = ledger.entries.indexOf(entry);
		if (!goesOn) failure ??= { error: isUncertain ? refusedError(refusal) : error, itemIndex };
	});
	if (unstarted(ledger).length === 0) delete ledger.queuedAt;
	return failure;
}

/** Starts an item's run, or notes the one that was there already. */
async function startItem(
	line: StartingLine,
	entry: Entry,
	request: ServiceRequest,
	startOnce: ReturnType<typeof unlessRepeated>,
): Promise<void> {
	const { ledger, signal } = line;
	const start = async (): Promise<string> => {
		if (signal?.aborted) throw new CanceledError();
		ledger.startedAt = Date.now();
		entry.isBeingSent = true;
		try {
			const started = await sendStart(line, entry, request);
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
	if (ledger.way === 'callback') ledger.way = 'clock';
}

async function sendStart(
	{ client, ledger, callbackTo }: StartingLine,
	entry: Entry,
	request: ServiceRequest,
): Promise<StartedRun> {
	const api = runApi(ledger.api);
	if (callbackTo === undefined || ledger.way !== 'callback') {
		return await startRun(client, api, request);
	}
	const url = callbackUrlFor(callbackTo, ledger.entries.indexOf(entry), ledger);
	const statusChanged = ledger.settings.wakeWhenPaused ? url : undefined;
	const started = await attempt(startRun(client, api, request, { completed: url, statusChanged }));
	if (started.ok) return started.value;
	if (!hasCode(started.error, INVALID_PARAMETER)) throw started.error;
	// Nothing was started. The service may not like the address of this n8n, so it gets none.
	const run = await startRun(client, api, request);
	ledger.way = 'clock';
	return run;
}
