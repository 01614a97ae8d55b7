import { ask, at, item, workflowField, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get workflow (V2)',
	description: 'Read a workflow with the names of its inputs',
	...ask('GET', at`/v2/workflow/get-workflow`, {
		query: { workflow_id: workflowField },
		expects: { id: workflowField },
	}),
	answer: item,
};
