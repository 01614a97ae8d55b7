import {
	NodeOperationError,
	type IDataObject,
	type INodeExecutionData,
	type IPollFunctions,
} from 'n8n-workflow';

import type { Field } from '../execution/field';
import { toNodeError } from '../execution/failures';
import { connect } from '../execution/request';
import { InputError } from '../service/errors';
import { presentEvent, type RunDetail } from '../service/runEvents';
import {
	beginWatch,
	pollRuns,
	sampleEvent,
	type Sighting,
	type Watching,
} from '../service/runWatch';
import { WatchState } from '../service/watchState';
import { polledEventsField, readEventSettings } from './eventFields';
import { triggerKey, valuesOfTrigger } from './values';

/** Where the workflow keeps the state for the trigger. */
const WATCH = 'watch';

/** The part of n8n's budget for a poll after which no new request is begun. */
const USED_OF_BUDGET = 0.7;

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
	const key = triggerKey(context);
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
	const kept = context.getWorkflowStaticData('node');
	const { watching, detail } = await prepare(context);
	const hours = valuesOfTrigger(context)(lookBackOption);
	const known = WatchState.read(plain(kept[WATCH]));
	const isFirst = context.getActivationMode() === 'activate' && !begun.has(context);
	let state = known;
	if (state === undefined || isFirst || state.botId !== watching.filter.botId) {
		const now = Date.now();
		const from = hours > 0 ? now - hours * MS_PER_HOUR : undefined;
		state = await beginWatch(watching, from, now);
		if (from === undefined) return finish(context, kept, { state, sightings: [] }, detail);
	}
	return finish(context, kept, await pollRuns(watching, state), detail);
}

function finish(
	context: IPollFunctions,
	kept: IDataObject,
	{ state, sightings }: { state: WatchState; sightings: Sighting[] },
	detail: RunDetail,
): INodeExecutionData[][] | null {
	begun.add(context);
	kept[WATCH] = state.write();
	return sightings.length === 0 ? null : [sightings.map((sighting) => toItem(sighting, detail))];
}

async function readSample(context: IPollFunctions): Promise<INodeExecutionData[][]> {
	const { watching, detail } = await prepare(context);
	const sample = await sampleEvent(watching);
	if (sample !== undefined) return [[toItem(sample, detail)]];
	throw new NodeOperationError(context.getNode(), 'There is no run yet that fits', {
		description: 'Start a run of the bot, or loosen Events and Filters, then fetch again.',
	});
}

async function prepare(
	context: IPollFunctions,
): Promise<{ watching: Watching; detail: RunDetail }> {
	const { filter, detail } = readEventSettings(valuesOfTrigger(context), polledEventsField);
	const client = await connect(context);
	const budget = 'getPollBudgetMs' in context ? context.getPollBudgetMs() : BUDGET_MS;
	const until = Date.now() + budget * USED_OF_BUDGET;
	return { watching: { client, filter, hasTime: () => Date.now() < until }, detail };
}

function toItem({ event, run }: Sighting, detail: RunDetail): INodeExecutionData {
	return { json: presentEvent(event, run, detail) };
}

/** What the workflow keeps, without n8n's observing wrapper. */
function plain(value: unknown): unknown {
	return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
