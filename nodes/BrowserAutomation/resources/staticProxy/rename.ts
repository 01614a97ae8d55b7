import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField, staticProxyField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

const body = bodyField('The new name');

export const rename: Operation = {
	value: 'rename',
	name: 'Rename',
	action: 'Rename static proxy',
	description: 'Give a static proxy another name',
	fields: [staticProxyField, body, concurrencyField],
	request: (values) => ({
		method: 'PUT',
		path: path`/v2/static-proxy/${values(staticProxyField)}/name`,
		body: values(body),
	}),
	answer: done,
};
