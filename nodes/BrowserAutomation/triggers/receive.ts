import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { nodeKey } from '../transport/nodeKey';
import { failureText } from '../execution/failures';
import { isProduction } from '../execution/mode';
import { refuseCallback } from '../execution/webhook';
import { connectForCallback } from '../transport/credentialCache';
import { attempt } from '../service/attempt';
import type { ServiceClient } from '../service/client';
import { InputError } from '../service/errors';
import { isJsonObject, textAt, type JsonObject } from '../service/json';
import { passes, type CallbackEventName } from '../service/runEvents';
import type { EventDeduplicator } from '../service/eventDeduplicator';
import { isTerminal, toRunStatus } from '../service/runStatus';
import { readRunIfKnown, runApiOf, taskIdIn, type RunApi } from '../service/runs';
import { TtlCache } from '../service/ttlCache';
import { isWithCompletion } from '../service/triggerAddresses';
import { callbackEventsField, readEventSettings, type EventSettings } from '../fields/events';
import { eventItems } from './eventItems';
import { readKeptData } from './keptData';
import { keepUntilAnswered, memoryOf, MOST_TRIGGERS } from './memory';
import { ownTaskId } from './ownRun';
import { ReadLimiter, type ReadRefusal } from './readLimiter';
import { inTurn, type Turn } from './turns';
import { pause, withSignal } from '../transport/cancellation';
import { valuesOfTrigger } from '../fields/values';

/** The service waits 30 seconds for an answer (docs/service.md: Events, rule 2). */
const ANSWER_WITHIN_MS = 25_000;

/** How long files may take. Of what takes longer, the event tells that it is missing. */
const FILES_WITHIN_MS = 15_000;

/** After so long a run is read again whose details are behind its status, in milliseconds. */
const BEHIND_FOR_MS = 2_000;

/** A changed credential is used after so long at the latest, a refused one at once. */
const CREDENTIAL_FOR_MS = 60_000;

const LONGEST_ID = 200;

/** For how long a run counts as unknown after the service did not know it, in milliseconds. */
const UNKNOWN_FOR_MS = 5_000;

/** How many unknown runs are remembered. */
const MOST_UNKNOWN = 1_000;

/** Runs that the service did not know a moment ago: repeats of such callbacks cost it nothing. */
const unknownRuns = new TtlCache<true>(MOST_UNKNOWN);

const limiters = new TtlCache<ReadLimiter>(MOST_TRIGGERS);

/**
 * Takes a callback. It proves nothing by itself: the run is read with the user's key, and what the
 * workflow gets is what the service says. Answers 404 for a run that the service does not know; so
 * that the callback comes again, 503 when it cannot be asked, and 429 while too many unknown runs are
 * named. Never throws, because n8n starts the workflow with nothing then.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const limit = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const taken = await attempt(async () => await withSignal(limit, take(context, limit)));
	if (taken.ok) return taken.value;
	const reason = failureText(context.getNode(), taken.error);
	context.logger.warn(`A callback could not be checked: ${reason}`);
	return refuseCallback(context, 503, 'The service could not be asked about the run. Call again.');
}

/** A callback as it came: nothing of it is believed. */
interface Callback {
	taskId: string;
	/** The status that it announces. */
	announced: string | undefined;
	api: RunApi;
}

async function take(context: IWebhookFunctions, limit: AbortSignal): Promise<IWebhookResponseData> {
	const settings = readEventSettings(valuesOfTrigger(context), callbackEventsField);
	const events = eventsAnnouncedBy(context).filter((event) =>
		settings.filter.events.includes(event),
	);
	if (events.length === 0) return received('This trigger does not listen to this event.');
	const callback = callbackOf(context);
	if (callback === undefined) return refuseCallback(context, 404, 'This callback names no run.');
	if (unknownRuns.get(unknownKey(context, callback)) === true) return refuseUnknown(context);
	const memory = memoryOf(context);
	const { taskId, announced } = callback;
	return await inTurn(`${nodeKey(context)}/${taskId}`, async () => {
		limit.throwIfAborted();
		const isRepeat = memory.hasEmitted(taskId, toRunStatus(announced), events);
		if (isRepeat) return { value: received('This event was received before.') };
		const verification = { context, callback, events, settings, memory, limit };
		return await withSignal(limit, verify(verification));
	});
}

interface Verification {
	context: IWebhookFunctions;
	callback: Callback;
	/** The wanted events that such a callback tells of. */
	events: CallbackEventName[];
	settings: EventSettings;
	memory: EventDeduplicator;
	/** When it is too late to answer. */
	limit: AbortSignal;
}

