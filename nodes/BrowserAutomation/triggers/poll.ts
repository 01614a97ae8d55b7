import {
	NodeOperationError,
	type INodeExecutionData,
	type IPollFunctions,
	type NodeApiError,
} from 'n8n-workflow';

import { failureText, toNodeError } from '../execution/failures';
import { isProduction, isStarting, nodeKey } from '../execution/workflow';
import { EVENTS, POLLING } from '../fields/triggers';
import { valuesOfTrigger } from '../fields/field';
import { mapConcurrently } from '../service/concurrency';
import { InputError, ServiceError } from '../service/errors';
import { PollCursor } from '../service/events/pollCursor';
import { firstCursor, RunPoller, type PolledEvent } from '../service/events/runPoller';
import { limitsOf, withDeadline } from '../service/http/client';
import { isAccessRefusal, isTransient } from '../service/http/retry';
import type { JsonObject } from '../service/json/json';
import { taskIdIn, V3_RUNS } from '../service/runs/runApi';
import { memoryOf } from '../service/processMemory';
import { connect } from '../transport/client';
import { eventItems } from './eventItems';

/** The key of the cursor in the workflow's static data. */
const CURSOR = 'cursor';

/**
 * How long a poll may take if n8n states no time, in milliseconds. After the part `USED_FOR_READING` of it no
 * further page or run is read, after `USED_IN_ALL` no request is sent or repeated, and no file is waited for.
 */
const BUDGET_MS = 60_000;
const USED_FOR_READING = 0.7;
const USED_IN_ALL = 0.9;

/** How many runs a line in the log names. */
const SHOWN_RUNS = 5;

/** The triggers that are polling. n8n may begin a poll before the last one has ended. */
const polling = new Set<string>();

/**
 * The cursors after polls that found nothing, by the trigger's key. n8n's durable scheduler does not store them: its next poll
 * gets the cursor from before (2.41.1: `PollTriggerTaskHandler`). `storedCursor` is that one, as JSON.
 */
const unstoredCursors = memoryOf<{ storedCursor: string; cursor: JsonObject }>('pollCursors');

/** The activations of workflows in which the trigger has polled. n8n makes a context for each. */
const polledActivations = new WeakSet<object>();

/**
 * Polls once: gives the events since the last poll, or null. In the editor it gives the latest run that fits.
 *
 * @throws NodeApiError or NodeOperationError when the service could not be read. As n8n starts, the error makes a failed execution
 * in place of that: n8n would give the trigger up for good (2.41.1: `executePollTrigger` in active-workflow-triggers.js)
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const isPublished = isProduction(context);
	const key = nodeKey(context);
	if (isPublished && polling.has(key)) return null;
	try {
		if (!isPublished) return await readSample(context);
		polling.add(key);
		return await readChanges(context);
	} catch (error) {
		const nodeError = toNodeError(context.getNode(), error, 0);
		Object.assign(nodeError, { failure: failureOf(error) });
		if (!isPublished || !isStarting(context) || polledActivations.has(context)) throw nodeError;
		polledActivations.add(context);
		context.__emitError(nodeError);
		return null;
	} finally {
		if (isPublished) polling.delete(key);
	}
}

/** Why a poll has failed, for n8n's back-off (2.41.1: `pollFailureFromError`; older ones have none). */
function failureOf(error: unknown): NodeApiError['failure'] | undefined {
	if (isAccessRefusal(error)) return { cause: 'credential-invalid' };
	if (error instanceof InputError) return { cause: 'configuration-invalid' };
	if (!isTransient(error)) return undefined;
	const { httpStatus, retryAfterMs } = error instanceof ServiceError ? error.facts : {};
	const cause = httpStatus === 429 ? 'rate-limited' : 'temporarily-unavailable';
	return { cause, ...(retryAfterMs !== undefined && { retryAfterMs }) };
}

