import type { INodePropertyOptions } from 'n8n-workflow';

import { InputError } from '../service/errors';
import { concurrencyField } from './concurrency';
import { ATTACHING_FILES_FIELDS, keepInputFilesOption, readAttachingSettings } from './files';
import { numberIn, type Field, type Values } from './field';
import { readResultOutput, type ResultSettings } from './output';
import { switchOption } from './switches';

/** The ways of waiting that a user can choose. */
export type WaitMode = 'automatic' | 'poll' | 'none';

const WAIT_MODES: readonly WaitMode[] = ['automatic', 'poll', 'none'];

const MS_PER_MINUTE = 60_000;
const MS_PER_HOUR = 60 * MS_PER_MINUTE;

/** The longest a run may take, in hours; also the default limit of waiting. */
const LONGEST_RUN_HOURS = 7;

/** How the node waits for runs to end. */
export const waitForCompletionField: Field<WaitMode> = {
	name: 'waitForCompletion',
	parameter: {
		displayName: 'Wait for Completion',
		builderHint: {
			propertyHint:
				'Leave it at automatic: the node waits and holds no worker. Add no polling loop.',
		},
		type: 'options',
		noDataExpression: true,
		default: 'automatic',
		description: 'How to wait for the result of the run',
		options: [
			{
				name: 'Automatic',
				value: 'automatic',
				description: 'Sleep until the runs have ended, holding no worker',
			},
			{
				name: "Don't Wait",
				value: 'none',
				description: 'Start the run and continue immediately with its ID',
			},
			{
				name: 'Keep Running',
				value: 'poll',
				description: 'Check the status every few seconds. Holds a worker all the time.',
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

/** A number above 0 that may be set under Options; `unset` without it. The editor begins with `shown`. */
function amountField<Unset extends number | undefined>(
	name: string,
	displayName: string,
	description: string,
	{ unset, shown, isWhole = false }: { unset: Unset; shown: number; isWhole?: boolean },
): Field<number | Unset> {
	return {
		name,
		group: 'options',
		parameter: {
			displayName,
			type: 'number',
			typeOptions: isWhole ? { minValue: 1 } : { minValue: 0, numberPrecision: 4 },
			default: shown,
			description,
		},
		read: (raw) => {
			if (raw === undefined) return unset;
			const amount = numberIn(raw);
			if (amount > 0 && (isWhole ? Number.isInteger(amount) : Number.isFinite(amount))) {
				return amount;
			}
			const label = displayName.replace(/ \(.*/, '');
			throw new InputError(
				`${label} is not a ${isWhole ? 'whole ' : ''}number above 0`,
				`Enter e.g. ${shown}, or remove the option.`,
			);
		},
	};
}

const limitHoursField = amountField(
	'waitLimit',
	'Wait Limit (Hours)',
	'How long to wait for runs to end, in hours. A run may take up to 7 hours.',
	{ unset: LONGEST_RUN_HOURS, shown: LONGEST_RUN_HOURS },
);

const cancelAfterField = amountField(
	'cancelAfter',
	'Cancel a Run After (Minutes)',
	'After how many minutes from its start to cancel a run that still goes on, so that its item fails. While the execution sleeps, this may be up to a minute late. Without this option, and with Don’t Wait, a run may take as long as the service lets it.',
	{ unset: undefined, shown: 60 },
);

const noRepeatField = amountField(
	'noRepeat',
	'Do Not Repeat Within (Minutes)',
	'For how many minutes to use the run that was started already for an input, instead of starting another. Runs of bots are looked for in the service; others are known to this n8n process alone, until it restarts. Failed and canceled runs do not count.',
	{ unset: undefined, shown: 60 },
);

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

/** What happens when a run pauses, e.g. because it needs a person. */
const whenPausedField: Field<boolean> = {
	name: 'whenPaused',
	group: 'options',
	parameter: {
		displayName: 'When a Run Pauses',
		type: 'options',
		default: 'wait',
		description: 'What to do when a run pauses, e.g. because it needs a person',
		options: [
			{
				name: 'Continue the Workflow',
				value: 'continue',
				description: 'Output the run as it is, e.g. to ask somebody for help',
			},
			{
				name: 'Keep Waiting',
				value: 'wait',
				description: 'The page that the waiting node links to can resume it',
			},
		],
	},
	read: (raw) => raw === 'continue',
};

const failedAsOutputField = switchOption({
	name: 'failedAsOutput',
	displayName: 'Failed Runs as Output',
	description:
		'Whether to output runs that failed or were canceled as normal items, instead of stopping with an error',
});

const CANCEL_AT_LIMIT = { name: 'The Wait Limit Is Reached', value: 'limit' };
const CANCEL_ON_STOP = {
	name: 'This Execution Is Stopped',
	value: 'stop',
	description:
		'Only while it is awake. Before you stop a sleeping execution, cancel its runs on the page that the waiting node links to.',
};
const CANCEL_AFTER_REFUSAL = { name: 'A Start Is Refused', value: 'refusal' };

/** When runs are canceled that still go on. */
function cancelField(options: INodePropertyOptions[]): Field<string[]> {
	return {
		name: 'cancelRunsWhen',
		group: 'options',
		parameter: {
			displayName: 'Cancel Runs When',
			type: 'multiOptions',
			default: [CANCEL_ON_STOP.value],
			description: 'When to cancel this node’s open runs',
			options,
		},
		read: (raw) => {
			if (raw === undefined) return [CANCEL_ON_STOP.value];
			const chosen: unknown[] = Array.isArray(raw) ? raw : [raw];
			const known = options.map(({ value }) => value);
			if (chosen.every((value) => typeof value === 'string' && known.includes(value))) {
				return chosen.map(String);
			}
			throw new InputError('Cancel Runs When has an unknown value', `Use ${known.join(', ')}.`);
		},
	};
}

const attachingCancelField = cancelField([CANCEL_AT_LIMIT, CANCEL_ON_STOP]);
const startingCancelField = cancelField([CANCEL_AFTER_REFUSAL, CANCEL_AT_LIMIT, CANCEL_ON_STOP]);

const waitForSlotField = switchOption({
	name: 'waitForSlot',
	displayName: 'Wait for a Free Slot',
	description: 'Whether to wait when your plan allows no more runs at the same time',
	default: true,
});

/** How many runs a tool of an agent may start in an execution, unless the user says otherwise. */
export const MOST_RUNS_OF_TOOL = 50;

const mostRunsField = amountField(
	'mostRuns',
	'Most Runs per Execution',
	`How many runs this node may start in one execution, over all rounds of a loop. Default: no limit; ${MOST_RUNS_OF_TOOL} for an agent’s tool.`,
	{ unset: undefined, shown: MOST_RUNS_OF_TOOL, isWhole: true },
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
	/** How many runs may be started in an execution, if the user has said. */
	mostRuns?: number | undefined;
	/** For how long a run may go on, and for how long it stands in for another start, if the user has said. */
	cancelAfterMs?: number | undefined;
	noRepeatMs?: number | undefined;
	concurrency: number;
}

const COMMON_FIELDS = [
	failedAsOutputField,
	limitHoursField,
	whenPausedField,
	atLimitField,
	...ATTACHING_FILES_FIELDS,
];

/** What an operation that waits for existing runs offers beside Wait for Completion. */
export const ATTACHING_FIELDS = [attachingCancelField, ...COMMON_FIELDS];

/** What an operation that starts runs offers beside Wait for Completion. */
export const STARTING_FIELDS = [
	startingCancelField,
	cancelAfterField,
	...COMMON_FIELDS,
	mostRunsField,
	noRepeatField,
	waitForSlotField,
];

/** Reads what the user decided about waiting. All items of a batch wait together, by item 0's settings. */
export function readWaitSettings(values: Values, mode: WaitMode): WaitSettings {
	const cancelWhen = values(startingCancelField);
	const minutes = (amount: number | undefined): number | undefined =>
		amount === undefined ? undefined : amount * MS_PER_MINUTE;
	return {
		mode,
		limitMs: values(limitHoursField) * MS_PER_HOUR,
		atLimit: values(atLimitField),
		wakeWhenPaused: values(whenPausedField),
		failedAsOutput: values(failedAsOutputField),
		cancelOnStop: cancelWhen.includes(CANCEL_ON_STOP.value),
		cancelAtLimit: cancelWhen.includes(CANCEL_AT_LIMIT.value),
		cancelOnFailedStart: cancelWhen.includes(CANCEL_AFTER_REFUSAL.value),
		waitForSlot: values(waitForSlotField),
		mostRuns: values(mostRunsField),
		cancelAfterMs: minutes(values(cancelAfterField)),
		noRepeatMs: minutes(values(noRepeatField)),
		concurrency: values(concurrencyField),
		...readResultOutput(values),
		files: readAttachingSettings(values),
		keepInputFiles: values(keepInputFilesOption),
	};
}
