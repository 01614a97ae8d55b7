import type { Callbacks } from '../service/events/callback';
import type { FieldSet, ReadParam } from './field';
import { choice, multiChoice, numberOption, switchOption, text, WAITS } from './fieldBuilders';
import { RESULT } from './output';
import { readOptionalText } from './parseValue';
import { chooseTrigger, findTriggers } from './triggersOfWorkflow';

/** An option in minutes, read as milliseconds. */
const MINUTES = { default: 60, absent: undefined, isFraction: true, unit: 60_000 } as const;

/** How the node waits for runs to end. */
export const waitForCompletionField = choice('waitForCompletion', 'Wait for Completion', {
	builderHint: {
		propertyHint: 'Leave it at automatic. Add no polling loop.',
	},
	noDataExpression: true,
	default: 'automatic',
	description: 'How to wait for the result of the run',
	choices: {
		automatic: ['Automatic (Recommended)', 'Sleep until the runs have ended, holding no worker'],
		none: ["Don't Wait", 'Start the run and continue immediately with its ID'],
		poll: ['Stay Awake', 'Check the status every few seconds. Holds a worker all the time.'],
	},
});

export type WaitMode = 'automatic' | 'poll' | 'none';

/** The longest a run may take is 7 hours, which is the default, too. */
const limitField = numberOption('waitLimit', 'Wait Limit (Hours)', {
	under: 'waiting',
	description: 'How long to wait for runs to end. A run may take up to 7 hours.',
	default: 7,
	isFraction: true,
	unit: 3_600_000,
});

const cancelAfterField = numberOption('cancelAfter', 'Cancel a Run After (Minutes)', {
	...MINUTES,
	under: 'limits',
	description:
		'After how many minutes from its start to cancel a run that still goes on, so that its item fails. While the execution sleeps, this may be up to a minute late.',
	showWhen: { '/waitForCompletion': WAITS.waitForCompletion },
});

const reuseField = numberOption('reuseWithin', 'Reuse a Recent Run (Minutes)', {
	...MINUTES,
	under: 'limits',
	description:
		'For how many minutes an input gets the run that was started for it already, unless it failed or was canceled. Only runs of bots are found after n8n restarts, and by other processes.',
});

const atLimitField = choice('atWaitLimit', 'When Wait Limit Is Reached', {
	under: 'waiting',
	default: 'fail',
	description: 'What to do with runs that have not ended when the wait limit is reached',
	choices: {
		continue: ['Continue with Run IDs', 'Output items with task_id, status and timed_out'],
		fail: ['Fail', 'Stop with a message that names the runs'],
	},
});

const whenPausedField = choice('whenPaused', 'When a Run Pauses', {
	under: 'waiting',
	default: 'wait',
	description: 'What to do when a run pauses, e.g. because it needs a person',
	choices: {
		continue: ['Continue the Workflow', 'Output the run as it is, e.g. to ask somebody for help'],
		wait: ['Keep Waiting', 'The page that the waiting node links to can resume it'],
	},
});

const failedAsOutputField = switchOption(
	'failedAsOutput',
	'Output Failed Runs Instead of an Error',
	{
		under: 'waiting',
		description: 'Whether failed and canceled runs become normal items instead of an error',
	},
);

function cancelField<T extends string>(further: Record<T, string>) {
	return multiChoice<T | 'limit' | 'stop'>('cancelRunsWhen', 'Cancel Open Runs When', {
		under: 'limits',
		default: ['stop'],
		description: 'When to cancel this node’s open runs',
		choices: {
			...further,
			limit: 'The Wait Limit Is Reached',
			stop: [
				'This Execution Is Stopped',
				'Only while it is awake. Before you stop a sleeping execution, cancel its runs on the page that the waiting node links to.',
			],
		},
	});
}

const attachingCancelField = cancelField({});
const startingCancelField = cancelField({ refusal: 'A Start Is Refused' });

const waitForSlotField = switchOption('waitForSlot', 'Wait for a Free Slot', {
	under: 'limits',
	description: 'Whether to wait when your plan allows no more runs at the same time',
	default: true,
});

/** How many runs a tool of an agent may start in an execution, unless the user says otherwise. */
export const MAX_RUNS_OF_TOOL = 50;

const maxRunsField = numberOption('maxRuns', 'Max Runs per Execution', {
	under: 'limits',
	description: `How many runs this node may start in one execution, over all rounds of a loop. An agent’s tool has ${MAX_RUNS_OF_TOOL} without this option. Where an agent’s calls have no execution (n8n’s Agents, MCP), it counts for an hour.`,
	default: MAX_RUNS_OF_TOOL,
	absent: undefined,
});

const notifyField = choice('notify', 'Also Notify', {
	default: 'none',
	description: 'Who else to tell when the run changes its status or ends',
	choices: {
		none: 'Nobody Else',
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
		'URL that the service calls when the run ends. With it, this node notices the end some seconds later.',
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
		const trigger = values(triggerNameField);
		const sleeps = values(waitForCompletionField) === 'automatic';
		return sleeps ? { statusChanged: trigger.statusChanged } : trigger;
	},
};

const COMMON_FIELDS = [
	...RESULT.fields,
	...[failedAsOutputField, limitField, whenPausedField, atLimitField],
];

/** What an operation that waits for existing runs offers. */
export const ATTACHING_FIELDS = [attachingCancelField, ...COMMON_FIELDS];

/** What an operation that starts runs offers. */
export const STARTING_FIELDS = [
	waitForCompletionField,
	startingCancelField,
	cancelAfterField,
	...COMMON_FIELDS,
	...NOTIFY.fields,
	maxRunsField,
	reuseField,
	waitForSlotField,
];

/** Reads what the user decided about waiting. All items of a batch wait together, by item 0's settings. */
export function readWaitSettings(values: ReadParam) {
	const cancelWhen = values(startingCancelField);
	return {
		limitMs: values(limitField),
		atLimit: values(atLimitField),
		resumeWhenPaused: values(whenPausedField) === 'continue',
		failedAsOutput: values(failedAsOutputField),
		cancelOnStop: cancelWhen.includes('stop'),
		cancelAtLimit: cancelWhen.includes('limit'),
		cancelOnFailedStart: cancelWhen.includes('refusal'),
		waitForSlot: values(waitForSlotField),
		maxRuns: values(maxRunsField),
		cancelAfterMs: values(cancelAfterField),
		reuseMs: values(reuseField),
		...RESULT.read(values),
	};
}

/** Everything the user decided about waiting, as it is kept with the execution. */
export type WaitSettings = ReturnType<typeof readWaitSettings>;
