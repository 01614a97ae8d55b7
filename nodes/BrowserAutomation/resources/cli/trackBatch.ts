import { ask, at, done, optionalBodyField, type Operation } from '../operation';

export const trackBatch: Operation = {
	name: 'Track Events in Batch',
	action: 'Track events in batch',
	description: 'Send several tracking events at once',
	...ask('POST', at`/v2/cli/tracking/batch`, { body: optionalBodyField('The events') }),
	answer: done,
};
