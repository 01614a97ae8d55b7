import { V2_TASKS } from '../../service/runs/runApi';
import { runResult, taskField, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get task (V2)',
	description: 'Read a task with its output, files and steps',
	fields: [taskField],
	request: (values) => V2_TASKS.detailRequest(values(taskField)),
	answer: runResult,
};
