import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The feedback');

export const sendFeedback: Operation = {
	value: 'sendFeedback',
	name: 'Send Feedback',
	action: 'Send feedback, signed',
	description: 'Send feedback to the service, with a signature instead of an API key',
	fields: [body],
	access: 'signed',
	request: (values) => ({ method: 'POST', path: '/open/cli/feedback', body: values(body) }),
	answer: done,
};
