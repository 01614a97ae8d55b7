import { callbacksToNotify } from '../../fields/notify';
import { callbackFields } from '../../service/events/callback';
import { V2_TASKS } from '../../service/runs/runApi';
import {
	given,
	proxyRegionOption,
	readTaskInput,
	TASK_INPUT_FIELDS,
	workflowTemplateField,
	type Operation,
} from '../operation';

export const run: Operation = {
	name: 'Run',
	action: 'Run workflow template (V2)',
	description:
		'Start an official workflow template, wait until its task is done, and get the result',
	fields: [workflowTemplateField, ...TASK_INPUT_FIELDS, proxyRegionOption],
	run: {
		api: V2_TASKS,
		start: (values) => ({
			method: 'POST',
			path: '/v2/workflow/run-task-by-template',
			body: {
				workflow_template_id: values(workflowTemplateField),
				input_parameters: readTaskInput(values),
				...given(values, { proxyRegion: proxyRegionOption }),
				...callbackFields(callbacksToNotify(values)),
			},
		}),
	},
};
