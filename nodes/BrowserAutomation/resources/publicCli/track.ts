import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The event');

export const track: Operation = {
	value: 'track',
	name: 'Track Event',
	action: 'Track event, signed',
	description: 'Send a tracking event, with a signature instead of an API key',
	fields: [body],
	access: 'signed',
	request: (values) => ({ method: 'POST', path: '/open/cli/tracking', body: values(body) }),
	answer: done,
};
