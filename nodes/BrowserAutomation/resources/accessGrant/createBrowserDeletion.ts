import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the browsers to delete');

export const createBrowserDeletion: Operation = {
	value: 'createBrowserDeletion',
	name: 'Create for Browser Deletion',
	action: 'Create an access grant for deleting browsers',
	description: 'Ask for the deletion of browsers',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/delete',
		body: values(body),
	}),
	answer: item,
};
