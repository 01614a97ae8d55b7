import { END_EVENTS, RUN_EVENTS } from '../service/events/runEvents';
import { EVENT_FILES } from './files';
import type { Field, ReadParam } from './field';
import { choice, multiChoice, notice, numberOption, switchOption } from './fieldBuilders';
import { STATE } from './output';
import { botField, RUN_FILTERS } from './records';
import { RUN_STARTS, type RunStart } from './starts';

const eventsField = multiChoice('events', 'Events', {
	required: true,
	default: END_EVENTS,
	description: 'What starts the workflow',
	choices: RUN_EVENTS,
});

const TITLES = JSON.stringify(
	Object.fromEntries(Object.entries(RUN_EVENTS).map(([name, [title]]) => [name, title])),
);

/** The node's subtitle: the titles of the chosen events. */
export const EVENTS_SUBTITLE = `={{ [$parameter["events"]].flat().map((name) => (${TITLES})[name]).join(", ") }}`;

const botFilter: Field<string | undefined> = { ...RUN_FILTERS.bot_id, name: 'bot' };

const lookBackOption = numberOption('lookBack', 'Look Back (Hours)', {
	default: 24,
	absent: 0,
	description:
		'How far back to report runs when the workflow is published (activated), and how far at most when it is published again. Without this option it begins with new runs, and goes on where it was when it is published again.',
	isFraction: true,
	unit: 3_600_000,
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

/** Which events start the workflow, and which parts of runs and files their items have. */
export const EVENTS = {
	fields: [eventsField, ...STATE.fields, botFilter, ...EVENT_FILES.fields],
	read: (values: ReadParam) => ({
		filter: { events: values(eventsField), botId: values(botFilter) },
		...STATE.read(values),
		...EVENT_FILES.read(values),
	}),
};

export type EventSettings = ReturnType<typeof EVENTS.read>;

/** The polling trigger's own fields: how far back it begins, in milliseconds, and whether again when it is published again. */
export const POLLING = {
	fields: [...EVENTS.fields, lookBackOption, publishedAgainOption],
	read: (values: ReadParam) => ({
		lookBackMs: values(lookBackOption),
		beginsAnew: values(publishedAgainOption) === 'beginAnew',
	}),
};

/** Whether the trigger starts the run that it listens to. */
export const sourceField = choice('source', 'Listen To', {
	noDataExpression: true,
	default: 'elsewhere',
	choices: {
		elsewhere: [
			'Runs That Notify This Trigger',
			'Runs of other nodes, workflows or tools that notify this trigger',
		],
		own: [
			'A Run That This Trigger Starts',
			'Publishing (activating) the workflow starts a run of a bot or template, once',
		],
	},
});

const howToNotify = notice(
	'howToNotify',
	"Runs started in this workflow: set 'Also Notify' to 'Trigger in This Workflow' in the node that starts them. Runs started anywhere else: open 'Webhook URLs' above, choose 'Production URL', and give them the one that ends in run-status-changed. In a Browser Automation node that is the 'Status Callback URL', with 'Also Notify' set to 'URLs'. For runs that cannot be given an address, use the Browser Automation Polling Trigger, which needs none.",
	{ showWhen: { source: ['elsewhere'] } },
);

const whenStarted = notice(
	'whenStarted',
	'Publishing (activating) the workflow starts one run. Publishing it again starts another run if you changed or renamed this trigger, or had unpublished the workflow. n8n 1 starts one each time you save the active workflow.',
);

const startField = choice('start', 'Start', {
	noDataExpression: true,
	default: 'bot',
	description: 'What to run',
	choices: { bot: 'Bot', template: 'Template' },
});

export const cancelOnDeactivationOption = switchOption(
	'cancelOnDeactivation',
	'Cancel Run When Unpublished',
	{
		description:
			'Whether to cancel the run that this trigger started when the workflow is unpublished (deactivated), when this trigger is changed, or when listening for a test event ends',
	},
);

const STARTS = Object.entries(RUN_STARTS);

/** The fields of the starts, each shown for those that have it. */
const startFields = [
	...new Set([
		...STARTS.flatMap(([, { owner }]) => owner.fields),
		...STARTS.flatMap(([, { further }]) => further),
	]),
].map((each) => {
	const names = STARTS.flatMap(([name, { owner, further }]) =>
		[...owner.fields, ...further].includes(each) ? name : [],
	);
	const place = each.under === undefined ? 'start' : '/start';
	return names.length === STARTS.length
		? each
		: { ...each, showWhen: { [place]: names, ...each.showWhen } };
});

const OWN_RUN_FIELDS: ReadonlyArray<Field<unknown>> = [
	whenStarted,
	startField,
	...startFields,
	cancelOnDeactivationOption,
];

/** What a user fills in at the trigger that the service calls. */
export const CALLBACK_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	sourceField,
	howToNotify,
	...OWN_RUN_FIELDS.map((each) => ({
		...each,
		showWhen: { [each.under === undefined ? 'source' : '/source']: ['own'], ...each.showWhen },
	})),
	...EVENTS.fields,
];

/** How the trigger starts its own run, and the bot that the run is of: a template belongs to none. */
export function ownRunOf(values: ReadParam): RunStart & { botId: string | undefined } {
	const start = values(startField);
	return { ...RUN_STARTS[start], botId: start === 'bot' ? values(botField) : undefined };
}
