import { V3_RUNS } from '../../service/runs/runApi';
import { runField, runResult, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get run',
	description: 'Read a run with its output, files and steps',
	fields: [runField],
	request: (values) => V3_RUNS.detailRequest(values(runField)),
	answer: runResult,
};
