import { EVENT_FILES_FIELDS, readEventFiles } from './files';
import type { Field, Values } from './field';
import { readStateOutput, STATE_FIELDS, type ResultSettings } from './output';
import { readChoices } from './parseValue';
import { botIdFilter } from './records';
import { InputError } from '../service/errors';
import {
	END_EVENTS,
	RUN_EVENTS,
	type EventFilter,
	type RunEventName,
} from '../service/events/runEvents';

const NAMES = RUN_EVENTS.map(({ name }) => name);

/** Which events start the workflow. */
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
	read: (raw = [...END_EVENTS]) => readChoices(raw, NAMES, 'Events'),
};

const TITLES = Object.fromEntries(RUN_EVENTS.map(({ name, title }) => [name, title]));

/** What stands below the node: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${JSON.stringify(TITLES)})[name]).join(", ") }}`;

const botFilter: Field<string | undefined> = { ...botIdFilter, name: 'bot' };

/** What both triggers offer. */
export const EVENT_FIELDS: ReadonlyArray<Field<unknown>> = [
	eventsField,
	...STATE_FIELDS,
	botFilter,
	...EVENT_FILES_FIELDS,
];

const lookBackOption: Field<number> = {
	name: 'lookBack',
	group: 'options',
	parameter: {
		displayName: 'Look Back (Hours)',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 4 },
		default: 24,
		description:
			'How many hours before publishing (activating) the workflow to begin, or to go back at most when published again. By default it begins at that moment, and goes back as far as needed.',
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
const publishedAgainOption: Field<'goOn' | 'beginAnew'> = {
	name: 'whenPublishedAgain',
	group: 'options',
	parameter: {
		displayName: 'When Published Again',
		type: 'options',
		default: 'goOn',
		description:
			'What to do with events from the time when the workflow was unpublished (deactivated)',
		options: [
			{ name: 'Begin Anew', value: 'beginAnew', description: 'Leave them out' },
			{ name: 'Go On Where It Was', value: 'goOn', description: 'Report them at the first poll' },
		],
	},
	read: (raw) => (raw === 'beginAnew' ? raw : 'goOn'),
};

/** What a user fills in at the trigger that looks by itself. */
export const POLLING_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	...EVENT_FIELDS,
	lookBackOption,
	publishedAgainOption,
];

/** Where the polling trigger begins: so many hours back, and whether also when it is published again. */
export function readPollSettings(values: Values): { hours: number; beginsAnew: boolean } {
	return {
		hours: values(lookBackOption),
		beginsAnew: values(publishedAgainOption) === 'beginAnew',
	};
}

/** Which events start the workflow, and what of their runs and files goes with them. */
export interface EventSettings extends ResultSettings {
	filter: EventFilter;
	/** Whether an event without any of the wanted files starts nothing. */
	skipsWithoutFile: boolean;
}

/** @throws InputError naming the field that is missing or wrong */
export function readEventSettings(values: Values): EventSettings {
	return {
		filter: { events: values(eventsField), botId: values(botFilter) },
		...readStateOutput(values),
		...readEventFiles(values),
	};
}
