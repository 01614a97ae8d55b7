import { NodeOperationError, type INodeExecutionData, type IPollFunctions } from 'n8n-workflow';

import { taskIdOf } from '../execution/files/downloadFiles';
import type { Field } from '../fields/field';
import { toNodeError } from '../execution/failures';
import { nodeKey } from '../transport/nodeKey';
import { connect } from '../transport/client';
import { InputError } from '../service/errors';
import type { JsonObject } from '../service/json';
import type { RunEvent } from '../service/runEvents';
import { V3_RUNS } from '../service/runs';
import {
	beginWatch,
	pollRuns,
	sampleEvent,
	type Sighting,
	type Watched,
	type Watching,
} from '../service/runPoller';
import { PollCursor } from '../service/pollCursor';
import { polledEventsField, readEventSettings, type EventSettings } from '../fields/events';
import { eventItems } from './eventItems';
import { valuesOfTrigger } from '../fields/triggerValues';

/** Where the workflow keeps the state for the trigger. */
const WATCH = 'watch';

/** The part of n8n's budget for a poll after which no new request is begun. */
const USED_FOR_READING = 0.7;

/** The part of it after which no file is waited for. */
const USED_IN_ALL = 0.9;

/** The budget of a poll in an n8n that tells none, in milliseconds. */
const BUDGET_MS = 60_000;

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
			'How far before the activation of the workflow to begin. Without this option the trigger begins at the activation.',
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
	const isManual = context.getMode() === 'manual';
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
	const kept = context.getWorkflowStaticData('node')[WATCH];
	const prepared = await prepare(context);
	const { watching } = prepared;
	const hours = valuesOfTrigger(context)(lookBackOption);
	const known = PollCursor.read(plain(kept));
	const isFirst = context.getActivationMode() === 'activate' && !begun.has(context);
	let state = known;
	if (state === undefined || isFirst || state.botId !== watching.filter.botId) {
		const now = Date.now();
		const from = hours > 0 ? now - hours * MS_PER_HOUR : undefined;
		state = await beginWatch(watching, from, now);
		if (from === undefined) return await finish(context, prepared, { state, sightings: [] });
	}
	return await finish(context, prepared, await pollRuns(watching, state));
}

async function finish(
	context: IPollFunctions,
	prepared: Prepared,
	{ state, sightings }: Watched,
): Promise<INodeExecutionData[][] | null> {
	const items = await toItems(context, prepared, sightings);
	begun.add(context);
	context.getWorkflowStaticData('node')[WATCH] = state.write();
	return items.length === 0 ? null : [items];
}

async function readSample(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const prepared = await prepare(context);
	const sample = await sampleEvent(prepared.watching);
	if (sample !== undefined) return [await toItems(context, prepared, [sample])];
	throw new NodeOperationError(context.getNode(), 'There is no run yet that fits', {
		description: 'Start a run of the bot, or loosen Events and Filters, then fetch again.',
	});
}

/** What a poll needs. */
interface Prepared {
	watching: Watching;
	settings: EventSettings;
	/** Until when the poll may take, in milliseconds since 1970. */
	until: number;
}

async function prepare(context: IPollFunctions): Promise<Prepared> {
	const settings = readEventSettings(valuesOfTrigger(context), polledEventsField);
	const client = await connect(context);
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : BUDGET_MS;
	const begin = Date.now();
	const { filter } = settings;
	const hasTime = (): boolean => Date.now() < begin + budget * USED_FOR_READING;
	return { watching: { client, filter, hasTime }, settings, until: begin + budget * USED_IN_ALL };
}

/** Events as items. The files of a run are downloaded once for all that one look at it has shown. */
async function toItems(
	context: IPollFunctions,
	{ watching: { client }, settings, until }: Prepared,
	sightings: Sighting[],
): Promise<INodeExecutionData[]> {
	const signal = AbortSignal.timeout(Math.max(0, until - Date.now()));
	const byRun = new Map<JsonObject, RunEvent[]>();
	for (const { run, event } of sightings) byRun.set(run, [...(byRun.get(run) ?? []), event]);
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
