import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const get: Operation = {
	value: 'get',
	name: 'Get',
	action: 'Get browser',
	description: 'Read a browser instance',
	fields: [browserField, concurrencyField],
	request: (values) => ({ method: 'GET', path: path`/v2/browser/${values(browserField)}` }),
	answer: item,
};
