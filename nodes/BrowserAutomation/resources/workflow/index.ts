import { resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflow = resource({
	value: 'workflow',
	name: 'Workflow (V2)',
	description:
		'Workflow bots, through the older V2 API. Bot > Run has a form and checks the input.',
	operations: { run, get, getAll },
});
