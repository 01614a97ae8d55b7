import type { INodePropertyOptions } from 'n8n-workflow';

import { InputError } from '../service/errors';
import type { OutputMode, SummaryMode } from '../service/runOutput';
import type { Field, Values } from './field';
import type { FileSettings } from './files';
import { readText } from './reading';

const RAW: INodePropertyOptions = {
	name: 'Raw',
	value: 'raw',
	description: 'The run as the service returns it',
};

const ROWS: INodePropertyOptions = {
	name: 'Rows',
	value: 'rows',
	description: 'One item for each row of the run’s output. An empty list gives no items.',
};

const SELECTED: INodePropertyOptions = {
	name: 'Selected Fields',
	value: 'selected',
	description:
		'Rows with only the fields that you name. They can be fields of the rows or of the run.',
};

const SIMPLIFIED: INodePropertyOptions = {
	name: 'Simplified',
	value: 'simplified',
	description: 'One item with the run’s output and its key fields',
};

/** How a run becomes output items, as users choose it who mostly want one of the ways. */
function outputFieldFor(byDefault: OutputMode): Field<OutputMode> {
	return {
		name: 'output',
		parameter: {
			displayName: 'Output',
			type: 'options',
			default: byDefault,
			description: 'What to return for each run',
			builderHint: {
				propertyHint:
					'rows for data, one item each; simplified where the task_id, the status or the live view is used next; selected with fieldNames for an AI agent, which should read no more than it needs.',
			},
			options: [RAW, ROWS, SELECTED, SIMPLIFIED],
		},
		read: (raw) =>
			raw === 'raw' || raw === 'rows' || raw === 'selected' || raw === 'simplified'
				? raw
				: byDefault,
	};
}

/** How the result of a run becomes output items. */
export const outputField = outputFieldFor('rows');

/** How a run becomes output items that is not over, or was stopped. */
export const stateOutputField = outputFieldFor('simplified');

/** How a list of runs becomes output items. */
const listOutputField: Field<SummaryMode> = {
	name: 'listOutput',
	parameter: {
		displayName: 'Output',
		type: 'options',
		default: 'simplified',
		description: 'What to return for each run',
		options: [
			{ ...RAW, description: 'All fields, as the service returns them' },
			{ ...SELECTED, description: 'Only the fields that you name' },
			{ ...SIMPLIFIED, description: 'The key fields' },
		],
	},
	read: (raw) => (raw === 'raw' || raw === 'selected' ? raw : 'simplified'),
};

/** The names of the fields that are wanted. */
const fieldNamesField: Field<string[]> = {
	name: 'fieldNames',
	parameter: {
		displayName: 'Fields',
		type: 'string',
		default: '',
		placeholder: 'e.g. title, price, task_id',
		description: 'Names of the fields, separated by commas',
	},
	showWhen: { output: ['selected'] },
	read: (raw) => {
		const advice = 'Enter names separated by commas, e.g. title, price.';
		const text = readText(Array.isArray(raw) ? raw.join(',') : raw, 'Fields', advice);
		const names = text.split(',').map((name) => name.trim());
		if (names.every((name) => name !== '')) return [...new Set(names)];
		throw new InputError('Fields has an empty name', advice);
	},
};

/** What an operation offers that gives the result of a run. */
export const RESULT_FIELDS = [outputField, fieldNamesField];

/** What an operation offers that gives a run while it is not over, or was stopped. */
export const STATE_FIELDS = [stateOutputField, fieldNamesField];

/** What an operation offers that lists runs. */
export const LIST_OUTPUT_FIELDS = [
	listOutputField,
	{ ...fieldNamesField, showWhen: { listOutput: ['selected'] } },
];

/** How runs are shown. Kept as JSON while an execution sleeps. */
export interface OutputSettings<Mode = OutputMode> {
	output: Mode;
	/** The names of the selected fields; missing where none are selected. */
	fields?: string[];
}

/** What to make of a run, and of its files. */
export interface ResultSettings extends OutputSettings {
	/** Which files to add; missing when none. */
	files?: FileSettings | undefined;
	/** Whether the input's binary fields go on, too. */
	keepInputFiles?: boolean;
}

/** The settings of an operation with `RESULT_FIELDS`. @throws InputError when no field is named */
export function readResultOutput(values: Values): OutputSettings {
	return withFields(values, values(outputField));
}

/** The settings of an operation with `STATE_FIELDS`. @throws InputError when no field is named */
export function readStateOutput(values: Values): OutputSettings {
	return withFields(values, values(stateOutputField));
}

/** The settings of an operation with `LIST_OUTPUT_FIELDS`. @throws InputError when no field is named */
export function readListOutput(values: Values): OutputSettings<SummaryMode> {
	return withFields(values, values(listOutputField));
}

function withFields<Mode extends OutputMode>(values: Values, output: Mode): OutputSettings<Mode> {
	return output === 'selected' ? { output, fields: values(fieldNamesField) } : { output };
}
