import { ask, at, page, type Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many workflows (V2)',
	description: 'List the workflows of this account',
	...ask('GET', at`/v2/workflow/list-workflows`),
	answer: page({ max: 500 }),
};
