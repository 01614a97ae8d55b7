import type { IDataObject } from 'n8n-workflow';

import { KNOWN_AFTER_MS } from '../execution/reuse';
import { attempt } from '../service/attempt';
import { HelpfulError } from '../service/errors';
import type { Callbacks } from '../service/events/callback';
import { withDeadline, type ServiceClient } from '../service/http/client';
import type { ServiceRequest } from '../service/http/request';
import { isTransient } from '../service/http/retry';
import { isJsonObject, partOf, textAt } from '../service/json/json';
import { memoryOf } from '../service/processMemory';
import { cancelRun, ifKnown, isUncertainStart, readStatus, startRun } from '../service/runs/oneRun';
import { V3_RUNS } from '../service/runs/runApi';
import { RunList } from '../service/runs/runList';
import { mayBeOfBot } from '../service/runs/schemas';

/** The key of the trigger's own run in the workflow's static data. */
const RUN = 'ownRun';

/** Set while the service refuses to report the run: n8n cleans up after the failed activation, which must not release the run. */
const HELD = 'held';

/** When a start was sent that may or may not have arrived, in milliseconds since 1970. */
const UNCERTAIN_SINCE = 'uncertainSince';

/** The same in this process, by the trigger's key: n8n 1 does not store what a failed activation has kept (1.123: `addWebhooks`). */
const uncertainStarts = memoryOf<number>('uncertainStarts');

/** What starts the trigger's own run; a template has no bot. */
interface Start {
	request: ServiceRequest;
	botId: string | undefined;
	callbacks: Callbacks;
}

/** For how long a run of an uncertain start is searched, in milliseconds. */
const LOOK_BACK_MS = 15 * 60_000;

/** How far the clocks of this machine and of the service may differ, in milliseconds. */
const CLOCK_SKEW_MS = 2 * 60_000;

/** The ID of the run that the trigger started. */
export function ownTaskId(kept: IDataObject): string | undefined {
	return textAt(kept, RUN);
}

/**
 * Whether the service knows the trigger's own run. If it cannot be reached, yes: a second run would be worse than a late check.
 *
 * @throws ServiceError where the service refuses to report it
 */
export async function isOwnRunKnown(client: ServiceClient, kept: IDataObject): Promise<boolean> {
	const taskId = ownTaskId(kept);
	if (taskId === undefined) return false;
	const read = await attempt(async () => await ifKnown(readStatus(client, V3_RUNS, taskId)));
	// Deleting has n8n store all static data as of this call's beginning, over what callbacks have stored since.
	if (HELD in kept) delete kept[HELD];
	if (read.ok) return read.value !== undefined;
	if (isTransient(read.error)) return true;
	kept[HELD] = true;
	throw read.error;
}

/**
 * Starts the trigger's own run, and keeps its ID. First it searches the run of an earlier start that may have arrived, so that
 * repeated attempts start one run: n8n repeats a failed activation after a second (2.41 trigger-activation-retry.js).
 *
 * @param isRestart whether n8n is starting: it may have ended between a start and storing it
 * @throws ServiceError or ConnectionError; HelpfulError where the service may not tell yet of the run of such a start
 */
export async function startOwnRun(
	client: ServiceClient,
	kept: IDataObject,
	{ request, botId, callbacks }: Start,
	key: string,
	isRestart: boolean,
): Promise<void> {
	const isUnstored = isRestart && ownTaskId(kept) === undefined;
	const oldest = Date.now() - LOOK_BACK_MS;
	const uncertain = kept[UNCERTAIN_SINCE] ?? uncertainStarts.get(key);
	const since = Number(uncertain ?? (isUnstored ? oldest : NaN));
	const input = partOf(request.body, 'input');
	const from = Math.min(since, Date.now());
	let taskId = since >= oldest ? await findRun(client, from, botId, input) : undefined;
	// A moment that is far ahead counts as none: the clock was set back.
	if (taskId === undefined && Math.abs(Date.now() - Number(uncertain ?? NaN)) < KNOWN_AFTER_MS) {
		throw new HelpfulError(
			'Whether an earlier attempt has started the run is not known yet, so it is not started again',
			'Try again in two minutes: the trigger then takes the run up, or starts it. Run > Get Many lists runs.',
		);
	}
	if (taskId === undefined) {
		const sentAt = Date.now();
		const sent = await attempt(startRun(client, V3_RUNS, request, callbacks));
		if (!sent.ok && isUncertainStart(sent.error)) {
			kept[UNCERTAIN_SINCE] = sentAt;
			uncertainStarts.set(key, sentAt, sentAt + LOOK_BACK_MS);
		}
		if (!sent.ok) throw sent.error;
		({ taskId } = sent.value);
	}
	kept[RUN] = taskId;
	delete kept[UNCERTAIN_SINCE];
	uncertainStarts.delete(key);
}

export interface UncanceledRun {
	taskId: string;
	error: unknown;
}

/** Within which time a request to cancel is sent and repeated, in milliseconds. */
const CANCELED_WITHIN_MS = 60_000;

/** Forgets the trigger's own run, and cancels it if wanted. @returns the run where that failed, even for want of a credential */
export async function leaveOwnRun(
	connected: () => Promise<ServiceClient>,
	kept: IDataObject,
	cancels: boolean,
): Promise<UncanceledRun | undefined> {
	const taskId = ownTaskId(kept);
	if (taskId === undefined) return undefined;
	const isHeld = kept[HELD] === true;
	delete kept[HELD];
	if (isHeld) return undefined;
	delete kept[RUN];
	if (!cancels) return undefined;
	const until = Date.now() + CANCELED_WITHIN_MS;
	const sent = await attempt(async () => {
		await cancelRun(withDeadline(await connected(), until), V3_RUNS, taskId);
	});
	return sent.ok ? undefined : { taskId, error: sent.error };
}

/** The run that an uncertain start began: the newest of the same bot or template with the same input. */
async function findRun(
	client: ServiceClient,
	since: number,
	botId: string | undefined,
	input: unknown,
): Promise<string | undefined> {
	const runs = await new RunList(client, botId).readFirst({ from: since - CLOCK_SKEW_MS });
	const [newest] = runs
		.filter(({ record }) => mayBeOfBot(botId, record) && holds(record.input, input))
		.sort((a, b) => b.createdAt - a.createdAt);
	return newest?.taskId;
}

/** Whether a run has the input that was sent. The service adds defaults to it, so further fields do not count. */
function holds(accepted: unknown, sent: unknown): boolean {
	if (!isJsonObject(sent)) return JSON.stringify(accepted) === JSON.stringify(sent);
	return Object.entries(sent).every(([name, value]) => holds(partOf(accepted, name), value));
}
