import { V2_TASKS } from '../../service/runs/runApi';
import { taskField, type Operation } from '../operation';

export const wait: Operation = {
	name: 'Wait for Completion',
	action: 'Wait for task to complete (V2)',
	description: 'Wait for a task that was started elsewhere, and get its result',
	fields: [taskField],
	run: { api: V2_TASKS, attach: (values) => values(taskField) },
};
