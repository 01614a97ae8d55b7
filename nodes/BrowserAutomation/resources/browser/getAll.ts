import { ask, at, browserStatusFilter, page, requestIdFilter, type Operation } from '../operation';

/** The largest page is not shown; the default is certain to be given in full (docs/service.md: Limits). */
const DEFAULT_PAGE = 20;

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many browsers',
	description: 'List the browser instances, e.g. those of one purchase',
	...ask('GET', at`/v2/browser`, {
		query: { request_id: requestIdFilter, status: browserStatusFilter },
	}),
	answer: page({ max: DEFAULT_PAGE }),
};
