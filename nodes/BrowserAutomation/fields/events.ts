import { EVENT_FILES_FIELDS, readAttachingSettings, type FileSettings } from './files';
import type { Field, Values } from './field';
import { locatorFilter } from './fieldBuilders';
import { InputError } from '../service/errors';
import {
	END_EVENTS,
	RUN_EVENTS,
	type EventFilter,
	type RunDetail,
	type RunEventName,
} from '../service/events/runEvents';

const NAMES = RUN_EVENTS.map(({ name }) => name);

/** Which events start the workflow; in an expression also as text with commas. */
const eventsField: Field<RunEventName[]> = {
	name: 'events',
	parameter: {
		displayName: 'Events',
		type: 'multiOptions',
		required: true,
		default: [...END_EVENTS],
		description: 'What starts the workflow',
		options: [...RUN_EVENTS]
			.sort((a, b) => (a.title < b.title ? -1 : 1))
			.map(({ name, title, description }) => ({ name: title, value: name, description })),
	},
	read: (raw) => {
		const values: unknown[] =
			typeof raw === 'string' ? raw.split(',').map((value) => value.trim()) : [raw ?? END_EVENTS];
		const events = values.flat().map((value) => {
			const found = NAMES.find((name) => name === value);
			if (found !== undefined) return found;
			throw new InputError(
				`Events does not know "${String(value)}"`,
				`Use any of ${NAMES.join(', ')}.`,
			);
		});
		if (events.length > 0) return events;
		throw new InputError('No Events are chosen', 'Choose at least one.');
	},
};

const TITLES = Object.fromEntries(RUN_EVENTS.map(({ name, title }) => [name, title]));

/** What stands below the node: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${JSON.stringify(TITLES)})[name]).join(", ") }}`;

const botFilter = locatorFilter(
	{
		name: 'bot',
		displayName: 'Bot',
		description: 'Only runs of this bot',
		placeholder: 'e.g. 76520131497525',
	},
	'searchBots',
);

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

/** What both triggers offer. */
export const EVENT_FIELDS: ReadonlyArray<Field<unknown>> = [
	eventsField,
	simplifyField,
	botFilter,
	...EVENT_FILES_FIELDS,
];

/** Which events start the workflow, and how they are shown. */
export interface EventSettings {
	filter: EventFilter;
	detail: RunDetail;
	/** Which files go with it; missing when none. */
	files: FileSettings | undefined;
}

export function readEventSettings(values: Values): EventSettings {
	return {
		filter: { events: values(eventsField), botId: values(botFilter) },
		detail: values(simplifyField),
		files: readAttachingSettings(values),
	};
}
