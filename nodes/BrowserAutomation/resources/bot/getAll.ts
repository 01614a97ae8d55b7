import { ask, at, botTypeFilter, keywordFilter, page, type Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many bots',
	description: 'List the published bots that this account can run',
	...ask('GET', at`/v3/bots`, { query: { keyword: keywordFilter, bot_type: botTypeFilter } }),
	answer: page({ max: 100 }),
};
