import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField, browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

const body = bodyField('The client that starts the browser');

export const getStartConfig: Operation = {
	value: 'getStartConfig',
	name: 'Get Start Config',
	action: 'Get start config of browser',
	description: 'Read the encrypted launch configuration of a browser, with version information',
	fields: [browserField, body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: path`/v2/browser/${values(browserField)}/start-config`,
		body: values(body),
	}),
	answer: item,
};
