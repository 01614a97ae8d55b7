import { runResult } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { ATTACHING_FILES_FIELDS } from '../../fields/files';
import { RESULT_FIELDS } from '../../fields/output';
import { taskField } from '../../fields';
import { V2_TASKS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get task (V2)',
	description: 'Read a task with its output, files and steps',
	fields: [taskField, ...RESULT_FIELDS, ...ATTACHING_FILES_FIELDS, concurrencyField],
	request: (values) => V2_TASKS.detailRequest(values(taskField)),
	answer: runResult,
};
