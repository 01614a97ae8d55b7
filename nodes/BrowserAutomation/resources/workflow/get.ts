import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { workflowField } from '../../fields';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get workflow (V2)',
	description: 'Read a workflow with the names of its inputs',
	fields: [workflowField, concurrencyField],
	request: (values) => ({
		method: 'GET',
		path: '/v2/workflow/get-workflow',
		query: { workflow_id: values(workflowField) },
		expects: { id: values(workflowField) },
	}),
	answer: item,
};
