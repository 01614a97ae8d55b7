import { taskStatus } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const getStatus: Operation = {
	value: 'getStatus',
	name: 'Get Status',
	action: 'Get status of task (V2)',
	description: 'Read only the status of a task, which is faster than reading the whole task',
	fields: [taskField, concurrencyField],
	request: (values) => V2_TASKS.statusRequest(values(taskField)),
	answer: taskStatus,
};
