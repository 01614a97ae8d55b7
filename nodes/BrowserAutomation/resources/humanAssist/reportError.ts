import { item } from '../../execution/handlers';
import { sessionUuidField } from '../../fields';
import type { Operation } from '../operation';

export const reportError: Operation = {
	value: 'reportError',
	name: 'Report Error',
	action: 'Report error of human assist session',
	description: 'End a session with an error, on behalf of the client',
	fields: [sessionUuidField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/error-cli',
		query: { uuid: values(sessionUuidField) },
	}),
	answer: item,
};
