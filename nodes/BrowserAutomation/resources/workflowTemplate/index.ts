import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflowTemplate: Resource = {
	value: 'workflowTemplate',
	name: 'Workflow Template',
	description:
		'Run official templates through the older interface V2. Template > Run starts the same runs and checks their input.',
	operations: [run, get, getAll],
};
