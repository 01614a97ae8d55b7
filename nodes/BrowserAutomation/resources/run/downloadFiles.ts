import { concurrencyField } from '../../fields/concurrency';
import { DOWNLOAD_FIELDS } from '../../fields/files';
import { runFiles } from '../../execution/handlers';
import { runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const downloadFiles: Operation = {
	value: 'downloadFiles',
	name: 'Download Files',
	action: 'Download files of run',
	description:
		'Download the result files of a run, and the files that it created, as binary fields',
	fields: [runField, ...DOWNLOAD_FIELDS, concurrencyField],
	request: (values) => V3_RUNS.detailRequest(values(runField)),
	answer: runFiles,
};
