import { page } from '../../execution/handlers';
import { limitField, returnAllField } from '../../fields/paging';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many workflows',
	description: 'List the workflows of this account',
	fields: [returnAllField, limitField],
	request: () => ({ method: 'GET', path: '/v2/workflow/list-workflows' }),
	answer: page({ max: 500 }),
};
