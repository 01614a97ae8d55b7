import { RESULT_FIELDS } from '../../fields/output';
import { ATTACHING_FIELDS } from '../../fields/waiting';
import { runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const wait: Operation = {
	value: 'wait',
	name: 'Wait for Completion',
	action: 'Wait for run to complete',
	description: 'Wait for a run that was started elsewhere, and get its result',
	fields: [runField, ...RESULT_FIELDS, ...ATTACHING_FIELDS],
	run: { api: V3_RUNS, attach: (values) => values(runField) },
};
