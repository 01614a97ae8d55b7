import { item } from '../../execution/handlers';
import { concurrencyField } from '../../fields/concurrency';
import { SESSION_FIELDS } from '../../fields';
import type { JsonObject } from '../../service/json';
import type { Operation } from '../operation';

export const create: Operation = {
	value: 'create',
	name: 'Create Session',
	action: 'Create a human assist session',
	description: 'Create a session in which a person helps with a browser',
	fields: [...Object.values(SESSION_FIELDS), concurrencyField],
	request: (values) => {
		const body: JsonObject = {};
		for (const [name, field] of Object.entries(SESSION_FIELDS)) {
			const value = values(field);
			if (value !== undefined) body[name] = value;
		}
		return { method: 'POST', path: '/v2/human-assist/create', body };
	},
	answer: item,
};
