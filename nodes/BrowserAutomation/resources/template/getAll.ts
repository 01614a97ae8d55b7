import { ask, at, keywordFilter, page, type Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many templates',
	description: 'List the official templates, or search them by name',
	...ask('GET', at`/v3/bots/templates`, { query: { keyword: keywordFilter } }),
	answer: page({ max: 500 }),
};
