import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The events');

export const trackBatch: Operation = {
	value: 'trackBatch',
	name: 'Track Events in Batch',
	action: 'Track events in batch',
	description: 'Send several tracking events at once',
	fields: [body],
	request: (values) => ({ method: 'POST', path: '/v2/cli/tracking/batch', body: values(body) }),
	answer: done,
};
