import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import type { Operation } from '../operation';

export const createStaticProxy: Operation = {
	value: 'createStaticProxy',
	name: 'Create for Static Proxy',
	action: 'Create an access grant for a static proxy',
	description: 'Ask for access to a static proxy',
	fields: [concurrencyField],
	request: () => ({ method: 'POST', path: '/v2/auth/access-grants/static-proxy' }),
	answer: item,
};
