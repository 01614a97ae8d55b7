import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The feedback');

export const sendFeedback: Operation = {
	value: 'sendFeedback',
	name: 'Send Feedback',
	action: 'Send feedback',
	description: 'Send feedback to the service',
	fields: [body],
	request: (values) => ({ method: 'POST', path: '/v2/cli/feedback', body: values(body) }),
	answer: done,
};
