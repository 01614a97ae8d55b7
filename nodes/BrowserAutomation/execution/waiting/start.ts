import { randomBytes } from 'crypto';

import { attempt } from '../../service/attempt';
import type { ServiceClient } from '../../service/client';
import { TOO_MANY_RUNNING_TASKS } from '../../service/errorCodes';
import { ConnectionError, hasCode, HelpfulError, ServiceError } from '../../service/errors';
import { isJsonObject, textAt, type JsonValue } from '../../service/json';
import type { ServiceRequest } from '../../service/request';
import type { RunApi } from '../../service/runs';
import { toRunStatus, type RunStatus } from '../../service/runStatus';
import { forEachConcurrently } from '../concurrency';
import type { Entry, Ledger, Refusal } from './ledger';
import { unstarted } from './progress';

const NONCE_BYTES = 16;

/** A secret that only the service and this execution know. */
export function newNonce(): string {
	return randomBytes(NONCE_BYTES).toString('hex');
}

/** The address that the service calls when the run of one item ends. */
export function callbackUrlFor(resumeUrl: string, itemIndex: number, nonce: string): string {
	const url = new URL(resumeUrl);
	url.searchParams.set('item', String(itemIndex));
	url.searchParams.set('nonce', nonce);
	return url.toString();
}

/** What is to be known about an error after the execution has slept. */
export function toRefusal(error: unknown): Refusal {
	return {
		message: error instanceof Error ? error.message : String(error),
		advice: error instanceof HelpfulError ? error.advice : '',
		facts: error instanceof ServiceError ? error.facts : {},
	};
}

/** The service refused a start because the plan's running tasks are used up. Nothing was started. */
function isFull(error: unknown): boolean {
	return hasCode(error, TOO_MANY_RUNNING_TASKS);
}

/** Whether a start may have begun a run although no answer said so. Such a start is never repeated. */
function isUncertain(error: unknown): error is HelpfulError {
	if (error instanceof ConnectionError) return error.mayHaveArrived;
	return error instanceof ServiceError && (error.facts.httpStatus ?? 500) >= 500;
}

function uncertainStart(error: HelpfulError): HelpfulError {
	return new HelpfulError(
		`${error.message}. Whether the run was started is not known`,
		'Look for it with Run > Get Many before you start it again.',
	);
}

/** How starts are sent. */
export interface StartingLine {
	client: ServiceClient;
	face: RunApi;
	ledger: Ledger;
	/** Set where the runs are to wake this execution. */
	resumeUrl: string | undefined;
	/** Whether one refused start leaves the others alone. */
	goesOn: boolean;
}

/**
 * Sends the starts that are still to be sent, each exactly once, noting every started run at once.
 * Stops at the plan's limit of running tasks where waiting for a slot is allowed; what is left
 * stays unstarted.
 *
 * @throws the refusal of a start, unless the batch goes on after one
 */
export async function startRuns(line: StartingLine): Promise<void> {
	const { ledger } = line;
	const waiting = unstarted(ledger);
	let full = false;
	// Once the limit was met, slots come free one by one: asking for more at once is in vain.
	const concurrency = ledger.full === true ? 1 : ledger.settings.concurrency;
	await forEachConcurrently(waiting.length, concurrency, async (index) => {
		const entry = waiting[index];
		if (entry?.request === undefined || full) return;
		const { request } = entry;
		const start = await attempt(async () => await startRun(line, entry, request));
		if (start.ok) return;
		if (isFull(start.error) && ledger.settings.waitForSlot) {
			full = true;
			ledger.full = true;
			return;
		}
		const refusal = isUncertain(start.error) ? uncertainStart(start.error) : start.error;
		if (line.goesOn || refusal !== start.error) {
			delete entry.request;
			entry.refusal = toRefusal(refusal);
		}
		if (!line.goesOn) throw refusal;
	});
}

async function startRun(
	{ client, face, ledger, resumeUrl }: StartingLine,
	entry: Entry,
	request: ServiceRequest,
): Promise<void> {
	const created = await client.send(
		resumeUrl === undefined
			? request
			: withCallbacks(
					request,
					face,
					ledger,
					callbackUrlFor(resumeUrl, ledger.entries.indexOf(entry), entry.nonce),
				),
	);
	const taskId = face.startedTaskId(created);
	if (taskId === undefined) {
		throw new ServiceError(
			'The service started a run without telling its ID',
			'Look for the run in the service’s own list of runs.',
		);
	}
	delete entry.request;
	entry.taskId = taskId;
	entry.status = startedStatus(created);
	const profileId = textAt(created, 'profile_id') ?? textAt(created, 'profileId');
	if (profileId !== undefined) entry.profileId = profileId;
}

/** The status in the answer to a start (interface: not shown). Without one the run was just created. */
function startedStatus(created: JsonValue | undefined): RunStatus {
	const told = textAt(created, 'status');
	return told === undefined ? 'created' : toRunStatus(told);
}

function withCallbacks(
	request: ServiceRequest,
	face: RunApi,
	{ settings }: Ledger,
	url: string,
): ServiceRequest {
	const body = isJsonObject(request.body) ? request.body : {};
	const ours = face.callbackFields({
		completed: url,
		statusChanged: settings.wakeWhenPaused ? url : undefined,
	});
	return { ...request, body: { ...body, ...ours } };
}
