import { ask, at, item, sessionUuidField, type Operation } from '../operation';

export const reportError: Operation = {
	name: 'Report Error',
	action: 'Report error of human assist session',
	description: 'End a session with an error, on behalf of the client',
	...ask('POST', at`/v2/human-assist/error-cli`, { query: { uuid: sessionUuidField } }),
	answer: item,
};
