import { ask, at, item, templateField, type Operation } from '../operation';

export const get: Operation = {
	name: 'Get',
	action: 'Get template',
	description: 'Read an official template with the schema of its input',
	...ask('GET', at`/v3/bots/templates/${templateField}`, {
		expects: { template_id: templateField },
	}),
	answer: item,
};
