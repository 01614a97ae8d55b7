import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField, browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

const body = bodyField('The relay to open');

export const openRelay: Operation = {
	value: 'openRelay',
	name: 'Open Relay',
	action: 'Open relay to browser',
	description: 'Open a relay to a browser instance',
	fields: [browserField, body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: path`/v2/browser/${values(browserField)}/relay`,
		body: values(body),
	}),
	answer: item,
};
