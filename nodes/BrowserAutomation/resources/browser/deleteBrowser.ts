import { ask, at, browserField, deleted, type Operation } from '../operation';

export const deleteBrowser: Operation = {
	name: 'Delete',
	action: 'Delete browser',
	description: 'Delete a browser instance permanently',
	...ask('DELETE', at`/v2/browser/${browserField}`),
	answer: deleted,
};
