import { numberOption } from './numbers';

/** How many requests a node has under way at once unless the user says otherwise. */
const DEFAULT_CONCURRENCY = 20;

/** How many requests may be under way at once. */
export const concurrencyField = numberOption({
	name: 'concurrency',
	displayName: 'Concurrency',
	description: 'How many requests to send to the service at the same time',
	default: DEFAULT_CONCURRENCY,
	most: 100,
});
