import { item } from '../../execution/handlers';
import { SESSION_FIELDS } from '../../fields';
import type { Operation } from '../operation';

export const create: Operation = {
	value: 'create',
	name: 'Create Session',
	action: 'Create human assist session',
	description: 'Create a session in which a person helps with a browser',
	fields: Object.values(SESSION_FIELDS),
	request: (values) => ({
		method: 'POST',
		path: '/v2/human-assist/create',
		body: Object.fromEntries(
			Object.entries(SESSION_FIELDS).flatMap(([name, field]) => {
				const value = values(field);
				return value === undefined ? [] : [[name, value]];
			}),
		),
	}),
	answer: item,
};
