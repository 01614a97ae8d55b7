import { ask, at, browserField, item, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get browser',
	description: 'Read a browser instance',
	...ask('GET', at`/v2/browser/${browserField}`),
	answer: item,
};
