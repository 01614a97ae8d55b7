import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The browsers to renew');

export const createBrowserRenewal: Operation = {
	value: 'createBrowserRenewal',
	name: 'Create for Browser Renewal',
	action: 'Create access grant for renewing browsers',
	description: 'Request permission to renew browsers',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/renewal',
		body: values(body),
	}),
	answer: item,
};
