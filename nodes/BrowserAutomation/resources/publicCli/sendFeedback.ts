import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const sendFeedback: Operation = {
	name: 'Send Feedback',
	action: 'Send feedback, signed',
	description: 'Send feedback to the service, with a signature instead of an API key',
	access: 'signed',
	...ask('POST', at`/open/cli/feedback`, { body: optionalBodyField('The feedback') }),
	answer: done,
};
