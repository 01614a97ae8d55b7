import { callbacksToNotify } from '../../fields/notify';
import { callbackFields } from '../../service/events/callback';
import { V2_TASKS } from '../../service/runs/runApi';
import {
	given,
	profileIdOption,
	readTaskInput,
	saveBrowserDataOption,
	TASK_INPUT_FIELDS,
	workflowField,
	type Operation,
} from '../operation';

const OPTIONS = { save_browser_data: saveBrowserDataOption, profile_id: profileIdOption };

export const run: Operation = {
	name: 'Run',
	action: 'Run workflow (V2)',
	description: 'Start a workflow, wait until its task is done, and get the result',
	fields: [workflowField, ...TASK_INPUT_FIELDS, ...Object.values(OPTIONS)],
	run: {
		api: V2_TASKS,
		start: (values) => ({
			method: 'POST',
			path: '/v2/workflow/run-task',
			body: {
				workflow_id: values(workflowField),
				input_parameters: readTaskInput(values),
				...given<string | boolean>(values, OPTIONS),
				...callbackFields(callbacksToNotify(values)),
			},
		}),
	},
};
