import type { Callbacks } from '../service/events/callback';
import type { FieldSet } from './field';
import { choice, text } from './fieldBuilders';
import { readOptionalText } from './parseValue';
import { chooseTrigger, findTriggers } from './triggersOfWorkflow';
import { waitForCompletionField } from './waiting';

const notifyField = choice('notify', 'Notify', {
	default: 'none',
	description: 'Who else to tell when the run changes its status or ends',
	choices: {
		none: ['None', 'Only this node'],
		trigger: [
			'Trigger in This Workflow',
			'The Browser Automation Trigger in this workflow, which must be published (active)',
		],
		urls: ['URLs', 'URLs that you enter below'],
	},
});

/** Gives the addresses of the trigger. */
const triggerNameField = text('triggerName', 'Trigger Name', {
	description: 'Which trigger to notify. Needed only if this workflow has more than one.',
	placeholder: 'e.g. Browser Automation Trigger',
	showWhen: { notify: ['trigger'] },
	read: (raw, label, context) => chooseTrigger(findTriggers(context), readOptionalText(raw, label)),
});

const completedUrlField = text('callbackUrl', 'Completion Callback URL', {
	description:
		'URL that the service calls when the run finishes, fails or is canceled. A run can have only one: with yours, this node notices the end some seconds later.',
	placeholder: 'e.g. https://example.com/run-completed',
	showWhen: { notify: ['urls'] },
	read: readOptionalText,
});

const statusUrlField = text('statusChangeCallbackUrl', 'Status Callback URL', {
	description: 'URL that the service calls each time the run’s status changes, including its end',
	placeholder: 'e.g. https://example.com/run-status',
	showWhen: { notify: ['urls'] },
	read: readOptionalText,
});

/**
 * The callbacks that a start request has for others than this node.
 *
 * A node that may sleep needs the completion callback to be woken. The trigger then learns of the
 * run's end from the status callbacks, which tell of it as well (docs/service.md: Events).
 */
export const NOTIFY: FieldSet<Callbacks> = {
	fields: [notifyField, triggerNameField, completedUrlField, statusUrlField],
	read: (values) => {
		const notify = values(notifyField);
		if (notify === 'none') return {};
		if (notify === 'urls') {
			return { completed: values(completedUrlField), statusChanged: values(statusUrlField) };
		}
		const { statusChanged, completed } = values(triggerNameField);
		return values(waitForCompletionField) === 'automatic'
			? { statusChanged }
			: { completed, statusChanged };
	},
};
