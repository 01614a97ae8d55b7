import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { sessionUuidField } from '../../fields';
import type { Operation } from '../operation';

export const reportError: Operation = {
	value: 'reportError',
	name: 'Report Error',
	action: 'Report an error of a human assist session',
	description: 'End a session as an error, from the side of the client',
	fields: [sessionUuidField, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/error-cli',
		query: { uuid: values(sessionUuidField) },
	}),
	answer: item,
};
