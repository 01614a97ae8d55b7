import { runPage } from '../../execution/handlers';
import { LIST_OUTPUT_FIELDS } from '../../fields/output';
import { PAGING_FIELDS } from '../../fields/paging';
import {
	createdFromFilter,
	createdToFilter,
	taskStatusFilter,
	workflowIdFilter,
	workflowNameFilter,
} from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many tasks (V2)',
	description: 'List tasks by workflow, status or time of creation',
	fields: [
		...PAGING_FIELDS,
		...LIST_OUTPUT_FIELDS,
		workflowIdFilter,
		workflowNameFilter,
		createdFromFilter,
		createdToFilter,
		taskStatusFilter,
	],
	request: (values) =>
		V2_TASKS.listRequest({
			workflow_id: values(workflowIdFilter),
			workflow_name: values(workflowNameFilter),
			status: values(taskStatusFilter),
			created_at_from: values(createdFromFilter),
			created_at_to: values(createdToFilter),
		}),
	answer: runPage({ max: V2_TASKS.listLimit }),
};
