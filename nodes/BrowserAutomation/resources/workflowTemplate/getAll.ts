import { ask, at, keywordFilter, page, type Operation } from '../operation';

export const getAll: Operation = {
	name: 'Get Many',
	action: 'Get many workflow templates (V2)',
	description: 'List the official workflow templates, or search them by name',
	...ask('GET', at`/v2/workflow/list-official-workflow-templates`, {
		query: { keyword: keywordFilter },
	}),
	answer: page({ max: 500 }),
};
