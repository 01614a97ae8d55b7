import { V2_TASKS } from '../../service/runs/runApi';
import { runFiles, taskField, type Operation } from '../operation';

export const downloadFiles: Operation = {
	name: 'Download Files',
	action: 'Download files of task (V2)',
	description:
		'Download the result files of a task, and the files that it created, as binary fields',
	fields: [taskField],
	request: (values) => V2_TASKS.detailRequest(values(taskField)),
	answer: runFiles,
};
