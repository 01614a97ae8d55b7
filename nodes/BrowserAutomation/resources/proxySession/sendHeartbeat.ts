import { ask, at, bodyField, done, type Operation } from '../operation';

export const sendHeartbeat: Operation = {
	name: 'Send Heartbeat',
	action: 'Send heartbeat for proxy session',
	description: 'Keep a proxy session alive',
	...ask('POST', at`/v2/proxy/session/heartbeat`, { body: bodyField('The session to keep alive') }),
	answer: done,
};
