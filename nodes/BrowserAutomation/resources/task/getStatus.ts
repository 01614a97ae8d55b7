import { V2_TASKS } from '../../service/runs/runApi';
import { taskField, taskStatus, type Operation } from '../operation';

export const getStatus: Operation = {
	name: 'Get Status',
	action: 'Get status of task (V2)',
	description: 'Read only the status of a task, which is faster than reading the whole task',
	fields: [taskField],
	request: (values) => V2_TASKS.statusRequest(values(taskField)),
	answer: taskStatus,
};
