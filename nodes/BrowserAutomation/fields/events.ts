import { EVENT_FILES_FIELDS, readAttachingSettings, type FileSettings } from './files';
import type { Field, Values } from './field';
import { readOptionalId, statusChoices } from './index';
import { InputError } from '../service/errors';
import { isJsonObject } from '../service/json';
import {
	CALLBACK_EVENTS,
	RUN_EVENTS,
	type EventFilter,
	type RunDetail,
	type RunEventName,
} from '../service/runEvents';
import { RUN_STATUSES, type RunStatus } from '../service/runStatus';

/** Several of a few values; in an expression also as text with commas. */
function readSeveral<T extends string>(
	raw: unknown,
	known: readonly T[],
	label: string,
	byDefault: readonly T[],
): T[] {
	if (raw === undefined) return [...byDefault];
	const values: unknown[] =
		typeof raw === 'string' ? raw.split(',').map((value) => value.trim()) : [raw].flat();
	return values.map((value) => {
		const found = known.find((candidate) => candidate === value);
		if (found !== undefined) return found;
		throw new InputError(
			`${label} does not know "${String(value)}"`,
			`Use any of ${known.join(', ')}.`,
		);
	});
}

/** Which events start the workflow. */
function eventsField(offered: readonly RunEventName[]): Field<RunEventName[]> {
	const options = RUN_EVENTS.filter(({ name }) => offered.includes(name));
	return {
		name: 'events',
		parameter: {
			displayName: 'Events',
			type: 'multiOptions',
			required: true,
			default: ['runCompleted'],
			description: 'What starts the workflow',
			options: options.map(({ name, title, description }) => ({
				name: title,
				value: name,
				description,
			})),
		},
		read: (raw) => {
			const events = readSeveral(raw, offered, 'Events', ['runCompleted']);
			if (events.length > 0) return events;
			throw new InputError('No Events are chosen', 'Choose at least one.');
		},
	};
}

export const callbackEventsField = eventsField(CALLBACK_EVENTS.map(({ name }) => name));

export const polledEventsField = eventsField(RUN_EVENTS.map(({ name }) => name));

const TITLES = Object.fromEntries(RUN_EVENTS.map(({ name, title }) => [name, title]));

/** What stands below the node: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${JSON.stringify(TITLES)})[name]).join(", ") }}`;

const statusesFilter: Field<RunStatus[]> = {
	name: 'statuses',
	group: 'filters',
	parameter: {
		displayName: 'Statuses',
		type: 'multiOptions',
		default: [],
		description: 'Only events of runs that now have one of these statuses',
		options: statusChoices(RUN_STATUSES),
	},
	read: (raw) => readSeveral(raw, RUN_STATUSES, 'Statuses', []),
};

const botFilter: Field<string | undefined> = {
	name: 'bot',
	group: 'filters',
	parameter: {
		displayName: 'Bot',
		type: 'resourceLocator',
		default: { mode: 'list', value: '' },
		description: 'Only runs of this bot',
		modes: [
			{
				displayName: 'From List',
				name: 'list',
				type: 'list',
				typeOptions: { searchListMethod: 'searchBots', searchable: true },
			},
			{ displayName: 'By ID', name: 'id', type: 'string', placeholder: 'e.g. 76520131497525' },
		],
	},
	read: (raw) => readOptionalId(isJsonObject(raw) ? raw.value : raw, 'Bot'),
};

const simplifyField: Field<RunDetail> = {
	name: 'simplify',
	parameter: {
		displayName: 'Simplify',
		type: 'boolean',
		default: true,
		description: 'Whether to return a simplified version of the response instead of the raw data',
	},
	read: (raw) => (raw === false ? 'whole' : 'simplified'),
};

/** What both triggers offer beside their events. */
export const EVENT_FIELDS: ReadonlyArray<Field<unknown>> = [
	simplifyField,
	botFilter,
	statusesFilter,
	...EVENT_FILES_FIELDS,
];

/** Which events start the workflow, and how they are shown. */
export interface EventSettings {
	filter: EventFilter;
	detail: RunDetail;
	/** Which files go with it; missing when none. */
	files: FileSettings | undefined;
}

export function readEventSettings(values: Values, eventsOf: Field<RunEventName[]>): EventSettings {
	return {
		filter: {
			events: values(eventsOf),
			statuses: values(statusesFilter),
			botId: values(botFilter),
		},
		detail: values(simplifyField),
		files: readAttachingSettings(values),
	};
}
