import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the browsers to purchase');

export const createBrowserPurchase: Operation = {
	value: 'createBrowserPurchase',
	name: 'Create for Browser Purchase',
	action: 'Create an access grant for purchasing browsers',
	description: 'Ask for the purchase of browsers. Browser > Get Many finds them by the request ID.',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/purchase',
		body: values(body),
	}),
	answer: item,
};
