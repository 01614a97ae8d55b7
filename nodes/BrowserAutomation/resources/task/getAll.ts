import { V2_TASKS } from '../../service/runs/runApi';
import {
	createdFromFilter,
	createdToFilter,
	given,
	runPage,
	taskStatusFilter,
	workflowIdFilter,
	workflowNameFilter,
	type Operation,
} from '../operation';

const FILTERS = {
	workflow_id: workflowIdFilter,
	workflow_name: workflowNameFilter,
	status: taskStatusFilter,
	created_at_from: createdFromFilter,
	created_at_to: createdToFilter,
};

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many tasks (V2)',
	description: 'List tasks by workflow, status or time of creation',
	fields: Object.values(FILTERS),
	request: (values) => V2_TASKS.listRequest(given(values, FILTERS)),
	answer: runPage({ max: V2_TASKS.listLimit }),
};
