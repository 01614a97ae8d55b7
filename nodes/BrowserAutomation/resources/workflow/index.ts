import type { Resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflow: Resource = {
	value: 'workflow',
	name: 'Workflow',
	description:
		'Run bots of the type Workflow through the older interface V2. Bot > Run starts the same runs and checks their input.',
	operations: [run, get, getAll],
};
