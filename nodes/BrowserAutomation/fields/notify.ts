import type { Callbacks } from '../service/events/callback';
import { InputError } from '../service/errors';
import type { Field, Values } from './field';
import { readOptionalText } from './parseValue';
import { chooseTrigger, findTriggers } from './triggersOfWorkflow';
import { waitForCompletionField } from './waiting';

/** Who is notified of a run's events, beside the node that waits for it. */
type Notify = 'none' | 'trigger' | 'urls';

const notifyField: Field<Notify> = {
	name: 'notify',
	parameter: {
		displayName: 'Notify',
		type: 'options',
		default: 'none',
		description: 'Who else to tell when the run changes its status or ends',
		options: [
			{ name: 'None', value: 'none', description: 'Only this node' },
			{
				name: 'Trigger in This Workflow',
				value: 'trigger',
				description:
					'The Browser Automation Trigger in this workflow, which must be published (active)',
			},
			{ name: 'URLs', value: 'urls', description: 'URLs that you enter below' },
		],
	},
	read: (raw) => {
		if (raw === undefined || raw === 'none') return 'none';
		if (raw === 'trigger' || raw === 'urls') return raw;
		throw new InputError('Notify has an unknown value', 'Use one of none, trigger, urls.');
	},
};

const triggerNameField: Field<string | undefined> = {
	name: 'triggerName',
	parameter: {
		displayName: 'Trigger Name',
		type: 'string',
		default: '',
		description:
			'Name of the Browser Automation Trigger to notify. Needed only if this workflow has more than one.',
		placeholder: 'e.g. Browser Automation Trigger',
	},
	showWhen: { notify: ['trigger'] },
	read: (raw) => readOptionalText(raw, 'Trigger Name'),
};

function urlField(
	name: string,
	displayName: string,
	description: string,
	placeholder: string,
): Field<string | undefined> {
	return {
		name,
		parameter: { displayName, type: 'string', default: '', description, placeholder },
		showWhen: { notify: ['urls'] },
		read: (raw) => (typeof raw === 'string' && raw.trim() !== '' ? raw.trim() : undefined),
	};
}

const completedUrlField = urlField(
	'callbackUrl',
	'Completion Callback URL',
	'URL that the service calls when the run finishes, fails or is canceled. A run can have only one: with yours, this node notices the end some seconds later.',
	'e.g. https://example.com/run-completed',
);

const statusUrlField = urlField(
	'statusChangeCallbackUrl',
	'Status Callback URL',
	'URL that the service calls each time the run’s status changes, including its end',
	'e.g. https://example.com/run-status',
);

/** What an operation offers that starts a run and can notify others of it. */
export const NOTIFY_FIELDS = [notifyField, triggerNameField, completedUrlField, statusUrlField];

/**
 * The callbacks that a start request has for others than this node.
 *
 * A node that may sleep needs the completion callback to be woken. The trigger then learns of the
 * run's end from the status callbacks, which tell of it as well (docs/service.md: Events).
 *
 * @throws InputError when this workflow has no active trigger to notify
 */
export function callbacksToNotify(values: Values): Callbacks {
	const notify = values(notifyField);
	if (notify === 'none') return {};
	if (notify === 'urls') {
		return { completed: values(completedUrlField), statusChanged: values(statusUrlField) };
	}
	const { completedUrl, statusUrl } = chooseTrigger(
		values({ find: findTriggers }),
		values(triggerNameField),
	);
	return values(waitForCompletionField) === 'automatic'
		? { statusChanged: statusUrl }
		: { completed: completedUrl, statusChanged: statusUrl };
}
