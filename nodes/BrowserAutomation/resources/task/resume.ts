import { V2_TASKS } from '../../service/runs/runApi';
import { taskAfterwards, taskField, type Operation } from '../operation';

export const resume: Operation = {
	name: 'Resume',
	action: 'Resume task (V2)',
	description: 'Continue a paused task from where it paused',
	fields: [taskField],
	request: (values) => V2_TASKS.resumeRequest(values(taskField)),
	answer: taskAfterwards,
};
