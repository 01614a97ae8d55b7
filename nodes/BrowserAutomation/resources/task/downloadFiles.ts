import { concurrencyField } from '../../fields/concurrency';
import { DOWNLOAD_FIELDS } from '../../fields/files';
import { runFiles } from '../../execution/handlers';
import { taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const downloadFiles: Operation = {
	value: 'downloadFiles',
	name: 'Download Files',
	action: 'Download files of task (V2)',
	description:
		'Download the result files of a task, and the files that it created, as binary fields',
	fields: [taskField, ...DOWNLOAD_FIELDS, concurrencyField],
	request: (values) => V2_TASKS.detailRequest(values(taskField)),
	answer: runFiles,
};