/** Polls from the cursor on, keeps the new cursor, and makes items of the events; null without any. */
async function readChanges(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const staticData = context.getWorkflowStaticData('node');
	const { options, toItems } = await prepare(context);
	const { client, filter } = options;
	const { lookBackMs, beginsAnew } = POLLING.read(valuesOfTrigger(context));
	const now = Date.now();
	const lookBackTo = lookBackMs > 0 ? now - lookBackMs : undefined;
	const isFirst = context.getActivationMode() === 'activate' && !polledActivations.has(context);
	const key = nodeKey(context);
	const stored = JSON.stringify(staticData[CURSOR] ?? null);
	const last = unstoredCursors.get(key);
	const before = PollCursor.read(last?.storedCursor === stored ? last.cursor : staticData[CURSOR]);
	if (isFirst && lookBackTo !== undefined) before?.forgetBefore(lookBackTo);
	const isContinued = before?.botId === filter.botId && !(isFirst && beginsAnew);
	const kept = isContinued ? before : undefined;
	const position = kept ?? (await firstCursor(client, filter.botId, lookBackTo, now));
	const poller = new RunPoller(options, position);
	// At first without a look back, all present runs count as reported.
	if (kept !== undefined || lookBackTo !== undefined) await poller.poll();
	warnOfUnread(context, poller);
	const items = await toItems(poller.events);
	polledActivations.add(context);
	const cursor = position.write();
	staticData[CURSOR] = cursor;
	// Each error makes a failed execution of its own.
	for (const { error } of items) if (error !== undefined) context.__emitError(error);
	const passed = items.filter(({ error }) => error === undefined);
	if (passed.length > 0) return [passed];
	unstoredCursors.set(key, { storedCursor: stored, cursor }, Infinity);
	return null;
}

/** Names the runs that could not be read in n8n's log: in one line, however many there are, and without secrets. */
function warnOfUnread(context: IPollFunctions, { unread }: RunPoller): void {
	const [first] = unread;
	if (first === undefined) return;
	const shown = unread.slice(0, SHOWN_RUNS).map(({ taskId }) => taskId);
	if (unread.length > shown.length) shown.push(`${unread.length - shown.length} more`);
	const runs = failureText(context.getNode(), shown.join(', '));
	const reason = failureText(context.getNode(), first.error);
	context.logger.warn(
		`Runs that could not be read are read again at the next poll: ${runs}. ${reason}`,
	);
}

async function readSample(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const { options, toItems } = await prepare(context);
	const { filter } = options;
	const poller = new RunPoller(options, new PollCursor(filter.botId, 0));
	const { latest, count, statuses } = await poller.sample();
	if (latest !== undefined) {
		const items = await toItems([latest]);
		if (items[0]?.error !== undefined) throw items[0].error;
		return [items];
	}
	const status = statuses.length > 0 && statuses.join(' or ');
	const which = [filter.botId && `bot ${filter.botId}`, status].filter(Boolean).join(', ');
	const among = count === 0 ? 'your runs' : `your latest ${count}`;
	const message = `No matching run among ${among}${which && ` (${which})`}`;
	throw new NodeOperationError(context.getNode(), message, {
		description: "Start a run of the bot, or loosen 'Events' and 'Filters', then try again.",
	});
}

/**
 * What a poller needs, and a function that makes items of its events. It downloads the files of a run once for all
 * events of a poll, and stops when the time is up.
 */
async function prepare(context: IPollFunctions) {
	const settings = EVENTS.read(valuesOfTrigger(context));
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : BUDGET_MS;
	const client = withDeadline(await connect(context), Date.now() + budget * USED_IN_ALL);
	const until = Date.now() + budget * USED_FOR_READING;
	const hasTime = (): boolean => Date.now() < until;
	const signal = AbortSignal.timeout(Math.ceil(budget * USED_IN_ALL));
	const { filter } = settings;
	const toItems = async (polled: PolledEvent[]): Promise<INodeExecutionData[]> => {
		const runs = [...new Set(polled.map((each) => each.run))];
		// Together, as each may wait some seconds for a late output.
		const items = await mapConcurrently(runs, limitsOf(client).concurrency, async (run) => {
			const events = polled.flatMap((each) => (each.run === run ? each.event : []));
			const request = V3_RUNS.detailRequest(taskIdIn(run) ?? '');
			return await eventItems({ context, client, request, run, signal }, events, settings);
		});
		return items.flat();
	};
	return { options: { client, filter, hasTime }, toItems };
}
