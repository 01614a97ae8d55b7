import { RESULT_FIELDS } from '../../fields/output';
import { ATTACHING_FIELDS } from '../../fields/waiting';
import { taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const wait: Operation = {
	value: 'wait',
	name: 'Wait for Completion',
	action: 'Wait for task to complete (V2)',
	description: 'Wait for a task that was started elsewhere, and get its result',
	fields: [taskField, ...RESULT_FIELDS, ...ATTACHING_FIELDS],
	run: { api: V2_TASKS, attach: (values) => values(taskField) },
};
