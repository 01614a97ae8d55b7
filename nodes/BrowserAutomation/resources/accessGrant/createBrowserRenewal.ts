import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the browsers to renew');

export const createBrowserRenewal: Operation = {
	value: 'createBrowserRenewal',
	name: 'Create for Browser Renewal',
	action: 'Create an access grant for renewing browsers',
	description: 'Ask for the renewal of browsers',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/auth/access-grants/browser/renewal',
		body: values(body),
	}),
	answer: item,
};
