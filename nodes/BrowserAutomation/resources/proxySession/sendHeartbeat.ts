import { done } from '../../execution/handlers';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('The session to keep alive');

export const sendHeartbeat: Operation = {
	value: 'sendHeartbeat',
	name: 'Send Heartbeat',
	action: 'Send heartbeat for proxy session',
	description: 'Keep a proxy session alive',
	fields: [body],
	request: (values) => ({
		method: 'POST',
		path: '/v2/proxy/session/heartbeat',
		body: values(body),
	}),
	answer: done,
};
