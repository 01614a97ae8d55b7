import { NodeOperationError, type INodeExecutionData, type IPollFunctions } from 'n8n-workflow';

import { taskIdOf } from '../execution/files/downloadFiles';
import type { Field } from '../fields/field';
import { failureText, toNodeError } from '../execution/failures';
import { isProduction } from '../execution/mode';
import { nodeKey } from '../transport/nodeKey';
import { connect } from '../transport/client';
import { InputError } from '../service/errors';
import type { JsonObject } from '../service/json/json';
import type { ServiceClient } from '../service/http/client';
import type { RunEvent } from '../service/events/runEvents';
import { V3_RUNS } from '../service/runs/runApi';
import { RunPoller, type PolledEvent, type PollResult } from '../service/events/runPoller';
import { PollCursor } from '../service/events/pollCursor';
import { readEventSettings, type EventSettings } from '../fields/events';
import { eventItems } from './eventItems';
import { valuesOfTrigger } from '../fields/values';

/** Where the workflow keeps the cursor for the trigger. */
const CURSOR = 'cursor';

/** The part of n8n's budget for a poll after which no new request is begun. */
const USED_FOR_READING = 0.7;

/** The part of it after which no file is waited for. */
const USED_IN_ALL = 0.9;

/** The budget of a poll in an n8n that tells none, in milliseconds. */
const BUDGET_MS = 60_000;

/** How many runs a line of the log names. */
const SHOWN_RUNS = 5;

const MS_PER_HOUR = 3_600_000;

export const lookBackOption: Field<number> = {
	name: 'lookBack',
	group: 'options',
	parameter: {
		displayName: 'Look Back (Hours)',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 4 },
		default: 24,
		description:
			'How many hours before the workflow is published (activated) to begin; when it goes on where it was, how many hours to go back at most. Without this option the trigger begins at that moment, and goes back as far as needed.',
	},
	read: (raw) => {
		const hours = Number(raw ?? 0);
		if (Number.isFinite(hours) && hours >= 0) return hours;
		throw new InputError(
			'Look Back is not a number of hours',
			'Enter e.g. 24, or remove the option.',
		);
	},
};

/** Whether runs are told of that began or ended while the workflow was not published. */
export const publishedAgainOption: Field<'goOn' | 'beginAnew'> = {
	name: 'whenPublishedAgain',
	group: 'options',
	parameter: {
		displayName: 'When Published Again',
		type: 'options',
		default: 'goOn',
		description: 'What to do with runs from while the workflow was unpublished (deactivated)',
		options: [
			{ name: 'Begin Anew', value: 'beginAnew', description: 'They are not told' },
			{ name: 'Go On Where It Was', value: 'goOn', description: 'They are told at the first poll' },
		],
	},
	read: (raw) => (raw === 'beginAnew' ? raw : 'goOn'),
};

/** Polls under way: n8n may begin one while the last one has not ended. */
const polling = new Set<string>();

/** Activations whose first poll was made. */
const begun = new WeakSet<object>();

/**
 * One poll: the events since the last one, or nothing. In the editor it is the latest run that fits.
 *
 * @throws NodeApiError or NodeOperationError when the service could not be asked
 */
export async function poll(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const key = nodeKey(context);
	const isManual = !isProduction(context);
	if (!isManual && polling.has(key)) return null;
	if (!isManual) polling.add(key);
	try {
		return isManual ? await readSample(context) : await readNews(context);
	} catch (error) {
		throw toNodeError(context.getNode(), error, 0);
	} finally {
		if (!isManual) polling.delete(key);
	}
}

async function readNews(context: IPollFunctions): Promise<INodeExecutionData[][] | null> {
	const kept = context.getWorkflowStaticData('node');
	const prepared = await prepare(context);
	const { poller, settings } = prepared;
	const values = valuesOfTrigger(context);
	const hours = values(lookBackOption);
	const now = Date.now();
	const from = hours > 0 ? now - hours * MS_PER_HOUR : undefined;
	const isFirst = context.getActivationMode() === 'activate' && !begun.has(context);
	const isAnew = isFirst && values(publishedAgainOption) === 'beginAnew';
	let cursor = PollCursor.read(plain(kept[CURSOR]));
	if (isFirst && from !== undefined) cursor?.forgetBefore(from);
	if (cursor === undefined || isAnew || cursor.botId !== settings.filter.botId) {
		cursor = await poller.begin(from, now);
		if (from === undefined) {
			return await finish(context, prepared, { cursor, events: [], unread: [], odd: [] });
		}
	}
	return await finish(context, prepared, await poller.poll(cursor));
}

async function finish(
	context: IPollFunctions,
	prepared: Prepared,
	{ cursor, events, unread, odd }: PollResult,
): Promise<INodeExecutionData[][] | null> {
	const reason = failureText(context.getNode(), unread[0]?.error);
	const taskIds = unread.map(({ taskId }) => taskId);
	warnOf(context, 'Runs that could not be read are read again at the next poll', taskIds, reason);
	warnOf(context, 'Runs are dated ahead of the service’s own time. They are told once', odd, '');
	const items = await toItems(context, prepared, events);
	begun.add(context);
	const kept = context.getWorkflowStaticData('node');
	kept[CURSOR] = cursor.write();
	return items.length === 0 ? null : [items];
}

/** One line in n8n's log, however many runs it is about. */
function warnOf(context: IPollFunctions, what: string, taskIds: string[], reason: string): void {
	if (taskIds.length === 0) return;
	const shown = taskIds.slice(0, SHOWN_RUNS);
	if (taskIds.length > shown.length) shown.push(`${taskIds.length - shown.length} more`);
	const named = failureText(context.getNode(), shown.join(', '));
	context.logger.warn(`${what}: ${named}. ${reason}`.trim());
}

async function readSample(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const prepared = await prepare(context);
	const sample = await prepared.poller.sample();
	if (sample !== undefined) return [await toItems(context, prepared, [sample])];
	throw new NodeOperationError(context.getNode(), 'There is no run yet that fits', {
		description: 'Start a run of the bot, or loosen Events and Filters, then try again.',
	});
}

/** What a poll needs. */
interface Prepared {
	client: ServiceClient;
	poller: RunPoller;
	settings: EventSettings;
	/** Until when the poll may take, in milliseconds since 1970. */
	until: number;
}

async function prepare(context: IPollFunctions): Promise<Prepared> {
	const settings = readEventSettings(valuesOfTrigger(context));
	const client = await connect(context);
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : BUDGET_MS;
	const begin = Date.now();
	const { filter } = settings;
	const hasTime = (): boolean => Date.now() < begin + budget * USED_FOR_READING;
	const poller = new RunPoller({ client, filter, hasTime });
	return { client, poller, settings, until: begin + budget * USED_IN_ALL };
}

/** Events as items. The files of a run are downloaded once for all that one look at it has shown. */
async function toItems(
	context: IPollFunctions,
	{ client, settings, until }: Prepared,
	polled: PolledEvent[],
): Promise<INodeExecutionData[]> {
	const signal = AbortSignal.timeout(Math.max(0, until - Date.now()));
	const byRun = new Map<JsonObject, RunEvent[]>();
	for (const { run, event } of polled) byRun.set(run, [...(byRun.get(run) ?? []), event]);
	const items: INodeExecutionData[] = [];
	for (const [run, events] of byRun) {
		const request = V3_RUNS.detailRequest(taskIdOf(run));
		items.push(...(await eventItems({ context, client, request, run, signal }, events, settings)));
	}
	return items;
}

/** What the workflow keeps, without n8n's observing wrapper. */
function plain(value: unknown): unknown {
	return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
