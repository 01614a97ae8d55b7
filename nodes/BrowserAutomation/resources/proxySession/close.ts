import { done } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The session to close');

export const close: Operation = {
	value: 'close',
	name: 'Close',
	action: 'Close proxy session',
	description: 'End a proxy session',
	fields: [body],
	request: (values) => ({ method: 'POST', path: '/v2/proxy/session/close', body: values(body) }),
	answer: done,
};
