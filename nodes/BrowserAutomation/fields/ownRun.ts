import { EVENT_FIELDS } from './events';
import type { Field, Values } from './field';
import { INPUT_FIELDS, readFilledInput } from './input';
import { botField, proxyRegionOption, templateField } from './records';
import { InputError } from '../service/errors';
import { callbackFields, type Callbacks } from '../service/events/callback';
import { toInput } from '../service/schema/inputSchema';
import type { JsonObject } from '../service/json/json';
import { path, type ServiceRequest } from '../service/http/request';

/** Where the runs come from that a trigger listens to. */
type Source = 'elsewhere' | 'own';

const sourceField: Field<Source> = {
	name: 'source',
	parameter: {
		displayName: 'Listen To',
		type: 'options',
		noDataExpression: true,
		default: 'elsewhere',
		options: [
			{
				name: 'A Run That This Trigger Starts',
				value: 'own',
				description: 'Publishing (activating) the workflow starts a run of a bot or template, once',
			},
			{
				name: 'Runs Started Elsewhere',
				value: 'elsewhere',
				description: 'Runs started by other nodes, other workflows or other tools',
			},
		],
	},
	read: (raw) => {
		if (raw === undefined || raw === 'elsewhere') return 'elsewhere';
		if (raw === 'own') return raw;
		throw new InputError('Listen To has an unknown value', 'Use elsewhere or own.');
	},
};

/** Tells something of a source. It holds no value. */
function notice(name: string, source: Source, displayName: string): Field<undefined> {
	return {
		name,
		parameter: { displayName, type: 'notice', default: '' },
		showWhen: { source: [source] },
		read: () => undefined,
	};
}

const howToNotify = notice(
	'howToNotify',
	'elsewhere',
	'Runs started in this workflow: set <b>Notify</b> to “Trigger in This Workflow” in the node that starts them. Runs started anywhere else: give them the two URLs above, in a Browser Automation node under <b>Notify</b> > URLs. The one ending in run-completed is the Completion Callback URL, the other the Status Callback URL.',
);

const whenStarted = notice(
	'whenStarted',
	'own',
	'Publishing (activating) the workflow starts one run. Publishing it again starts another run if you changed or renamed this trigger, or had unpublished the workflow. n8n 1 starts one each time you save the active workflow.',
);

type Startable = 'bot' | 'template';

const startField: Field<Startable> = {
	name: 'start',
	parameter: {
		displayName: 'Start',
		type: 'options',
		noDataExpression: true,
		default: 'bot',
		description: 'What to run',
		options: [
			{ name: 'Bot', value: 'bot' },
			{ name: 'Template', value: 'template' },
		],
	},
	showWhen: { source: ['own'] },
	read: (raw) => (raw === 'template' ? raw : 'bot'),
};

function whenStarting<T>(field: Field<T>, ...startables: Startable[]): Field<T> {
	return { ...field, showWhen: { source: ['own'], start: startables } };
}

const cancelOnDeactivationOption: Field<boolean> = {
	name: 'cancelOnDeactivation',
	group: 'options',
	parameter: {
		displayName: 'Cancel Run When Unpublished',
		type: 'boolean',
		default: false,
		description:
			'Whether to cancel the run that this trigger started when the workflow is unpublished (deactivated), when this trigger is changed, or when listening for a test event ends',
	},
	showWhen: { '/source': ['own'] },
	read: (raw) => raw === true,
};

/** What a user chooses about where the runs come from. */
export const SOURCE_FIELDS = [
	sourceField,
	howToNotify,
	whenStarted,
	startField,
	whenStarting(botField, 'bot'),
	whenStarting(templateField, 'template'),
	...INPUT_FIELDS.map((field) => ({ ...field, showWhen: { source: ['own'], ...field.showWhen } })),
	{ ...proxyRegionOption, showWhen: { '/source': ['own'], '/start': ['template'] } },
	cancelOnDeactivationOption,
];

/** What a user fills in at the trigger that the service calls. */
export const CALLBACK_TRIGGER_FIELDS: ReadonlyArray<Field<unknown>> = [
	...SOURCE_FIELDS,
	...EVENT_FIELDS,
];

/** Whether the trigger starts the run that it listens to. */
export function startsOwnRun(values: Values): boolean {
	return values(sourceField) === 'own';
}

/** Whether the trigger's own run is to be canceled when nobody listens any more. */
export function cancelsOwnRun(values: Values): boolean {
	return values(cancelOnDeactivationOption);
}

/** What a trigger starts: a bot, or a template, which belongs to no bot. */
export interface OwnSubject {
	/** Its address, which shows the schema of its input. */
	subject: string;
	botId: string | undefined;
}

/** @throws InputError when none is chosen */
export function ownSubjectOf(values: Values): OwnSubject {
	if (values(startField) === 'template') {
		return { subject: path`/v3/bots/templates/${values(templateField)}`, botId: undefined };
	}
	const botId = values(botField);
	return { subject: path`/v3/bots/${botId}`, botId };
}

/**
 * The request that starts the trigger's own run.
 *
 * @param schema of the input; undefined where it is not known
 * @throws InputError naming the field that is missing or wrong
 */
export function ownRunRequest(
	values: Values,
	schema: JsonObject | undefined,
	callbacks: Callbacks,
): ServiceRequest {
	const { subject, botId } = ownSubjectOf(values);
	const region = botId === undefined ? values(proxyRegionOption) : undefined;
	return {
		method: 'POST',
		path: `${subject}/runs`,
		body: {
			input: toInput(schema, readFilledInput(values)),
			...(region !== undefined && { proxy_region: region }),
			...callbackFields(callbacks),
		},
	};
}
