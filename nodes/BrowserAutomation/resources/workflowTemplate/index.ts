import { resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { run } from './run';

export const workflowTemplate = resource({
	value: 'workflowTemplate',
	name: 'Workflow Template (V2)',
	description:
		'Official templates, through the older V2 API. Template > Run has a form and checks the input.',
	operations: { run, get, getAll },
});
