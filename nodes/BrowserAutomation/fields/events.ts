import { EVENT_FILES_FIELDS, readEventFiles } from './files';
import type { Field, Values } from './field';
import { choice, multiChoice, numberOption } from './fieldBuilders';
import { readStateOutput, STATE_FIELDS, type ResultSettings } from './output';
import { RUN_FILTERS } from './records';
import { END_EVENTS, RUN_EVENTS, type EventFilter } from '../service/events/runEvents';

const MS_PER_HOUR = 3_600_000;

const eventsField = multiChoice({
	name: 'events',
	displayName: 'Events',
	required: true,
	default: END_EVENTS,
	description: 'What starts the workflow',
	choices: RUN_EVENTS,
});

const TITLES = Object.fromEntries(
	Object.entries(RUN_EVENTS).map(([name, [title]]) => [name, title]),
);

/** What stands below the node: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${JSON.stringify(TITLES)})[name]).join(", ") }}`;

const botFilter: Field<string | undefined> = { ...RUN_FILTERS.bot_id, name: 'bot' };

/** What both triggers offer. */
export const EVENT_FIELDS: ReadonlyArray<Field<unknown>> = [
	eventsField,
	...STATE_FIELDS,
	botFilter,
	...EVENT_FILES_FIELDS,
];

const lookBackOption = numberOption({
	name: 'lookBack',
	displayName: 'Look Back (Hours)',
	default: 24,
	absent: 0,
	description:
		'How many hours before publishing (activating) the workflow to begin, or to go back at most when published again. By default it begins at that moment, and goes back as far as needed.',
	isFraction: true,
	unit: MS_PER_HOUR,
});

const publishedAgainOption = choice({
	name: 'whenPublishedAgain',
	under: 'options',
	displayName: 'When Published Again',
	default: 'goOn',
	description:
		'What to do with events from the time when the workflow was unpublished (deactivated)',
	choices: {
		beginAnew: ['Begin Anew', 'Leave them out'],
		goOn: ['Go On Where It Was', 'Report them at the first poll'],
	},
});

/** What a user fills in at the trigger that looks by itself. */
export const POLLING_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	...EVENT_FIELDS,
	lookBackOption,
	publishedAgainOption,
];

/** Where the polling trigger begins: so long before, in milliseconds, and whether also when it is published again. */
export function readPollSettings(values: Values): { lookBackMs: number; beginsAnew: boolean } {
	const beginsAnew = values(publishedAgainOption) === 'beginAnew';
	return { lookBackMs: values(lookBackOption), beginsAnew };
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
