import { ask, at, bodyField, done, type Operation } from '../operation';

export const close: Operation = {
	name: 'Close',
	action: 'Close proxy session',
	description: 'End a proxy session',
	...ask('POST', at`/v2/proxy/session/close`, { body: bodyField('The session to close') }),
	answer: done,
};
