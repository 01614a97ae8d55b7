import { given, item, SESSION_FIELDS, type Operation } from '../operation';

export const create: Operation = {
	name: 'Create Session',
	action: 'Create human assist session',
	description: 'Create a session in which a person helps with a browser',
	fields: Object.values(SESSION_FIELDS),
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/create',
		body: given(values, SESSION_FIELDS),
	}),
	answer: item,
};
