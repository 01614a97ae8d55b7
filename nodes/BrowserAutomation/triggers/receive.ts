import type { IWebhookFunctions, IWebhookResponseData } from 'n8n-workflow';

import { failureText } from '../execution/failures';
import { refuseCallback, requestOf, responseOf } from '../execution/webhook';
import { isProduction } from '../execution/workflow';
import { EVENTS } from '../fields/triggers';
import { CHECK_KEY } from '../fields/notify';
import { valuesOfTrigger } from '../fields/field';
import { attempt } from '../service/attempt';
import { eventsOf } from '../service/events/runEvents';
import type { ServiceClient } from '../service/http/client';
import { isKeyRefusal } from '../service/http/retry';
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
import { pause, withSignal } from '../transport/cancellation';
import { eventItems, refusalItem } from './eventItems';
import { checkOpenRuns } from './openRuns';
import { markEnd } from './sharedRecord';
import {
	keepReported,
	ownTaskIdOf,
	startingAnswer,
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

/** How long a run that was read in vain is not read again, in milliseconds: the callback may have been a stranger's. */
const REST_MS = 1_000;

/** The longest ID of a run that is accepted, in characters. */
const MAX_ID_LENGTH = 200;

/** The shortest time between two lines in the log about one trigger, in milliseconds. */
const MIN_LOG_INTERVAL_MS = 600_000;

/**
 * Handles a callback, or the trigger's call to check its runs (docs/develop/triggers.md: How a callback is checked). Never
 * throws: n8n would start the workflow without items.
 */
export async function receive(context: IWebhookFunctions): Promise<IWebhookResponseData> {
	const tooLate = AbortSignal.timeout(ANSWER_WITHIN_MS);
	const subject = await subjectOf(context);
	if (subject === undefined) return refuseCallback(context, 404, 'This callback names no run.');
	const state = stateOf(context);
	const handling =
		subject === 'openRuns'
			? checkOpenRuns(context, state).then(() => received('Checking the runs that have not ended.'))
			: handleCallback({ ...subject, context, tooLate, state });
	const handled = await attempt(withSignal(tooLate, handling));
	if (handled.ok) return handled.value;
	const { memory } = state;
	if (subject !== 'openRuns' && memory.addUnread(subject.taskId, subject.api)) {
		keepReported(context, memory);
	}
	if (isKeyRefusal(handled.error) && !state.isRefusalShown) {
		state.isRefusalShown = true;
		const items = [refusalItem(context, handled.error, memory.taskIdsToCheck())];
		return startingAnswer(responseOf(context), items, () => keepReported(context, memory)).answer;
	}
	if (Math.abs(Date.now() - state.loggedAt) >= MIN_LOG_INTERVAL_MS) {
		state.loggedAt = Date.now();
		const reason = failureText(context.getNode(), handled.error);
		context.logger.warn(
			`Callbacks cannot be checked; their runs are checked again until they can be: ${reason}`,
		);
	}
	return refuseCallback(context, 503, 'The service could not be asked about the run. Call again.');
}

/** What a callback says of a run. Nothing of it is trusted. */
interface Callback {
	taskId: string;
	/** The status that it announces. */
	announced: string | undefined;
	api: RunApi;
}

/** A callback, and what it takes to handle it. */
interface Call extends Callback {
	context: IWebhookFunctions;
	state: TriggerState;
	/** Aborts when the answer is due. */
	tooLate: AbortSignal;
}

async function handleCallback(call: Call): Promise<IWebhookResponseData> {
	const { taskId, announced, tooLate, state } = call;
	return await state.turns.inTurn(taskId, tooLate, async () => {
		tooLate.throwIfAborted();
		if (!state.memory.mayHaveChanged(taskId, toRunStatus(announced))) {
			return { answer: received('This event was received before.') };
		}
		return await verify(call);
	});
}

async function verify(call: Call): Promise<TurnResult<IWebhookResponseData>> {
	const { context, taskId, announced, api, tooLate, state } = call;
	const { memory } = state;
	const settings = EVENTS.read(valuesOfTrigger(context));
	const client = await withSignal(tooLate, state.connect(context));
	const run = await readRunOf(call, client);
	if (run === undefined) {
		// It is not checked any more if that was the API that shows it. The status that was reported stays known.
		if (memory.apiOf(taskId) === api && memory.stopChecking(taskId)) keepReported(context, memory);
		// It may call back before it knows the run.
		const message = 'The service does not know this run yet. Call again.';
		return { answer: refuseCallback(context, 503, message) };
	}
	const status = toRunStatus(run.status);
	if (!memory.hasChanged(taskId, status)) {
		return { answer: received('There is nothing new.'), settled: pause(REST_MS, undefined) };
	}
	const change = { taskId, before: memory.statusOf(taskId), status };
	// The run has changed since the service sent this callback.
	const isLate = announced !== undefined && toRunStatus(announced) !== status;
	const late = isLate ? { late: true } : {};
	const events = eventsOf(change, settings.filter, run).map((event) => ({ ...event, ...late }));
	const filesTooLate = AbortSignal.timeout(FILES_WITHIN_MS);
	// Node 20 drops a timeout that nobody listens to, although others depend on it (`AbortSignal.any`).
	filesTooLate.addEventListener('abort', () => undefined);
	const signal = AbortSignal.any([tooLate, filesTooLate]);
	const reading = { context, client, request: api.detailRequest(taskId), run, signal };
	const read = await withSignal(tooLate, eventItems(reading, events, settings));
	// Another process may get a callback about the same end.
	const isEnd = isProduction(context) && isTerminal(status);
	const items = isEnd ? markEnd(context, read, taskId) : read;
	const recordReported = (): void => {
		// When the run was created does not matter here.
		memory.record(taskId, status, 0, api);
		keepReported(context, memory);
	};
	if (items.length > 0) return startingAnswer(responseOf(context), items, recordReported);
	recordReported();
	return { answer: received('Nothing of this event is wanted.') };
}

/** Reads the run, again while its details lag behind its status; undefined if the service knows no such run. */
async function readRunOf(call: Call, client: ServiceClient): Promise<JsonObject | undefined> {
	const { context, taskId, api, tooLate, state } = call;
	const isKnown = state.memory.statusOf(taskId) !== undefined || ownTaskIdOf(context) === taskId;
	const read = async () => await ifKnown(readRun(client, api, taskId));
	for (;;) {
		const run = await state.limiter.read(isKnown, tooLate, read);
		if (run === undefined || !(await isStale(call, client, run))) return run;
		await pause(REREAD_AFTER_MS, tooLate);
	}
}

/** Whether the details of a run are stale: they show it running although it has ended, as its callback and its status say. */
async function isStale(call: Call, client: ServiceClient, run: JsonObject): Promise<boolean> {
	const { taskId, announced, api, tooLate, state } = call;
	const saysEnd = announced === undefined || isTerminal(toRunStatus(announced));
	if (!saysEnd || isTerminal(toRunStatus(run.status))) return false;
	const read = async () => await client.send(api.statusRequest(taskId));
	const reading = await attempt(state.limiter.read(true, tooLate, read));
	return reading.ok && isTerminal(toRunStatus(textAt(reading.value, 'status')));
}

/** What a call is about: a run, or all open ones. Undefined if it names no run. */
async function subjectOf(context: IWebhookFunctions): Promise<Callback | 'openRuns' | undefined> {
	const query: unknown = context.getQueryData();
	const isCheck = isJsonObject(query) && CHECK_KEY in query;
	const body = isCheck ? query : await bodyOf(context);
	const taskId = taskIdIn(body);
	if (taskId === undefined) return isCheck ? 'openRuns' : undefined;
	// An ID that cannot be put into a path throws.
	const isUsable = (await attempt(() => V3_RUNS.detailRequest(taskId))).ok;
	if (!isUsable || taskId.length > MAX_ID_LENGTH) return undefined;
	return { taskId, announced: textAt(body, 'status'), api: runApiOf(body) };
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
