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
import { partOf, type JsonObject } from '../service/json/json';
import { taskIdIn, V3_RUNS } from '../service/runs/runApi';
import { nameList } from '../service/schema/wording';
import { memoryOf } from '../service/processMemory';
import { connect } from '../transport/client';
import { credentialIdOf } from '../transport/credentials';
import { eventItems } from './eventItems';

/** The key of the cursor in the workflow's static data. */
const CURSOR = 'cursor';

/** How long a poll may take if n8n states no time, in milliseconds. */
const BUDGET_MS = 60_000;
/** After which part of its time no further page or run is read, and after which no request is sent and no file waited for. */
const USED_FOR_READING = 0.7;
const USED_IN_ALL = 0.9;

/** The triggers that are polling. n8n may begin a poll before the last one has ended. */
const polling = new Set<string>();

/** Cursors by the trigger's key. */
const cursors = memoryOf<Remembered>('pollCursors');

interface Remembered {
	/** The trigger's name. n8n keeps its cursor by that: one that was renamed goes on from `latest`. */
	name: string;
	latest: JsonObject;
	/**
	 * The cursor after a poll that found nothing, which n8n does not store: after an edit of the workflow, and with its durable
	 * scheduler at each poll (2.41.1: `PollTriggerTaskHandler`), the trigger gets one from before. `stored` are those that it may have,
	 * as JSON: n8n stores the first one of an activation, but not always (2.41.1).
	 */
	unstored: { stored: string[]; cursor: JsonObject } | undefined;
}

/** How many of them are remembered of each trigger. */
const MAX_STORED = 4;

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
	const stored = textOf(staticData[CURSOR]);
	const remembered = cursors.get(key);
	const { name } = context.getNode();
	const isRenamed = remembered !== undefined && remembered.name !== name;
	const last = isRenamed ? undefined : remembered?.unstored;
	const runsOf = [credentialIdOf(context), client.baseUrl, filter.botId].join(' ');
	const newestIn = (cursor: unknown): number =>
		partOf(cursor, 'runsOf') === runsOf ? Number(partOf(cursor, 'newest')) : 0;
	const own = last?.stored.includes(stored) ? last.cursor : staticData[CURSOR];
	const { latest } = isRenamed ? remembered : {};
	const kept = latest !== undefined && newestIn(latest) >= newestIn(own) ? latest : own;
	const isContinued = partOf(kept, 'runsOf') === runsOf && !(isFirst && beginsAnew);
	const before = isContinued ? PollCursor.read(kept) : undefined;
	if (isFirst && lookBackTo !== undefined) before?.forgetBefore(lookBackTo);
	const position = before ?? (await firstCursor(client, filter.botId, lookBackTo, now));
	const poller = new RunPoller(options, position);
	const { partialAt } = position;
	// At first without a look back, all present runs count as reported.
	if (before !== undefined || lookBackTo !== undefined) await poller.poll();
	warnOfUnread(context, poller);
	if (partialAt === undefined && position.partialAt !== undefined) {
		const lack = 'The list of runs shows fewer runs than it counts, or some without a date';
		context.logger.warn(`${lack}. If that lasts, polls go on without these.`);
	}
	if (poller.foundTooMany) {
		const found = `This poll has found ${poller.events.length} events, as many as one takes`;
		context.logger.warn(`${found}: the next poll goes on.`);
	}
	const items = await toItems(poller.events);
	polledActivations.add(context);
	const cursor = { runsOf, ...position.write() };
	staticData[CURSOR] = cursor;
	// Each error makes a failed execution of its own.
	for (const { error } of items) if (error !== undefined) context.__emitError(error);
	const passed = items.filter(({ error }) => error === undefined);
	cursors.set(key, { name, latest: cursor, unstored: last }, Infinity);
	if (passed.length > 0) return [passed];
	// n8n may have kept the last cursor in memory.
	const earlier = last !== undefined && textOf(last.cursor) === stored ? last.stored : [];
	const mayBeStored = earlier.length === 0 || isFirst ? [stored, textOf(cursor)] : [];
	const known = [...earlier, ...mayBeStored].slice(-MAX_STORED);
	cursors.set(key, { name, latest: cursor, unstored: { stored: known, cursor } }, Infinity);
	return null;
}

const textOf = (cursor: unknown): string => JSON.stringify(cursor ?? null);

/** Names the runs that could not be read in n8n's log: in one line, however many there are, and without secrets. */
function warnOfUnread(context: IPollFunctions, { unread }: RunPoller): void {
	const [first] = unread;
	if (first === undefined) return;
	const names = nameList(unread.map(({ taskId }) => taskId));
	const runs = failureText(context.getNode(), names);
	const reason = failureText(context.getNode(), first.error);
	context.logger.warn(
		`Runs that could not be read are read again at the next poll: ${runs}. ${reason}`,
	);
}

async function readSample(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const { options, toItems } = await prepare(context);
	const { filter } = options;
	const poller = new RunPoller(options, new PollCursor(0));
	const { items, count, hasFitting, statuses } = await poller.sample(toItems);
	if (items[0]?.error !== undefined) throw items[0].error;
	if (items.length > 0) return [items];
	const status = statuses.length > 0 && statuses.join(' or ');
	const which = [filter.botId && `bot ${filter.botId}`, status].filter(Boolean).join(', ');
	const among = count === 0 ? 'your runs' : `your latest ${count}`;
	const lack = hasFitting ? ' has rows, or the chosen files' : '';
	const message = `No matching run among ${among}${which && ` (${which})`}${lack}`;
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
