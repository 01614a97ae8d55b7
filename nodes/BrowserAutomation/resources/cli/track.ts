import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const track: Operation = {
	name: 'Track Event',
	action: 'Track event',
	description: 'Send a tracking event',
	...ask('POST', at`/v2/cli/tracking`, { body: optionalBodyField('The event') }),
	answer: done,
};
