import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { refuseCallback, requestOf, responseOf } from '../execution/webhook';
import { isProduction } from '../execution/workflow';
import { EVENTS } from '../fields/triggers';
import { CHECK_KEY } from '../fields/triggersOfWorkflow';
import { valuesOfTrigger } from '../fields/field';
import { attempt } from '../service/attempt';
import { eventsOf } from '../service/events/runEvents';
import type { RunMemory } from '../service/events/runMemory';
import type { ServiceClient } from '../service/http/client';
import { isJsonObject, objectIn, parseJson, textAt, type JsonObject } from '../service/json/json';
import { ifKnown, readRun } from '../service/runs/oneRun';
import {
	isTerminal,
	type RunApi,
	runApiOf,
	taskIdIn,
	toRunStatus,
	V3_RUNS,
} from '../service/runs/runApi';
import { RunList } from '../service/runs/runList';
import { pause, withSignal } from '../transport/cancellation';
import { eventItems } from './eventItems';
import { recheckLater } from './recheck';
import { ownTaskId } from './ownRun';
import { markEnd } from './sharedRecord';
import {
	keepReported,
	readKeptData,
	startWorkflow,
	stateOf,
	type TriggerState,
	type TurnResult,
} from './triggerState';

/** How long an answer may take, in milliseconds: the service waits 30 s for it (docs/service.md: Events, rule 2). */
const ANSWER_WITHIN_MS = 25_000;

/** How long downloading files may take, in milliseconds. The event lists those that take longer as missing. */
const FILES_WITHIN_MS = 15_000;

/** The pause before a run is read again whose details are older than its status, in milliseconds. */
const REREAD_AFTER_MS = 2_000;

/** The longest ID of a run that is accepted, in characters. */
const MAX_ID_LENGTH = 200;

/** How long a run that the service did not know counts as unknown without another read, in milliseconds. */
const UNKNOWN_FOR_MS = 4_000;

/** The shortest time between two checks of the open runs, in milliseconds. */
const MIN_CHECK_INTERVAL_MS = 2_000;

/** The shortest time between two lines in the log about one trigger, in milliseconds. */
const MIN_LOG_INTERVAL_MS = 600_000;

/**
 * Handles a callback. It proves nothing by itself: the run is read with the user's key, and the workflow gets what the service
 * says. If the service cannot be reached or does not know the run yet, it answers 503, so that the callback comes again, and
 * the trigger also checks the run later by itself. Never throws: n8n would start the workflow without items.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const answerDue = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const callback = await callbackOf(context);
	if (callback === undefined) return refuseCallback(context, 404, 'This callback names no run.');
	const state = stateOf(context);
	const call = { ...callback, context, answerDue, state, memory: state.memoryFor(context) };
	const handled = await attempt(withSignal(answerDue, handleCall(call)));
	if (handled.ok) return handled.value;
	if (!callback.isCheck) {
		if (call.memory.addUnread(callback.taskId, callback.api)) keepReported(context, call.memory);
		recheckLater(context, state.caller, callback);
	}
	if (!state.cooldowns.get('log')) {
		state.cooldowns.set('log', true, Date.now() + MIN_LOG_INTERVAL_MS);
		const reason = failureText(context.getNode(), handled.error);
		context.logger.warn(
			`Callbacks cannot be checked; their runs are checked again until they can be: ${reason}`,
		);
	}
	return refuseCallback(context, 503, 'The service could not be asked about the run. Call again.');
}

/** The contents of a callback, or of a call by which the trigger checks runs itself. None of them is trusted. */
interface Callback {
	/** Empty for a check of all open runs. */
	taskId: string;
	/** The status that it announces. */
	announced: string | undefined;
	api: RunApi;
	/** Whether the trigger called itself to check the run. */
	isCheck: boolean;
}

/** A callback, and what it takes to handle it. */
interface Call extends Callback {
	context: IWebhookFunctions;
	state: TriggerState;
	memory: RunMemory;
	/** Aborts when the answer is due. */
	answerDue: AbortSignal;
}

async function handleCall(call: Call): Promise<IWebhookResponseData> {
	const { taskId, announced, memory, answerDue, isCheck, state } = call;
	if (taskId === '') return await checkOpenRuns(call);
	return await state.turns.inTurn(taskId, answerDue, async () => {
		answerDue.throwIfAborted();
		if (!memory.hasChanged(taskId, toRunStatus(announced))) {
			return { answer: received('This event was received before.') };
		}
		if (!isCheck && state.cooldowns.get(unknownKey(call))) return refuseUnknown(call);
		return await verify(call);
	});
}

