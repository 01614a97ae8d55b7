import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The browser to create');

export const create: Operation = {
	value: 'create',
	name: 'Create',
	action: 'Create browser',
	description: 'Create a browser instance',
	fields: [body, concurrencyField],
	request: (values) => ({ method: 'POST', path: '/v2/browser', body: values(body) }),
	answer: item,
};
