import { EVENT_FILES } from './files';
import type { Field, Values } from './field';
import { choice, multiChoice, numberOption } from './fieldBuilders';
import { STATE } from './output';
import { RUN_FILTERS } from './records';
import { END_EVENTS, RUN_EVENTS } from '../service/events/runEvents';

const MS_PER_HOUR = 3_600_000;

const eventsField = multiChoice('events', 'Events', {
	required: true,
	default: END_EVENTS,
	description: 'What starts the workflow',
	choices: RUN_EVENTS,
});

const TITLES = JSON.stringify(
	Object.fromEntries(Object.entries(RUN_EVENTS).map(([name, [title]]) => [name, title])),
);

/** What stands below the node: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${TITLES})[name]).join(", ") }}`;

const botFilter: Field<string | undefined> = { ...RUN_FILTERS.bot_id, name: 'bot' };

const lookBackOption = numberOption('lookBack', 'Look Back (Hours)', {
	default: 24,
	absent: 0,
	description:
		'How many hours before publishing (activating) the workflow to begin, or to go back at most when published again. By default it begins at that moment, and goes back as far as needed.',
	isFraction: true,
	unit: MS_PER_HOUR,
});

const publishedAgainOption = choice('whenPublishedAgain', 'When Published Again', {
	under: 'options',
	default: 'goOn',
	description: 'What to do with events from while the workflow was unpublished (deactivated)',
	choices: {
		beginAnew: ['Begin Anew', 'Leave them out'],
		goOn: ['Go On Where It Was', 'Report them at the first poll'],
	},
});

/** Which events start the workflow, and what of their runs and files goes with them. */
export const EVENTS = {
	fields: [eventsField, ...STATE.fields, botFilter, ...EVENT_FILES.fields],
	read: (values: Values) => ({
		filter: { events: values(eventsField), botId: values(botFilter) },
		...STATE.read(values),
		...EVENT_FILES.read(values),
	}),
};

export type EventSettings = ReturnType<typeof EVENTS.read>;

/** Beside the events, where the polling trigger begins: so long before, in milliseconds, and whether also when it is published again. */
export const POLLING = {
	fields: [...EVENTS.fields, lookBackOption, publishedAgainOption],
	read: (values: Values) => ({
		lookBackMs: values(lookBackOption),
		beginsAnew: values(publishedAgainOption) === 'beginAnew',
	}),
};
