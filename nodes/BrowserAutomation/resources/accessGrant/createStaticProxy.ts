import { ask, at, item, type Operation } from '../operation';

export const createStaticProxy: Operation = {
	name: 'Create for Static Proxy',
	action: 'Create access grant for static proxy',
	description: 'Request access to a static proxy',
	...ask('POST', at`/v2/auth/access-grants/static-proxy`),
	answer: item,
};
