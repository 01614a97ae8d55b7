import { page } from '../../execution/handlers';
import { PAGING_FIELDS } from '../../fields/paging';
import { keywordFilter } from '../../fields';
import type { Operation } from '../operation';

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many workflow templates (V2)',
	description: 'List the official workflow templates, or search them by name',
	fields: [...PAGING_FIELDS, keywordFilter],
	request: (values) => ({
		method: 'GET',
		path: '/v2/workflow/list-official-workflow-templates',
		query: { keyword: values(keywordFilter) },
	}),
	answer: page({ max: 500 }),
};
