import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField, browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

const body = bodyField('What to change in the browser');

export const update: Operation = {
	value: 'update',
	name: 'Update',
	action: 'Update browser',
	description: 'Change a browser instance',
	fields: [browserField, body, concurrencyField],
	request: (values) => ({
		method: 'PUT',
		path: path`/v2/browser/${values(browserField)}`,
		body: values(body),
	}),
	answer: item,
};
