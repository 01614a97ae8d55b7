import { callbacksToNotify, NOTIFY_FIELDS } from '../../fields/notify';
import { RESULT_FIELDS } from '../../fields/output';
import { STARTING_FIELDS, waitForCompletionField } from '../../fields/waiting';
import {
	readTaskInput,
	TASK_INPUT_FIELDS,
	proxyRegionOption,
	workflowTemplateField,
} from '../../fields';
import { callbackFields } from '../../service/events/callback';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const run: Operation = {
	value: 'run',
	name: 'Run',
	action: 'Run workflow template (V2)',
	description:
		'Start an official workflow template, wait until its task is done, and get the result',
	fields: [
		workflowTemplateField,
		...TASK_INPUT_FIELDS,
		waitForCompletionField,
		...RESULT_FIELDS,
		...NOTIFY_FIELDS,
		proxyRegionOption,
		...STARTING_FIELDS,
	],
	run: {
		api: V2_TASKS,
		start: (values) => {
			const region = values(proxyRegionOption);
			return {
				method: 'POST',
				path: '/v2/workflow/run-task-by-template',
				body: {
					workflow_template_id: values(workflowTemplateField),
					input_parameters: readTaskInput(values),
					...(region !== undefined && { proxyRegion: region }),
					...callbackFields(callbacksToNotify(values)),
				},
			};
		},
	},
};
