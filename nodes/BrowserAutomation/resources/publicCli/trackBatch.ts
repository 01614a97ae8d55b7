import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const trackBatch: Operation = {
	name: 'Track Events in Batch',
	action: 'Track events in batch, signed',
	description: 'Send several tracking events at once, with a signature instead of an API key',
	access: 'signed',
	...ask('POST', at`/open/cli/tracking/batch`, { body: optionalBodyField('The events') }),
	answer: done,
};
