import { callbacksToNotify, NOTIFY_FIELDS } from '../../fields/notify';
import { RESULT_FIELDS } from '../../fields/output';
import { STARTING_FIELDS, waitForCompletionField } from '../../fields/waiting';
import {
	readTaskInput,
	TASK_INPUT_FIELDS,
	profileIdOption,
	saveBrowserDataOption,
	workflowField,
} from '../../fields';
import { callbackFields } from '../../service/events/callback';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const run: Operation = {
	value: 'run',
	name: 'Run',
	action: 'Run workflow (V2)',
	description: 'Start a workflow, wait until its task is done, and get the result',
	fields: [
		workflowField,
		...TASK_INPUT_FIELDS,
		waitForCompletionField,
		...RESULT_FIELDS,
		...NOTIFY_FIELDS,
		saveBrowserDataOption,
		profileIdOption,
		...STARTING_FIELDS,
	],
	run: {
		api: V2_TASKS,
		start: (values) => {
			const saveBrowserData = values(saveBrowserDataOption);
			const profileId = values(profileIdOption);
			return {
				method: 'POST',
				path: '/v2/workflow/run-task',
				body: {
					workflow_id: values(workflowField),
					input_parameters: readTaskInput(values),
					...(saveBrowserData !== undefined && { save_browser_data: saveBrowserData }),
					...(profileId !== undefined && { profile_id: profileId }),
					...callbackFields(callbacksToNotify(values)),
				},
			};
		},
	},
};
