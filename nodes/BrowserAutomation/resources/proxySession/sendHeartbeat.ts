import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the session to keep alive');

export const sendHeartbeat: Operation = {
	value: 'sendHeartbeat',
	name: 'Send Heartbeat',
	action: 'Send a heartbeat for a proxy session',
	description: 'Keep a proxy session alive',
	fields: [body, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/proxy/session/heartbeat',
		body: values(body),
	}),
	answer: done,
};
