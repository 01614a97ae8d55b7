import { taskAfterwards } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { STATE_FIELDS } from '../../fields/output';
import { taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const resume: Operation = {
	value: 'resume',
	name: 'Resume',
	action: 'Resume task (V2)',
	description: 'Continue a paused task from where it paused',
	fields: [taskField, ...STATE_FIELDS, concurrencyField],
	request: (values) => V2_TASKS.resumeRequest(values(taskField)),
	answer: taskAfterwards,
};
