import { page } from '../../execution/handlers';
import { PAGING_FIELDS } from '../../fields/paging';
import { botTypeFilter, keywordFilter } from '../../fields';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many bots',
	description: 'List the published bots that this account can run',
	fields: [...PAGING_FIELDS, keywordFilter, botTypeFilter],
	request: (values) => ({
		method: 'GET',
		path: '/v3/bots',
		query: { keyword: values(keywordFilter), bot_type: values(botTypeFilter) },
	}),
	answer: page({ max: 100 }),
};
