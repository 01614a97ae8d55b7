import { InputError } from '../service/errors';
import { concurrencyField } from './concurrency';
import { ATTACHING_FILES_FIELDS, keepInputFilesOption, readAttachingSettings } from './files';
import { numberIn, type Field, type Values } from './field';
import { readResultOutput, type ResultSettings } from './output';

/** The ways of waiting that a user can choose. */
export type WaitMode = 'automatic' | 'sleep' | 'poll' | 'none';

const WAIT_MODES: readonly WaitMode[] = ['automatic', 'sleep', 'poll', 'none'];

const MS_PER_HOUR = 3_600_000;

/** The longest a run may take, in hours; also the default limit of waiting. */
const LONGEST_RUN_HOURS = 7;

/** How the node waits for runs to end. */
export const waitForCompletionField: Field<WaitMode> = {
	name: 'waitForCompletion',
	parameter: {
		displayName: 'Wait for Completion',
		builderHint: {
			propertyHint:
				'Leave it at automatic: the node waits by itself, holding no worker. Build no polling loop behind it.',
		},
		type: 'options',
		noDataExpression: true,
		default: 'automatic',
		description: 'How to wait for the result of the run',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'Sleep if the service can call this n8n, otherwise poll',
			},
			{
				name: "Don't Wait",
				value: 'none',
				description: 'Start the run and continue immediately with its ID',
			},
			{
				name: 'Poll',
				value: 'poll',
				description: 'Keep the execution running and check the status repeatedly',
			},
			{
				name: 'Sleep Until Callback',
				value: 'sleep',
				description:
					'Put the execution to sleep until the service calls back. It occupies no worker meanwhile.',
			},
		],
	},
	read: (raw) => {
		const mode = WAIT_MODES.find((candidate) => candidate === raw);
		if (mode !== undefined) return mode;
		throw new InputError(
			'Wait for Completion has an unknown value',
			`Use one of ${WAIT_MODES.join(', ')}.`,
		);
	},
};

const limitHoursField: Field<number> = {
	name: 'waitLimit',
	group: 'options',
	parameter: {
		displayName: 'Wait Limit (Hours)',
		type: 'number',
		typeOptions: { minValue: 0, numberPrecision: 4 },
		default: LONGEST_RUN_HOURS,
		description: 'How long to wait for runs to end, in hours. A run may take up to 7 hours.',
	},
	read: (raw) => {
		if (raw === undefined) return LONGEST_RUN_HOURS;
		const hours = numberIn(raw);
		if (Number.isFinite(hours) && hours > 0) return hours;
		throw new InputError('Wait Limit is not a number above 0', 'Enter hours, e.g. 7 or 0.5.');
	},
};

/** What happens when the limit of waiting is reached. */
export type AtLimit = 'fail' | 'continue';

const atLimitField: Field<AtLimit> = {
	name: 'atWaitLimit',
	group: 'options',
	parameter: {
		displayName: 'When Wait Limit Is Reached',
		type: 'options',
		default: 'fail',
		description: 'What to do with runs that have not ended when the wait limit is reached',
		options: [
			{
				name: 'Continue with Run IDs',
				value: 'continue',
				description: 'Output items with task_id, status and timed_out',
			},
			{ name: 'Fail', value: 'fail', description: 'Stop with a message that names the runs' },
		],
	},
	read: (raw) => (raw === 'continue' ? 'continue' : 'fail'),
};

function switchField(
	name: string,
	displayName: string,
	description: string,
	byDefault = false,
): Field<boolean> {
	return {
		name,
		group: 'options',
		parameter: { displayName, type: 'boolean', default: byDefault, description },
		read: (raw) => (raw === undefined ? byDefault : raw === true),
	};
}

const wakeWhenPausedField = switchField(
	'wakeWhenPaused',
	'Also Wake When Paused',
	'Whether to continue the workflow when the run pauses, too, e.g. to ask a person for help',
);

const failedAsOutputField = switchField(
	'failedAsOutput',
	'Failed Runs as Output',
	'Whether to output runs that failed or were canceled as normal items, instead of stopping with an error',
);

const cancelOnStopField = switchField(
	'cancelOnStop',
	'Cancel Runs on Stop (While Polling)',
	'Whether to cancel the runs when this execution is stopped while it polls. Stopping a sleeping execution does not cancel them; its status page can.',
	true,
);

const cancelAtLimitField = switchField(
	'cancelAtLimit',
	'Cancel Runs at Wait Limit',
	'Whether to cancel the runs when the wait limit is reached while the execution polls',
);

const cancelOnFailedStartField = switchField(
	'cancelOnFailedStart',
	'Cancel Started Runs If a Start Is Refused',
	'Whether to cancel the runs already started when another one of the same batch cannot be started',
);

const waitForSlotField = switchField(
	'waitForSlot',
	'Wait for a Free Slot',
	'Whether to wait before starting a run while your plan allows no more runs at the same time',
	true,
);

/** Everything the user decided about waiting, as it is kept with the execution. */
export interface WaitSettings extends ResultSettings {
	mode: WaitMode;
	limitMs: number;
	atLimit: AtLimit;
	wakeWhenPaused: boolean;
	failedAsOutput: boolean;
	cancelOnStop: boolean;
	cancelAtLimit: boolean;
	cancelOnFailedStart: boolean;
	waitForSlot: boolean;
	concurrency: number;
}

/** What an operation that waits for existing runs offers beside Wait for Completion. */
export const ATTACHING_FIELDS = [
	wakeWhenPausedField,
	cancelOnStopField,
	cancelAtLimitField,
	concurrencyField,
	failedAsOutputField,
	limitHoursField,
	atLimitField,
	...ATTACHING_FILES_FIELDS,
];

/** What an operation that starts runs offers beside Wait for Completion. */
export const STARTING_FIELDS = [...ATTACHING_FIELDS, cancelOnFailedStartField, waitForSlotField];

/** Reads what the user decided about waiting. All items of a batch wait together, by item 0's settings. */
export function readWaitSettings(values: Values, mode: WaitMode): WaitSettings {
	return {
		mode,
		limitMs: values(limitHoursField) * MS_PER_HOUR,
		atLimit: values(atLimitField),
		wakeWhenPaused: values(wakeWhenPausedField),
		failedAsOutput: values(failedAsOutputField),
		cancelOnStop: values(cancelOnStopField),
		cancelAtLimit: values(cancelAtLimitField),
		cancelOnFailedStart: values(cancelOnFailedStartField),
		waitForSlot: values(waitForSlotField),
		concurrency: values(concurrencyField),
		...readResultOutput(values),
		files: readAttachingSettings(values),
		keepInputFiles: values(keepInputFilesOption),
	};
}