async function verify(call: Call): Promise<TurnResult<IWebhookResponseData>> {
	const { context, taskId, announced, api, memory, answerDue, state } = call;
	const settings = EVENTS.read(valuesOfTrigger(context));
	const client = await withSignal(answerDue, state.connect(context));
	const run = await readRunOf(call, client);
	if (run === undefined) {
		state.cooldowns.set(unknownKey(call), true, Date.now() + UNKNOWN_FOR_MS);
		// It is not checked any more if that was the API that shows it. The status that was reported stays known.
		if (memory.apiOf(taskId) === api && memory.stopChecking(taskId)) keepReported(context, memory);
		return refuseUnknown(call);
	}
	const status = toRunStatus(run.status);
	if (!memory.hasChanged(taskId, status)) return { answer: received('There is nothing new.') };
	const change = { taskId, before: memory.statusOf(taskId), status };
	// The run has changed since the service sent this callback.
	const isLate = announced !== undefined && toRunStatus(announced) !== status;
	const late = isLate ? { late: true } : {};
	const events = eventsOf(change, settings.filter, run).map((event) => ({ ...event, ...late }));
	const signal = AbortSignal.any([answerDue, AbortSignal.timeout(FILES_WITHIN_MS)]);
	const reading = { context, client, request: api.detailRequest(taskId), run, signal };
	const read = await withSignal(answerDue, eventItems(reading, events, settings));
	// Another process may get a callback about the same end.
	const isEnd = isProduction(context) && isTerminal(status);
	const items = isEnd ? markEnd(context, read, taskId) : read;
	const recordReported = (): void => {
		// When the run was created does not matter here.
		memory.record(taskId, status, 0, api);
		keepReported(context, memory);
	};
	if (items.length > 0) return startWorkflow(responseOf(context), items, recordReported);
	recordReported();
	return { answer: received('Nothing of this event is wanted.') };
}

/** Reads the run, again while its details lag behind its status; undefined if the service knows no such run. */
async function readRunOf(call: Call, client: ServiceClient): Promise<JsonObject | undefined> {
	const { context, taskId, api, memory, answerDue, state } = call;
	const isKnown = memory.statusOf(taskId) !== undefined || ownTaskIdOf(context) === taskId;
	const read = async () => await ifKnown(readRun(client, api, taskId));
	for (;;) {
		const run = await state.limiter.read(taskId, isKnown, answerDue, read);
		if (run === undefined || !(await isStale(call, client, run))) return run;
		await pause(REREAD_AFTER_MS, answerDue);
	}
}

/** Whether the details of a run are stale: they show it running although it has ended, as its callback and its status say. */
async function isStale(call: Call, client: ServiceClient, run: JsonObject): Promise<boolean> {
	const { taskId, announced, api, answerDue, state } = call;
	const saysEnd = announced === undefined || isTerminal(toRunStatus(announced));
	if (!saysEnd || isTerminal(toRunStatus(run.status))) return false;
	const read = async () => await client.send(api.statusRequest(taskId));
	const reading = await attempt(state.limiter.read(taskId, true, answerDue, read));
	return reading.ok && isTerminal(toRunStatus(textAt(reading.value, 'status')));
}

/**
 * Checks the open runs of the trigger, whose callbacks may have been lost: reads the list, then each run whose
 * status has changed or that is not on the list.
 */
async function checkOpenRuns({ context, memory, state }: Call): Promise<IWebhookResponseData> {
	const open = new Set(memory.openTaskIds());
	const own = ownTaskIdOf(context);
	if (own !== undefined && !memory.knows(own)) open.add(own);
	if (open.size > 0 && !state.cooldowns.get('check')) {
		state.cooldowns.set('check', true, Date.now() + MIN_CHECK_INTERVAL_MS);
		const listed = await new RunList(await state.connect(context)).readOpen(open.size);
		for (const { taskId, status } of listed) {
			// The trigger's own run counts as created at first.
			const known = memory.knows(taskId) ? memory.statusOf(taskId) : 'created';
			if (status === known) open.delete(taskId);
		}
		for (const taskId of open) {
			recheckLater(context, state.caller, { taskId, api: memory.apiOf(taskId) }, 0);
		}
	}
	return received('Checking the runs that have not ended.');
}

/** The ID of the run that the trigger itself started when it was published, if it does that. */
function ownTaskIdOf(context: IWebhookFunctions): string | undefined {
	return isProduction(context) ? ownTaskId(readKeptData(context)) : undefined;
}

function unknownKey({ api, taskId }: Callback): string {
	return `unknown ${api.name} ${taskId}`;
}

/** Answers a callback about a run that the service does not know. It may call back before it knows the run. */
function refuseUnknown(call: Call): TurnResult<IWebhookResponseData> {
	const { context, state, isCheck } = call;
	if (isCheck) return { answer: received('The service does not know this run.') };
	recheckLater(context, state.caller, call);
	const message = 'The service does not know this run yet. Call again.';
	return { answer: refuseCallback(context, 503, message) };
}

/** Reads a callback; undefined if it names no run. */
async function callbackOf(context: IWebhookFunctions): Promise<Callback | undefined> {
	const query: unknown = context.getQueryData();
	const isCheck = isJsonObject(query) && CHECK_KEY in query;
	const body = isCheck ? query : await bodyOf(context);
	const taskId = taskIdIn(body) ?? (isCheck ? '' : undefined);
	if (taskId === undefined || taskId.length > MAX_ID_LENGTH) return undefined;
	// An ID that cannot be put into a path throws.
	const isUsable = await attempt(() => taskId === '' || V3_RUNS.detailRequest(taskId));
	if (!isUsable.ok) return undefined;
	return { taskId, announced: textAt(body, 'status'), api: runApiOf(body), isCheck };
}

/** The body read as JSON, whatever its content type. Long IDs become text, so that no digit is lost. */
async function bodyOf(context: IWebhookFunctions): Promise<JsonObject> {
	const request = requestOf(context);
	const read = await attempt(async () => {
		await request.readRawBody?.();
		return parseJson(request.rawBody?.toString() ?? '');
	});
	const body: unknown = read.ok ? read.value : context.getBodyData();
	return objectIn(body);
}

function received(message: string): IWebhookResponseData {
	return { webhookResponse: { message } };
}
