import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflow: Resource = {
	value: 'workflow',
	name: 'Workflow',
	operations: [run, get, getAll],
};
