import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { runField } from '../../fields';
import { V3_RUNS } from '../../service/runs/runApi';
import type { Operation } from '../operation';

export const resume: Operation = {
	value: 'resume',
	name: 'Resume',
	action: 'Resume run',
	description: 'Continue a paused run from where it paused',
	fields: [runField, concurrencyField],
	request: (values) => V3_RUNS.resumeRequest(values(runField)),
	answer: item,
};
