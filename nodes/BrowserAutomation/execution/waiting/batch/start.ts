import { attempt } from '../../../service/attempt';
import type { ServiceClient } from '../../../service/http/client';
import { INVALID_PARAMETER, TOO_MANY_RUNNING_TASKS } from '../../../service/http/errorCodes';
import { hasCode, HelpfulError, ServiceError } from '../../../service/errors';
import type { ServiceRequest } from '../../../service/http/request';
import type { RunApi } from '../../../service/runs/runApi';
import { isUncertainStart, startRun, type StartedRun } from '../../../service/runs/startRun';
import { mapConcurrently } from '../../concurrency';
import type { Entry, Ledger, Refusal } from './ledger';
import { dueStarts, unstarted } from './progress';
import { startUnlessRepeated, type EarlierRuns } from './repeats';
import { NONCE_LENGTH, nonceOf } from '../sleep/secret';

/** The address that the service calls when the run of one item ends. */
export function callbackUrlFor(resumeUrl: string, itemIndex: number, ledger: Ledger): string {
	const url = new URL(resumeUrl);
	url.searchParams.set('item', String(itemIndex));
	url.searchParams.set('nonce', nonceOf(ledger, itemIndex));
	return url.toString();
}

/** Up to so many runs of an execution call back: of more, the watcher's look at the list tells sooner. */
const MOST_CALLBACKS = 10;

/** Whether the runs of an execution are to call it back: a few, or all where nothing else watches them. */
export function callbacksPay({ way, entries }: Ledger, isWatched: boolean): boolean {
	return way === 'callback' && (!isWatched || entries.length <= MOST_CALLBACKS);
}

/** How many characters longer than the resume URL the callback URLs of so many items are at the most. */
export function callbackExtra(count: number): number {
	return `&item=${count}&nonce=`.length + NONCE_LENGTH;
}

/** What is to be known about an error after the execution has slept. */
export function toRefusal(error: unknown): Refusal {
	return {
		message: error instanceof Error ? error.message : String(error),
		advice: error instanceof HelpfulError ? error.advice : '',
		facts: error instanceof ServiceError ? error.facts : {},
	};
}

const LOOK_FOR_IT = 'Look for it with Run > Get Many before you start it again.';

/** Why an item has no run, where n8n went down while its start may have been on its way. */
export function uncertainRefusal(): Refusal {
	return {
		message: 'n8n stopped while the run was being started. Whether it was started is not known',
		advice: LOOK_FOR_IT,
		facts: {},
		isUncertain: true,
	};
}

function uncertainStart(error: HelpfulError): HelpfulError {
	const message = `${error.message}. Whether the run was started is not known`;
	if (!(error instanceof ServiceError)) return new HelpfulError(message, LOOK_FOR_IT);
	return new ServiceError(message, LOOK_FOR_IT, error.facts);
}

/** How starts are sent. */
export interface StartingLine {
	client: ServiceClient;
	api: RunApi;
	ledger: Ledger;
	/** Where n8n wakes this execution. */
	resumeUrl: string | undefined;
	/** Whether the runs are to call back there. */
	callsBack: boolean;
	/** Whether one refused start leaves the others alone. */
	goesOn: boolean;
	/** How many runs may be started now. */
	allowed: number;
	/** Names the account among all that this process knows. */
	account: string;
	/** What was read of the service's list of runs, by bot. */
	listed: Map<string, Promise<EarlierRuns>>;
	/** Called when a start meets the plan's limit of running tasks. */
	onFull(): void;
}

/** A start that ends the batch. */
export interface StartFailure {
	error: unknown;
	itemIndex: number;
}

/**
 * Sends the starts that are due, as many as are allowed, each exactly once, noting every started run at
 * once. Stops at the plan's limit of running tasks where waiting for a slot is allowed; what is left
 * stays unstarted, and the ledger says since when it waits.
 *
 * @returns the first refusal of a start, unless the batch goes on after one
 */
export async function startRuns(line: StartingLine): Promise<StartFailure | undefined> {
	const { ledger, allowed } = line;
	// Whoever has waited and was given no slots finds out one by one.
	const concurrency =
		ledger.queuedAt !== undefined && allowed === Infinity ? 1 : ledger.settings.concurrency;
	const failure = await sendStarts(line, dueStarts(ledger).slice(0, allowed), concurrency);
	if (unstarted(ledger).length === 0) delete ledger.queuedAt;
	return failure;
}

async function sendStarts(
	line: StartingLine,
	due: Entry[],
	concurrency: number,
): Promise<StartFailure | undefined> {
	const { ledger } = line;
	let isFull = false;
	let failure: StartFailure | undefined;
	await mapConcurrently(due, concurrency, async (entry) => {
		const { request } = entry;
		if (request === undefined || isFull || failure !== undefined) return;
		const start = await attempt(carryOut(line, entry, request));
		if (start.ok) return;
		const { error } = start;
		if (hasCode(error, TOO_MANY_RUNNING_TASKS) && ledger.settings.waitForSlot) {
			isFull = true;
			ledger.queuedAt ??= Date.now();
			line.onFull();
			return;
		}
		const isUncertain = isUncertainStart(error);
		const refusal = isUncertain ? uncertainStart(error) : error;
		if (line.goesOn || isUncertain) {
			delete entry.request;
			entry.refusal = { ...toRefusal(refusal), ...(isUncertain && { isUncertain }) };
		}
		if (!line.goesOn) failure ??= { error: refusal, itemIndex: ledger.entries.indexOf(entry) };
	});
	return failure;
}

async function carryOut(line: StartingLine, entry: Entry, request: ServiceRequest): Promise<void> {
	const { ledger } = line;
	const { origin } = entry;
	const { noRepeatMs, cancelAfterMs } = ledger.settings;
	const start = async (): Promise<string> => {
		ledger.startedAt = Date.now();
		const { taskId, status, profileId } = await sendStart(line, entry, request);
		if (profileId !== undefined) entry.profileId = profileId;
		if (cancelAfterMs !== undefined) entry.startedAt = Date.now();
		note({ taskId, status });
		return taskId;
	};
	const note = (run: Pick<Entry, 'taskId' | 'status' | 'isRepeated'>): void => {
		delete entry.request;
		delete entry.isDue;
		Object.assign(entry, run);
	};
	if (origin === undefined || noRepeatMs === undefined) {
		await start();
		return;
	}
	const taskId = await startUnlessRepeated(line, { origin, request }, noRepeatMs, start);
	if (taskId === undefined) return;
	note({ taskId, isRepeated: true });
	// It calls somebody else back.
	if (ledger.way === 'callback') ledger.way = 'clock';
}

async function sendStart(
	{ client, api, ledger, resumeUrl, callsBack }: StartingLine,
	entry: Entry,
	request: ServiceRequest,
): Promise<StartedRun> {
	if (resumeUrl === undefined || !callsBack || ledger.way !== 'callback') {
		return await startRun(client, api, request);
	}
	const url = callbackUrlFor(resumeUrl, ledger.entries.indexOf(entry), ledger);
	const statusChanged = ledger.settings.wakeWhenPaused ? url : undefined;
	const started = await attempt(startRun(client, api, request, { completed: url, statusChanged }));
	if (started.ok) return started.value;
	if (!hasCode(started.error, INVALID_PARAMETER)) throw started.error;
	// Nothing was started. The service may not like the address of this n8n, so it gets none.
	const run = await startRun(client, api, request);
	ledger.way = 'clock';
	return run;
}
