import type { Field } from './field';
import { InputError } from '../service/errors';
import { isJsonObject, type JsonObject } from '../service/json';
import { readJsonObject } from './reading';

const LABEL = 'Body (JSON)';

/**
 * The body of a request whose fields the interface does not show. It is checked to be an object
 * and sent as it is; no field name is made up.
 *
 * @param subject what the body says, as the end of a sentence, e.g. "the browser to create"
 */
export function bodyField(subject: string): Field<JsonObject> {
	return {
		name: 'body',
		parameter: {
			displayName: LABEL,
			type: 'json',
			default: '{}',
			description: `A JSON object that describes ${subject}. It is sent to the service unchanged.`,
			hint: 'The service does not publish the names of the fields: take them from its operator.',
		},
		readsNull: true,
		read: (raw) => readJsonObject(raw, LABEL),
	};
}

/** What the captcha solver gets: objects by name (interface: Browser instances). */
export const captchaField: Field<JsonObject> = {
	name: 'body',
	parameter: {
		displayName: LABEL,
		type: 'json',
		default: '{}',
		description:
			'A JSON object that describes the captcha, with an object behind each name. The service adds its provider settings.',
		hint: 'e.g. { "captcha": { … } }. Take the names from the service’s operator.',
	},
	readsNull: true,
	read: (raw) => {
		const body = readJsonObject(raw, LABEL);
		const other = Object.keys(body).find((name) => !isJsonObject(body[name]));
		if (other === undefined) return body;
		throw new InputError(
			`${LABEL} has something else than an object behind "${other}"`,
			'Put an object in braces behind each name.',
		);
	},
};
