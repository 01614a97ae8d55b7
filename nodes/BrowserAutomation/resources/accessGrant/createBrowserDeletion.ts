import { ask, at, bodyField, item, type Operation } from '../operation';

export const createBrowserDeletion: Operation = {
	name: 'Create for Browser Deletion',
	action: 'Create access grant for deleting browsers',
	description: 'Request permission to delete browsers',
	...ask('POST', at`/v2/auth/access-grants/browser/delete`, {
		body: bodyField('The browsers to delete'),
	}),
	answer: item,
};
