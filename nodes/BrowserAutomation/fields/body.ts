import type { Field } from './field';
import { InputError } from '../service/errors';
import { isJsonObject, type JsonObject } from '../service/json';
import { readJsonObject } from './reading';

const LABEL = 'Body (JSON)';

/** Who knows what the interface does not show. */
const ASK_SUPPORT =
	'The field names are not published. The support of the service can tell you which ones to use.';

/**
 * The body of a request whose fields the interface does not show. It is checked to be an object
 * and sent as it is; no field name is made up.
 *
 * @param subject what the body says, as the beginning of a sentence, e.g. "The browser to create"
 */
export function bodyField(subject: string): Field<JsonObject> {
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

/** What the captcha solver gets: objects by name (docs/service.md: Browser instances). */
export const captchaField: Field<JsonObject> = {
	name: 'body',
	parameter: {
		displayName: LABEL,
		type: 'json',
		default: '{}',
		description:
			'The captcha to solve, as a JSON object whose values are objects. The service adds the settings of its provider.',
		hint: ASK_SUPPORT,
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
