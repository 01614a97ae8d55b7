import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { sessionUuidField } from '../../fields';
import type { Operation } from '../operation';

export const complete: Operation = {
	value: 'complete',
	name: 'Complete',
	action: 'Complete a human assist session',
	description: 'End a session as completed, from the side of the client',
	fields: [sessionUuidField, concurrencyField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/complete-cli',
		query: { uuid: values(sessionUuidField) },
	}),
	answer: item,
};
