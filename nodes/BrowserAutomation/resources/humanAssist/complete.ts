import { item } from '../../execution/handlers';
import { sessionUuidField } from '../../fields';
import type { Operation } from '../operation';

export const complete: Operation = {
	value: 'complete',
	name: 'Complete',
	action: 'Complete human assist session',
	description: 'End a session as completed, on behalf of the client',
	fields: [sessionUuidField],
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/complete-cli',
		query: { uuid: values(sessionUuidField) },
	}),
	answer: item,
};
