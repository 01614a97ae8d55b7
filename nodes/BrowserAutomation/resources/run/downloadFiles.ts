import { V3_RUNS } from '../../service/runs/runApi';
import { runField, runFiles, type Operation } from '../operation';

export const downloadFiles: Operation = {
	name: 'Download Files',
	action: 'Download files of run',
	description:
		'Download the result files of a run, and the files that it created, as binary fields',
	fields: [runField],
	request: (values) => V3_RUNS.detailRequest(values(runField)),
	answer: runFiles,
};
