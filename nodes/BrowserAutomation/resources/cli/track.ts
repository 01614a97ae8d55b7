import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The event');

export const track: Operation = {
	value: 'track',
	name: 'Track Event',
	action: 'Track event',
	description: 'Send a tracking event',
	fields: [body],
	request: (values) => ({ method: 'POST', path: '/v2/cli/tracking', body: values(body) }),
	answer: done,
};
