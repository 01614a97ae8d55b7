import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { templateField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get template',
	description: 'Read an official template with the schema of its input',
	fields: [templateField, concurrencyField],
	request: (values) => ({
		method: 'GET',
		path: path`/v3/bots/templates/${values(templateField)}`,
		expects: { template_id: values(templateField) },
	}),
	answer: item,
};
