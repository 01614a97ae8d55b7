import { ask, at, item, sessionUuidField, type Operation } from '../operation';

export const complete: Operation = {
	name: 'Complete',
	action: 'Complete human assist session',
	description: 'End a session as completed, on behalf of the client',
	...ask('POST', at`/v2/human-assist/complete-cli`, { query: { uuid: sessionUuidField } }),
	answer: item,
};