async function verify({
	context,
	callback,
	events,
	settings,
	memory,
	limit,
}: Verification): Promise<Turn<IWebhookResponseData>> {
	const { taskId, announced, api } = callback;
	const until = Date.now() + CREDENTIAL_FOR_MS;
	const client = await connectForCallback(context, nodeKey(context), until);
	const isReal = memory.knows(taskId) || isOwnRun(context, taskId);
	const read = await attempt(async () => {
		for (;;) {
			const found = await limiterOf(context).read(
				isReal,
				limit,
				async () => await readRunIfKnown(client, api, taskId),
			);
			if ('retryAfterMs' in found || found.value === undefined) return found;
			if (!(await isBehind(client, callback, events, found.value))) return found;
			await pause(BEHIND_FOR_MS, limit);
		}
	});
	if (!read.ok && !(read.error instanceof InputError)) throw read.error;
	const found = read.ok ? read.value : { value: undefined };
	if ('retryAfterMs' in found) return { value: refuseForNow(context, found) };
	if (found.value === undefined) {
		unknownRuns.set(unknownKey(context, callback), true, Date.now() + UNKNOWN_FOR_MS);
		return { value: refuseUnknown(context) };
	}
	// From here on the event counts as emitted. A callback that was answered already comes again.
	limit.throwIfAborted();
	const run = found.value;
	const status = toRunStatus(run.status);
	const late = announced !== undefined && announced !== run.status;
	const emitted = memory.emit(taskId, status, events);
	const news = emitted
		.filter((event) => passes(settings.filter, event, run))
		.map((event) => ({ ...event, late }));
	if (news.length === 0) {
		memory.confirm(emitted);
		return { value: received('There is nothing new.') };
	}
	const takeBack = (): void => memory.takeBack(emitted);
	// At once, before the next callback of the run has its turn.
	limit.addEventListener('abort', takeBack);
	const signal = AbortSignal.any([limit, AbortSignal.timeout(FILES_WITHIN_MS)]);
	const request = api.detailRequest(taskId);
	const items = await eventItems({ context, client, request, run, signal }, news, settings);
	limit.throwIfAborted();
	limit.removeEventListener('abort', takeBack);
	const webhookResponse = { message: 'The workflow was started.' };
	return {
		value: { webhookResponse, workflowData: [items] },
		isOver: keepUntilAnswered(context, memory, emitted, limit),
	};
}

/** Whether a run has ended, as its callback and its status tell, while its details still show it going on. */
async function isBehind(
	client: ServiceClient,
	{ taskId, announced, api }: Callback,
	events: CallbackEventName[],
	run: JsonObject,
): Promise<boolean> {
	const saysEnd =
		announced === undefined ? events.includes('runCompleted') : isTerminal(toRunStatus(announced));
	if (!saysEnd || isTerminal(toRunStatus(run.status))) return false;
	const told = await attempt(client.send(api.statusRequest(taskId)));
	return told.ok && isJsonObject(told.value) && isTerminal(toRunStatus(told.value.status));
}

function limiterOf(context: IWebhookFunctions): ReadLimiter {
	return limiters.getOrMake(nodeKey(context), () => new ReadLimiter(), Infinity);
}

function isOwnRun(context: IWebhookFunctions, taskId: string): boolean {
	return isProduction(context) && ownTaskId(readKeptData(context)) === taskId;
}

/** Refuses a callback although its run may be real. n8n's log tells it once. */
function refuseForNow(
	context: IWebhookFunctions,
	{ retryAfterMs, isFirst }: ReadRefusal,
): IWebhookResponseData {
	if (isFirst) {
		context.logger.warn(
			`The trigger "${failureText(context.getNode(), context.getNode().name)}" is called about too many runs that the service does not know. For the time being, callbacks are answered 429, so that they come again.`,
		);
	}
	return refuseCallback(context, 429, 'Too many unknown runs are named. Call again.', retryAfterMs);
}

function unknownKey(context: IWebhookFunctions, { api, taskId }: Callback): string {
	return `${nodeKey(context)}/${api.name}/${taskId}`;
}

function refuseUnknown(context: IWebhookFunctions): IWebhookResponseData {
	return refuseCallback(context, 404, 'The service knows no such run.');
}

/** The events that callbacks to this address tell of. */
function eventsAnnouncedBy(context: IWebhookFunctions): CallbackEventName[] {
	if (context.getWebhookName() === 'default') return ['runCompleted'];
	const isBoth = isWithCompletion(context.getQueryData());
	return isBoth ? ['runStatusChanged', 'runCompleted'] : ['runStatusChanged'];
}

function callbackOf(context: IWebhookFunctions): Callback | undefined {
	const posted: unknown = context.getBodyData();
	const body: JsonObject = isJsonObject(posted) ? posted : {};
	const taskId = taskIdIn(body);
	if (taskId === undefined || taskId.length > LONGEST_ID) return undefined;
	return { taskId, announced: textAt(body, 'status'), api: runApiOf(body) };
}

function received(message: string): IWebhookResponseData {
	return { webhookResponse: { message } };
}
