import type { Field, Values } from './field';
import { FORM_FIELDS, inputFieldsField, inputModeField } from './input';
import { RUN_STATUSES } from '../service/runs/runStatus';
import { toInput } from '../service/schema/inputSchema';
import { toInputPairs, type InputPair } from '../service/schema/inputPairs';
import { choiceFilter, locator, locatorFilter, optionalId, optionalText } from './fieldBuilders';
import { readJson, readOptionalSwitch } from './parseValue';
import { statusChoices } from './runs';

/** The workflow to read or run. */
export const workflowField = locator(
	{
		name: 'workflowId',
		displayName: 'Workflow',
		description: 'A workflow of the service, not one of n8n. Its ID is the ID of the bot.',
		placeholder: 'e.g. 76520131497525',
	},
	'searchWorkflows',
);

/** The official workflow template to read or run. */
export const workflowTemplateField = locator(
	{
		name: 'templateId',
		displayName: 'Workflow Template',
		description: 'The official workflow template to use',
		placeholder: 'e.g. 76520131497525',
	},
	'searchWorkflowTemplates',
);

/** The task to read or act on. */
export const taskField = locator(
	{
		name: 'taskId',
		displayName: 'Task',
		description: 'The task to use (a run, in the V2 API)',
		placeholder: 'e.g. 90210047112233',
	},
	'searchTasks',
);

/** The input of a task as JSON, e.g. from an expression. */
const taskInputField: Field<InputPair[]> = {
	name: 'input',
	parameter: {
		displayName: 'Input (JSON)',
		type: 'json',
		default: '{}',
		description:
			'The input as a JSON object, or as a list of objects with name and value. Workflow (V2) > Get and Workflow Template (V2) > Get show the names as input_parameters. Enter {} if no input is needed.',
		hint: 'e.g. { "keyword": "laptop", "pages": 3 }',
	},
	showWhen: { inputMode: ['json'] },
	readsNull: true,
	read: (raw) => {
		const inputs = raw === null ? raw : readJson(raw, 'Input (JSON)');
		return inputs === undefined ? [] : toInputPairs(inputs, 'Input (JSON)');
	},
};

/** What a user fills in for the input of a task. */
export const TASK_INPUT_FIELDS: ReadonlyArray<Field<unknown>> = [...FORM_FIELDS, taskInputField];

/**
 * The input of a task as the user gave it, in either way. Fields left empty are left out.
 *
 * @throws InputError when the JSON is none, or a value cannot be sent
 */
export function readTaskInput(values: Values): InputPair[] {
	if (values(inputModeField) === 'json') return values(taskInputField);
	return toInputPairs(toInput(undefined, values(inputFieldsField)), 'Input');
}

/** Whether the browser's data outlives the task. */
export const saveBrowserDataOption: Field<boolean | undefined> = {
	name: 'saveBrowserData',
	group: 'options',
	parameter: {
		displayName: 'Save Browser Data',
		type: 'boolean',
		default: true,
		description:
			'Whether to keep the browser’s data, e.g. cookies, for later tasks with the same profile',
	},
	read: (raw) => readOptionalSwitch(raw, 'Save Browser Data'),
};

/** The browser profile whose data a task uses. */
export const profileIdOption = optionalId('options', {
	name: 'profileId',
	displayName: 'Profile ID',
	description:
		'Browser profile whose saved data the task uses. The output of a task that saves browser data shows it as profile_id.',
	placeholder: 'e.g. 81200311459002',
});

export const taskStatusFilter = choiceFilter(
	{ name: 'status', displayName: 'Status', description: 'Only tasks with this status' },
	statusChoices([...RUN_STATUSES, 'unknown']),
	'finished',
);

export const workflowIdFilter = locatorFilter(
	{
		name: 'workflowId',
		displayName: 'Workflow',
		description: 'Only tasks of this workflow',
		placeholder: 'e.g. 76520131497525',
	},
	'searchWorkflows',
);

export const workflowNameFilter = optionalText('filters', {
	name: 'workflowName',
	displayName: 'Workflow Name',
	description: 'Only tasks of the workflow with this name',
	placeholder: 'e.g. Price monitor',
});
