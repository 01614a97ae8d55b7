import type { Field } from './field';
import { InputError } from '../service/errors';
import { isJsonObject, type JsonObject } from '../service/json/json';
import { readJsonObject } from './parseValue';

const LABEL = 'Body (JSON)';

/** Who knows what the interface does not show. */
const ASK_SUPPORT = 'The field names are not published: ask the service’s support';

/**
 * The body of a request whose fields the interface does not show. It is checked to be an object
 * and sent as it is; no field name is made up.
 *
 * @param subject what the body says, as the beginning of a sentence, e.g. "The browser to create"
 */
export function optionalBodyField(subject: string): Field<JsonObject> {
	return {
		name: 'body',
		parameter: {
			displayName: LABEL,
			type: 'json',
			default: '{}',
			description: `${subject}, as a JSON object. It is sent to the service unchanged.`,
			hint: ASK_SUPPORT,
		},
		readsNull: true,
		read: (raw) => readJsonObject(raw, LABEL),
	};
}

/** A body that has to be there. What it begins with is empty, and is not sent: some requests cost money. */
export function bodyField(subject: string): Field<JsonObject> {
	const field = optionalBodyField(subject);
	return {
		...field,
		parameter: { ...field.parameter, required: true },
		read: (raw, timeZone) => {
			const body = field.read(raw, timeZone);
			if (Object.keys(body).length > 0) return body;
			throw new InputError(`${LABEL} is empty`, `Enter its fields. ${ASK_SUPPORT}`);
		},
	};
}

const anyCaptchaField = bodyField('The captcha to solve');

/** What the captcha solver gets: objects by name (docs/service.md: Browser instances). */
export const captchaField: Field<JsonObject> = {
	...anyCaptchaField,
	parameter: {
		...anyCaptchaField.parameter,
		description:
			'The captcha to solve, as a JSON object whose values are objects. The service adds the settings of its provider.',
	},
	read: (raw, timeZone) => {
		const body = anyCaptchaField.read(raw, timeZone);
		const other = Object.keys(body).find((name) => !isJsonObject(body[name]));
		if (other === undefined) return body;
		throw new InputError(
			`${LABEL} has something else than an object behind "${other}"`,
			'Put an object in braces behind each name.',
		);
	},
};
