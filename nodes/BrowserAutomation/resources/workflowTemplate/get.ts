import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { workflowTemplateField } from '../../fields';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get workflow template (V2)',
	description: 'Read an official workflow template with the names of its inputs',
	fields: [workflowTemplateField, concurrencyField],
	request: (values) => ({
		method: 'GET',
		path: '/v2/workflow/get-official-workflow-template',
		query: { workflow_template_id: values(workflowTemplateField) },
	}),
	answer: item,
};
