import { runResult } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { ATTACHING_FILES_FIELDS } from '../../fields/files';
import { RESULT_FIELDS } from '../../fields/output';
import { runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get run',
	description: 'Read a run with its output, files and steps',
	fields: [runField, ...RESULT_FIELDS, ...ATTACHING_FILES_FIELDS, concurrencyField],
	request: (values) => V3_RUNS.detailRequest(values(runField)),
	answer: runResult,
};
