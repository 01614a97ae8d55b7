import { ask, at, bodyField, item, type Operation } from '../operation';

export const createBrowserRenewal: Operation = {
	name: 'Create for Browser Renewal',
	action: 'Create access grant for renewing browsers',
	description: 'Request permission to renew browsers',
	...ask('POST', at`/v2/auth/access-grants/browser/renewal`, {
		body: bodyField('The browsers to renew'),
	}),
	answer: item,
};
