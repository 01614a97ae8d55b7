import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflowTemplate: Resource = {
	value: 'workflowTemplate',
	name: 'Workflow Template',
	operations: [run, get, getAll],
};
