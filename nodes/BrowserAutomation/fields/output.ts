import type { OutputMode, RunView, SummaryMode } from '../service/runs/runOutput';
import type { Field, FieldSet, ReadParam } from './field';
import { choice, field, switchOption, WAITS } from './fieldBuilders';
import { ATTACHED_FILES, includeInputFilesOption, type FileSettings } from './files';
import { readOptionalText, readSeveral } from './parseValue';

/** The parameters that choose the bot or run of the output. */
const SUBJECT_PARAMETERS = ['botId', 'workflowId', 'taskId', 'templateId', 'filters.bot'].map(
	(name) => `${name}.value`,
);

/** How a run becomes output items, as users choose it who mostly want one of the ways. */
function outputFieldFor(byDefault: OutputMode): Field<OutputMode> {
	return choice('output', 'Output', {
		default: byDefault,
		showWhen: WAITS,
		choices: {
			raw: ['Raw', 'The run as the service returns it'],
			rows: [
				'Rows',
				'One item for each element of the output’s list: none for an empty one. Without a clear list, one item.',
			],
			selected: [
				'Selected Fields',
				'Rows with only the fields you choose, from the rows or the run, and the run’s ID (task_id)',
			],
			simplified: ['Simplified', 'One item with the run’s output and its key fields'],
		},
	});
}

export const outputField = outputFieldFor('rows');
export const stateOutputField = outputFieldFor('simplified');

const listOutputField = choice('listOutput', 'Output', {
	default: 'simplified',
	choices: {
		raw: ['Raw', 'All fields, as the service returns them'],
		selected: ['Selected Fields', 'Only the fields that you name, and the run’s ID (task_id)'],
		simplified: ['Simplified', 'The key fields'],
	},
});

const fieldNamesField = field({
	displayName: 'Field Names or IDs',
	name: 'fieldNames',
	type: 'multiOptions',
	typeOptions: { loadOptionsMethod: 'getOutputFields', loadOptionsDependsOn: SUBJECT_PARAMETERS },
	default: [],
	description:
		'Choose from the list, or specify IDs using an <a href="https://docs.n8n.io/code/expressions/">expression</a>',
	showWhen: { ...WAITS, output: ['selected'] },
	read: readNames,
});

/** Names in a list are what they are, also with spaces at their ends. */
function readNames(raw: unknown, label: string): string[] {
	const readName = (part: unknown): string | undefined => {
		const name = readOptionalText(part, label);
		return Array.isArray(raw) && name !== undefined ? String(part) : name;
	};
	return [...new Set(readSeveral(raw, label, readName))];
}

export const rowsFromOption = field({
	displayName: 'List to Split Into Rows',
	name: 'rowsFrom',
	under: 'outputOptions',
	type: 'resourceLocator',
	default: { mode: 'list', value: '' },
	description: 'The list that becomes the rows, e.g. leads or data.items',
	showWhen: { '/output': ['rows', 'selected'] },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			typeOptions: { searchListMethod: 'searchRowLists' },
		},
		{ displayName: 'By Name', name: 'name', type: 'string', placeholder: 'e.g. leads' },
	],
	read: readOptionalText,
});

export const includeBesideOption = switchOption('includeBeside', 'Include Fields Beside the List', {
	under: 'outputOptions',
	description: 'Whether rows also have what stands beside their list',
	showWhen: { '/output': ['rows'] },
});

export const includeInputOption = switchOption('includeInput', 'Include Other Input Fields', {
	under: 'outputOptions',
	description: 'Whether items also have the fields of their input item, e.g. its keyword',
});

/** How rows are compared with those of earlier executions. Kept as JSON while an execution sleeps. */
export interface NewRows {
	/** What comes of the rows when there are none to compare with. */
	firstTime: 'all' | 'none';
	/** The fields that make a row another one; all of them where there are none. */
	compare: string[];
}

export const onlyNewOption = choice('onlyNewRows', 'Only New or Changed Rows', {
	under: 'outputOptions',
	default: 'all',
	absent: undefined,
	description: 'Compared with all earlier executions, tests too, up to 100,000 rows',
	showWhen: { '/output': ['rows'] },
	choices: {
		all: 'First Time: All Rows',
		none: ['First Time: None', 'The first execution with rows only remembers them'],
	},
});

export const compareOption = field({
	...fieldNamesField.parameter,
	displayName: 'Only New: Field Names or IDs',
	name: 'compareFields',
	under: 'outputOptions',
	typeOptions: { loadOptionsMethod: 'getRowFields', loadOptionsDependsOn: SUBJECT_PARAMETERS },
	description: 'What makes a row new, e.g. its link. Without it any change counts.',
	showWhen: { '/output': ['rows'], onlyNewRows: ['all', 'none'] },
	read: (raw = [], label) => (Array.isArray(raw) && raw.length === 0 ? [] : readNames(raw, label)),
});

const ROWS_OPTIONS = [rowsFromOption, includeBesideOption];

/** What to make of a run, and of its files. */
export interface ResultSettings extends RunView {
	/** Which files to add; missing when none. */
	files?: FileSettings | undefined;
	/** Whether the input item's fields go on, too, and its binary fields. */
	includeInput?: boolean;
	includeInputFiles?: boolean;
	/** Missing where all rows are wanted. */
	onlyNew?: NewRows;
}

/** What is made of the result of a run. */
export const RESULT = {
	fields: [
		...[outputField, fieldNamesField, ...ROWS_OPTIONS, onlyNewOption, compareOption],
		...[includeInputOption, ...ATTACHED_FILES.fields],
	],
	read: (values: ReadParam): ResultSettings => {
		const view = readView(values, outputField);
		const firstTime = values(onlyNewOption);
		const isCompared = view.output === 'rows' && firstTime !== undefined;
		return {
			...view,
			...(isCompared && { onlyNew: { firstTime, compare: values(compareOption) } }),
			files: ATTACHED_FILES.read(values),
			includeInput: values(includeInputOption),
			includeInputFiles: values(includeInputFilesOption),
		};
	},
};

/** What is made of a run that may not be over. */
export const STATE: FieldSet<RunView> = {
	fields: [stateOutputField, fieldNamesField, ...ROWS_OPTIONS],
	read: (values) => readView(values, stateOutputField),
};

/** What is made of each run of a list. */
export const LISTED: FieldSet<RunView<SummaryMode>> = {
	fields: [listOutputField, { ...fieldNamesField, showWhen: { listOutput: ['selected'] } }],
	read: (values) => {
		const output = values(listOutputField);
		return output === 'selected' ? { output, fields: values(fieldNamesField) } : { output };
	},
};

function readView(values: ReadParam, outputField: Field<OutputMode>): RunView {
	const output = values(outputField);
	if (output !== 'rows' && output !== 'selected') return { output };
	const rowsFrom = values(rowsFromOption);
	return {
		output,
		...(rowsFrom !== undefined && { rowsFrom }),
		...(output === 'selected' && { fields: values(fieldNamesField) }),
		...(output === 'rows' && values(includeBesideOption) && { includeBeside: true }),
	};
}
