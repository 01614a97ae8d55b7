import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const track: Operation = {
	name: 'Track Event',
	action: 'Track event, signed',
	description: 'Send a tracking event, with a signature instead of an API key',
	access: 'signed',
	...ask('POST', at`/open/cli/tracking`, { body: optionalBodyField('The event') }),
	answer: done,
};
