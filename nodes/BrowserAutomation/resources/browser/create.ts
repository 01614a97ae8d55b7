import { ask, at, bodyField, item, type Operation } from '../operation';

export const create: Operation = {
	name: 'Create',
	action: 'Create browser',
	description: 'Create a browser instance',
	...ask('POST', at`/v2/browser`, { body: bodyField('The browser to create') }),
	answer: item,
};
