import { V3_RUNS } from '../../service/runs/runApi';
import { runField, type Operation } from '../operation';

export const wait: Operation = {
	name: 'Wait for Completion',
	action: 'Wait for run to complete',
	description: 'Wait for a run that was started elsewhere, and get its result',
	fields: [runField],
	run: { api: V3_RUNS, attach: (values) => values(runField) },
};
