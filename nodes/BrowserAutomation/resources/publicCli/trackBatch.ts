import { done } from '../../execution/handlers';
import { optionalBodyField } from '../../fields';
import type { Operation } from '../operation';

const body = optionalBodyField('The events');

export const trackBatch: Operation = {
	value: 'trackBatch',
	name: 'Track Events in Batch',
	action: 'Track events in batch, signed',
	description: 'Send several tracking events at once, with a signature instead of an API key',
	fields: [body],
	access: 'signed',
	request: (values) => ({
		method: 'POST',
		path: '/open/cli/tracking/batch',
		body: values(body),
	}),
	answer: done,
};
