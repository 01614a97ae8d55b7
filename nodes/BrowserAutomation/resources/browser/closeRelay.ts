import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { browserField } from '../../fields';
import { path } from '../../service/http/request';
import type { Operation } from '../operation';

export const closeRelay: Operation = {
	value: 'closeRelay',
	name: 'Close Relay',
	action: 'Close relay of browser',
	description: 'Close the relay of a browser instance',
	fields: [browserField, concurrencyField],
	request: (values) => ({
		method: 'DELETE',
		path: path`/v2/browser/${values(browserField)}/relay`,
	}),
	answer: done,
};
