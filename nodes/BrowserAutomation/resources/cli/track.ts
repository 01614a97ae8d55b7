import { done } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { bodyField } from '../../fields';
import type { Operation } from '../operation';

const body = bodyField('the event');

export const track: Operation = {
	value: 'track',
	name: 'Track Event',
	action: 'Track an event',
	description: 'Send a tracking event',
	fields: [body, concurrencyField],
	request: (values) => ({ method: 'POST', path: '/v2/cli/tracking', body: values(body) }),
	answer: done,
};
