import type { Callbacks } from '../service/events/callback';
import type { ReadParam } from './field';
import { choice, multiChoice, numberOption, switchOption, WAITS } from './fieldBuilders';
import { NOTIFY, notifyField } from './notify';
import {
	compareOption,
	includeBesideOption,
	includeInputOption,
	onlyNewOption,
	RESULT,
} from './output';

/** An option in minutes, read as milliseconds. */
const MINUTES = { default: 60, absent: undefined, isFraction: true, unit: 60_000 } as const;

/** How the node waits for runs to end. */
export const waitForCompletionField = choice('waitForCompletion', 'Wait for Completion', {
	noDataExpression: true,
	default: 'automatic',
	choices: {
		automatic: ['Automatic (Recommended)', 'Sleep until the runs have ended, holding no worker'],
		none: [
			'Don’t Wait',
			'Continue with the run’s ID once it has started; awake while the plan has no free slot',
		],
		poll: ['Stay Awake', 'Check the status every 2 to 30 seconds, holding a worker'],
	},
});

export type WaitMode = 'automatic' | 'poll' | 'none';

/** Runs take 7 hours at most, which is the default, too. */
const limitField = numberOption('waitLimit', 'Wait Limit (Hours)', {
	under: 'waiting',
	description: 'For how many hours to wait. A run may take up to 7.',
	default: 7,
	isFraction: true,
	unit: 3_600_000,
});

const cancelAfterField = numberOption('cancelAfter', 'Cancel a Run After (Minutes)', {
	...MINUTES,
	under: 'limits',
	description: 'How many minutes a run may take. Then it is canceled, and its item fails.',
	showWhen: { '/waitForCompletion': WAITS.waitForCompletion },
});

const reuseField = numberOption('reuseWithin', 'Reuse Results For (Minutes)', {
	...MINUTES,
	under: 'limits',
	description:
		'For how many minutes the same input gets the earlier run’s result, unless that failed or was canceled',
});

const atLimitField = choice('atWaitLimit', 'When Wait Limit Is Reached', {
	under: 'waiting',
	default: 'fail',
	choices: {
		continue: [
			'Continue with Run IDs',
			'Output items with task_id, status and timed_out; in Raw the whole run',
		],
		fail: ['Fail', 'Stop with a message that names the runs'],
	},
});

const whenPausedField = choice('whenPaused', 'When a Run Pauses', {
	under: 'waiting',
	default: 'wait',
	choices: {
		continue: [
			'Continue the Workflow',
			'Output the run as it is, e.g. to ask the person for help that it needs',
		],
		wait: ['Keep Waiting', 'The page that the waiting node links to can resume it'],
	},
});

const failedAsOutputField = switchOption('failedAsOutput', 'Output Failed Runs', {
	under: 'outputOptions',
	description: 'Whether failed and canceled runs are items, not errors',
});

function cancelField<T extends string>(further: Record<T, string>) {
	return multiChoice<T | 'limit' | 'stop'>('cancelRunsWhen', 'Cancel Unfinished Runs When', {
		under: 'limits',
		description: 'When to cancel the runs that this node still waits for',
		default: ['stop'],
		choices: {
			...further,
			limit: 'The Wait Limit Is Reached',
			stop: [
				'This Execution Is Stopped',
				'While it is awake. Cancel the runs of a sleeping one on the page that the waiting node links to.',
			],
		},
	});
}

const attachingCancelField = cancelField({});
const startingCancelField = cancelField({ refusal: 'Another Run Cannot Be Started' });

const failWithoutSlotField = switchOption('failWithoutSlot', 'Fail at the Plan’s Run Limit', {
	under: 'limits',
	description: 'Whether a start fails while your plan allows no further run. Otherwise it waits.',
});

/** How many runs an agent's tool may start in an execution by default. */
export const MAX_RUNS_OF_TOOL = 50;

const maxRunsField = numberOption('maxRuns', 'Max Runs per Execution', {
	under: 'limits',
	description: `Over all rounds of a loop; with n8n’s Agents and MCP, in an hour. Without it an agent’s tool may start ${MAX_RUNS_OF_TOOL}.`,
	default: MAX_RUNS_OF_TOOL,
	absent: undefined,
});

/**
 * The callbacks that a start request has for others than this node.
 *
 * A node that may sleep needs the completion callback to be resumed. The trigger then learns of the
 * run's end from the status callbacks, which tell of it as well (docs/service.md: Events).
 */
export function readCallbacks(values: ReadParam): Callbacks {
	const { statusChanged, ...callbacks } = NOTIFY.read(values);
	const isCompletionOwn =
		values(notifyField) === 'trigger' && values(waitForCompletionField) === 'automatic';
	return { ...(!isCompletionOwn && callbacks), statusChanged };
}

const COMMON_FIELDS = [
	...RESULT.fields,
	...[failedAsOutputField, limitField, whenPausedField, atLimitField],
];

/** The fields of an operation that waits for existing runs. */
export const ATTACHING_FIELDS = [attachingCancelField, ...COMMON_FIELDS];

/** The fields of an operation that starts runs. */
export const STARTING_FIELDS = [
	waitForCompletionField,
	startingCancelField,
	cancelAfterField,
	...COMMON_FIELDS,
	...NOTIFY.fields,
	maxRunsField,
	reuseField,
	failWithoutSlotField,
];

/** Fields that the older API's operations do not have: V3 runs the same bots and templates with them. */
export const V3_ALONE = [
	...[onlyNewOption, compareOption, includeBesideOption, includeInputOption],
	...[reuseField, cancelAfterField],
];

/** Reads the user's settings of waiting. All items of a batch wait together, by item 0's settings. */
export function readWaitSettings(values: ReadParam) {
	const cancelWhen = values(startingCancelField);
	return {
		limitMs: values(limitField),
		atLimit: values(atLimitField),
		isPauseEnough: values(whenPausedField) === 'continue',
		failedAsOutput: values(failedAsOutputField),
		cancelOnStop: cancelWhen.includes('stop'),
		cancelAtLimit: cancelWhen.includes('limit'),
		cancelOnFailedStart: cancelWhen.includes('refusal'),
		waitForSlot: !values(failWithoutSlotField),
		maxRuns: values(maxRunsField),
		cancelAfterMs: values(cancelAfterField),
		reuseMs: values(reuseField),
		...RESULT.read(values),
	};
}

/** The user's settings of waiting, as they are stored with the execution. */
export type WaitSettings = ReturnType<typeof readWaitSettings>;
