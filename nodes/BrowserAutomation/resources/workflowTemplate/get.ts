import { ask, at, item, workflowTemplateField, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get workflow template (V2)',
	description: 'Read an official workflow template with the names of its inputs',
	...ask('GET', at`/v2/workflow/get-official-workflow-template`, {
		query: { workflow_template_id: workflowTemplateField },
	}),
	answer: item,
};
