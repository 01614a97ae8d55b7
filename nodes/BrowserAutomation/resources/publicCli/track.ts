import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the event');

export const track: Operation = {
	value: 'track',
	name: 'Track Event',
	action: 'Track an event, signed',
	description: 'Send a tracking event with a signature instead of an API key',
	fields: [body, concurrencyField],
	access: 'signed',
	request: (values) => ({ method: 'POST', path: '/open/cli/tracking', body: values(body) }),
	answer: done,
};
