import { ask, at, bodyField, browserField, item, type Operation } from '../operation';

export const update: Operation = {
	name: 'Update',
	action: 'Update browser',
	description: 'Change a browser instance',
	...ask('PUT', at`/v2/browser/${browserField}`, {
		body: bodyField('What to change in the browser'),
	}),
	answer: item,
};
