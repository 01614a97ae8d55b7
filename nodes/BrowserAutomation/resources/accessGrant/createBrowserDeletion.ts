import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The browsers to delete');

export const createBrowserDeletion: Operation = {
	value: 'createBrowserDeletion',
	name: 'Create for Browser Deletion',
	action: 'Create access grant for deleting browsers',
	description: 'Request permission to delete browsers',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/delete',
		body: values(body),
	}),
	answer: item,
};
