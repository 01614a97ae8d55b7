import { page } from '../../execution/handlers';
import { PAGING_FIELDS } from '../../fields/paging';
import { browserStatusFilter, requestIdFilter } from '../../fields';
import type { Operation } from '../operation';

/** The largest page is not shown; the default is certain to be given in full (docs/service.md: Limits). */
const DEFAULT_PAGE = 20;

export const getAll: Operation = {
	value: 'getAll',
	name: 'Get Many',
	action: 'Get many browsers',
	description: 'List the browser instances, e.g. those of one purchase',
	fields: [...PAGING_FIELDS, browserStatusFilter, requestIdFilter],
	request: (values) => ({
		method: 'GET',
		path: '/v2/browser',
		query: { request_id: values(requestIdFilter), status: values(browserStatusFilter) },
	}),
	answer: page({ max: DEFAULT_PAGE }),
};
