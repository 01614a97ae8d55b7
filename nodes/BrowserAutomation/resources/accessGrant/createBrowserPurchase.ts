import { item } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The browsers to purchase');

export const createBrowserPurchase: Operation = {
	value: 'createBrowserPurchase',
	name: 'Create for Browser Purchase',
	action: 'Create access grant for purchasing browsers',
	description:
		'Request permission to purchase browsers. Browser > Get Many finds them by the request ID.',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/purchase',
		body: values(body),
	}),
	answer: item,
};
