import { taskAfterwards } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { outputField } from '../../fields/output';
import { taskField } from '../../fields';
import type { Operation } from '../operation';

export const resume: Operation = {
	value: 'resume',
	name: 'Resume',
	action: 'Resume a task',
	description: 'Let a paused task go on from where it paused',
	fields: [taskField, outputField, concurrencyField],
	request: (values) => ({
		method: 'PUT',
		path: '/v2/workflow/resume-task',
		query: { task_id: values(taskField) },
	}),
	answer: taskAfterwards,
};
