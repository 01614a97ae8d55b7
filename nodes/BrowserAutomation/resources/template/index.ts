import { resource } from '../operation';
import { get } from './get';
import { getAll } from './getAll';
import { getRegions } from './getRegions';
import { run } from './run';

export const template = resource({
	value: 'template',
	name: 'Template',
	description: 'Run the service’s official bots, with an input form for each',
	operations: { run, get, getAll, getRegions },
});
