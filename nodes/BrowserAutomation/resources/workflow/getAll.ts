import { page } from '../../execution/handlers';
import { PAGING_FIELDS } from '../../fields/paging';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many workflows (V2)',
	description: 'List the workflows of this account',
	fields: [...PAGING_FIELDS],
	request: () => ({ method: 'GET', path: '/v2/workflow/list-workflows' }),
	answer: page({ max: 500 }),
};
