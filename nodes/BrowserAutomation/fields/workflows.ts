import type { Field } from './field';
import { RUN_STATUSES } from '../service/runStatus';
import { toInputPairs, type InputPair } from '../service/inputPairs';
import { choiceFilter, locator, optionalText } from './making';
import { readPairs } from './pairs';
import { readJson, readOptionalSwitch } from './reading';
import { statusChoices } from './runs';

/** The workflow to read or run. */
export const workflowField = locator(
	{
		name: 'workflowId',
		displayName: 'Workflow',
		description:
			'A workflow of the service, not one of n8n. Bot > Run starts the same runs, with an input form.',
		placeholder: 'e.g. 76520131497525',
	},
	'searchWorkflows',
);

/** The official workflow template to read or run. */
export const workflowTemplateField = locator(
	{
		name: 'templateId',
		displayName: 'Workflow Template',
		description:
			'The official workflow template to use. Template > Run starts the same runs, with an input form.',
		placeholder: 'e.g. 76520131497525',
	},
	'searchWorkflowTemplates',
);

/** The task to read or act on. */
export const taskField = locator(
	{
		name: 'taskId',
		displayName: 'Task',
		description: 'The task to use: a run, as the older interface V2 shows it',
		placeholder: 'e.g. 90210047112233',
	},
	'searchTasks',
);

/** The inputs of a task, one by one. */
export const inputPairsField: Field<InputPair[]> = {
	name: 'inputParameters',
	parameter: {
		displayName: 'Inputs',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Input',
		default: {},
		description: 'The inputs of the workflow, by name. Workflow > Get lists the names.',
		options: [
			{
				displayName: 'Input',
				name: 'pair',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						placeholder: 'e.g. keyword',
						description: 'Name of the input in the workflow',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						placeholder: 'e.g. laptop',
						description: 'Value of the input. Numbers, lists and objects are sent as text.',
					},
				],
			},
		],
	},
	read: (raw) => readPairs(raw, 'Inputs'),
};

/** The same inputs as JSON, e.g. from an expression. */
export const inputJsonField: Field<InputPair[]> = {
	name: 'input',
	parameter: {
		displayName: 'Input (JSON)',
		type: 'json',
		default: '{}',
		description:
			'More inputs, as a JSON object or as a list of objects with name and value. Where Inputs above has the same name, its value is sent.',
		hint: 'e.g. { "keyword": "laptop", "pages": 3 }',
	},
	readsNull: true,
	read: (raw) => {
		const inputs = raw === null ? raw : readJson(raw, 'Input (JSON)');
		return inputs === undefined ? [] : toInputPairs(inputs, 'Input (JSON)');
	},
};

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
export const profileIdOption = optionalText('options', {
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

export const workflowIdFilter = optionalText('filters', {
	name: 'workflowId',
	displayName: 'Workflow ID',
	description: 'Only tasks of this workflow',
	placeholder: 'e.g. 76520131497525',
});

export const workflowNameFilter = optionalText('filters', {
	name: 'workflowName',
	displayName: 'Workflow Name',
	description: 'Only tasks of the workflow with this name',
	placeholder: 'e.g. Price monitor',
});
