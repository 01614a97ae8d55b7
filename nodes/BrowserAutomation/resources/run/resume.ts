import { V3_RUNS } from '../../service/runs/runApi';
import { item, runField, type Operation } from '../operation';

export const resume: Operation = {
	name: 'Resume',
	action: 'Resume run',
	description: 'Continue a paused run from where it paused',
	fields: [runField],
	request: (values) => V3_RUNS.resumeRequest(values(runField)),
	answer: item,
};
