import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const sendFeedback: Operation = {
	name: 'Send Feedback',
	action: 'Send feedback',
	description: 'Send feedback to the service',
	...ask('POST', at`/v2/cli/feedback`, { body: optionalBodyField('The feedback') }),
	answer: done,
};
