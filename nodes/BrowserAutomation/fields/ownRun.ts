import { EVENTS } from './events';
import type { Field, Values } from './field';
import { choice, note, switchOption } from './fieldBuilders';
import { INPUT } from './input';
import { botField, proxyRegionOption, templateField } from './records';
import { callbackFields, type Callbacks } from '../service/events/callback';
import { toInput } from '../service/schema/inputSchema';
import type { JsonObject } from '../service/json/json';
import { path, type ServiceRequest } from '../service/http/request';

/** Whether the trigger starts the run that it listens to. */
export const sourceField = choice('source', 'Listen To', {
	noDataExpression: true,
	default: 'elsewhere',
	choices: {
		elsewhere: [
			'Runs Started Elsewhere',
			'Runs started by other nodes, other workflows or other tools',
		],
		own: [
			'A Run That This Trigger Starts',
			'Publishing (activating) the workflow starts a run of a bot or template, once',
		],
	},
});

const howToNotify = note(
	'howToNotify',
	'Runs started in this workflow: set <b>Notify</b> to “Trigger in This Workflow” in the node that starts them. Runs started anywhere else: give them the two URLs above, in a Browser Automation node under <b>Notify</b> > URLs. The one ending in run-completed is the Completion Callback URL, the other the Status Callback URL.',
	{ showWhen: { source: ['elsewhere'] } },
);

const whenStarted = note(
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

const OWN_RUN_FIELDS: ReadonlyArray<Field<unknown>> = [
	whenStarted,
	startField,
	{ ...botField, showWhen: { start: ['bot'] } },
	{ ...templateField, showWhen: { start: ['template'] } },
	...INPUT.fields,
	{ ...proxyRegionOption, showWhen: { '/start': ['template'] } },
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

/**
 * What the trigger starts: the path of a bot or template, which shows the schema of its input, and the
 * request that starts a run of it. A template belongs to no bot.
 *
 * @throws InputError naming the field that is missing or wrong; the request, too
 */
export function ownRunOf(values: Values) {
	const isTemplate = values(startField) === 'template';
	const botId = isTemplate ? undefined : values(botField);
	const region = isTemplate ? values(proxyRegionOption) : undefined;
	const subject =
		botId === undefined
			? path`/v3/bots/templates/${values(templateField)}`
			: path`/v3/bots/${botId}`;
	const request = (schema: JsonObject | undefined, callbacks: Callbacks): ServiceRequest => ({
		method: 'POST',
		path: `${subject}/runs`,
		body: {
			input: toInput(schema, INPUT.read(values)),
			...(region !== undefined && { proxy_region: region }),
			...callbackFields(callbacks),
		},
	});
	return { subject, botId, request };
}
