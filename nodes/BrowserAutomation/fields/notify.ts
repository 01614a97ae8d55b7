import type { Callbacks } from '../service/events/callback';
import type { FieldSet } from './field';
import { choice, optionalText } from './fieldBuilders';
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

const triggerNameField = optionalText('triggerName', 'Trigger Name', {
	description: 'Which trigger to notify. Needed only if this workflow has more than one.',
	placeholder: 'e.g. Browser Automation Trigger',
	showWhen: { notify: ['trigger'] },
});

const completedUrlField = optionalText('callbackUrl', 'Completion Callback URL', {
	description:
		'URL that the service calls when the run finishes, fails or is canceled. A run can have only one: with yours, this node notices the end some seconds later.',
	placeholder: 'e.g. https://example.com/run-completed',
	showWhen: { notify: ['urls'] },
});

const statusUrlField = optionalText('statusChangeCallbackUrl', 'Status Callback URL', {
	description: 'URL that the service calls each time the run’s status changes, including its end',
	placeholder: 'e.g. https://example.com/run-status',
	showWhen: { notify: ['urls'] },
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
		const chosen = chooseTrigger(values({ find: findTriggers }), values(triggerNameField));
		const { statusChanged, completed } = chosen;
		return values(waitForCompletionField) === 'automatic'
			? { statusChanged }
			: { completed, statusChanged };
	},
};
