import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the session to close');

export const close: Operation = {
	value: 'close',
	name: 'Close',
	action: 'Close a proxy session',
	description: 'End a proxy session',
	fields: [body, concurrencyField],
	request: (values) => ({ method: 'POST', path: '/v2/proxy/session/close', body: values(body) }),
	answer: done,
};
