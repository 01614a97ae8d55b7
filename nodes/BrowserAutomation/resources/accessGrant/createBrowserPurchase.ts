import { ask, at, bodyField, item, type Operation } from '../operation';

export const createBrowserPurchase: Operation = {
	name: 'Create for Browser Purchase',
	action: 'Create access grant for purchasing browsers',
	description:
		'Request permission to purchase browsers. Browser > Get Many finds them by the request ID.',
	...ask('POST', at`/v2/auth/access-grants/browser/purchase`, {
		body: bodyField('The browsers to purchase'),
	}),
	answer: item,
};
