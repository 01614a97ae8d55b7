import { page } from '../../execution/answers';
import { concurrencyField } from '../../execution/concurrency';
import { limitField, returnAllField } from '../../execution/paging';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many workflows',
	description: 'List the workflows of this account',
	fields: [returnAllField, limitField, concurrencyField],
	request: () => ({ method: 'GET', path: '/v2/workflow/list-workflows' }),
	answer: page({ max: 500 }),
};
