import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the feedback');

export const sendFeedback: Operation = {
	value: 'sendFeedback',
	name: 'Send Feedback',
	action: 'Send feedback',
	description: 'Send feedback to the service',
	fields: [body, concurrencyField],
	request: (values) => ({ method: 'POST', path: '/v2/cli/feedback', body: values(body) }),
	answer: done,
};
