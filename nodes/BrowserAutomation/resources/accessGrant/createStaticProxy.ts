import { item } from '../../execution/handlers';
import type { Operation } from '../operation';

export const createStaticProxy: Operation = {
	value: 'createStaticProxy',
	name: 'Create for Static Proxy',
	action: 'Create access grant for static proxy',
	description: 'Request access to a static proxy',
	fields: [],
	request: () => ({ method: 'POST', path: '/v2/auth/access-grants/static-proxy' }),
	answer: item,
};
