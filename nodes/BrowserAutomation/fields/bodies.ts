import { InputError } from '../service/errors';
import { isJsonObject, toJson, type JsonObject, type JsonValue } from '../service/json/json';
import type { Field } from './field';
import { field, text } from './fieldBuilders';
import { readJsonObject } from './parseValue';

/** Who knows what the interface does not show. */
const ASK_SUPPORT = 'The field names are not published: ask the service’s support';

/**
 * The body of a request whose fields the interface does not show. It is checked to be an object, and sent as it is; no field
 * name is made up. One that has to be there begins as empty, which is not sent: some requests cost money.
 *
 * @param subject what the body says, as the beginning of a sentence, e.g. "The browser to create"
 */
export function bodyField(
	subject: string,
	required: boolean,
	what = 'as a JSON object. It is sent to the service unchanged.',
): Field<JsonObject> {
	return field({
		displayName: 'Body (JSON)',
		name: 'body',
		type: 'json',
		required,
		default: '{}',
		description: `${subject}, ${what}`,
		hint: ASK_SUPPORT,
		read: (raw, label) => {
			const body = readJsonObject(raw, label);
			if (!required || Object.keys(body).length > 0) return body;
			throw new InputError(`${label} is empty`, `Enter its fields. ${ASK_SUPPORT}`);
		},
	});
}

const objectsField = bodyField(
	'The captcha to solve',
	true,
	'as a JSON object whose values are objects. The service adds the settings of its provider.',
);

/** What the captcha solver gets: objects by name (docs/service.md: Browser instances). */
export const captchaField: Field<JsonObject> = {
	...objectsField,
	read: (raw, context) => {
		const body = objectsField.read(raw, context);
		const other = Object.keys(body).find((name) => !isJsonObject(body[name]));
		if (other === undefined) return body;
		throw new InputError(
			`Body (JSON) has something else than an object behind "${other}"`,
			'Put an object in braces behind each name.',
		);
	},
};

/**
 * A field of a new session. Its type is not shown in the interface, so what an expression gives is
 * sent as it is; empty text counts as not given.
 */
function sessionField(
	name: string,
	displayName: string,
	description: string,
	placeholder?: string,
): Field<JsonValue | undefined> {
	return text(name, displayName, {
		under: 'options',
		description,
		...(placeholder && { placeholder }),
		read: (raw, label) => {
			const isEmpty = raw === null || (typeof raw === 'string' && raw.trim() === '');
			return isEmpty ? undefined : toJson(raw, label);
		},
	});
}

/** The optional fields of a new session, by their names in the service (docs/service.md: Human assist). */
export const SESSION_FIELDS = {
	objective: sessionField(
		'objective',
		'Objective',
		'What the person is asked to do',
		'e.g. Enter the code from the text message',
	),
	page: sessionField('page', 'Page', 'The page that the session is about'),
	grubgemy: sessionField(
		'grubgemy',
		'Grubgemy',
		'A field that the service does not explain. Leave it out unless its support asks for it.',
	),
	os_type: sessionField(
		'osType',
		'OS Type',
		'Operating system of the client. Together with OS Architecture it selects the ffmpeg download.',
		'e.g. linux',
	),
	os_arch: sessionField(
		'osArch',
		'OS Architecture',
		'Processor architecture of the client. Together with OS Type it selects the ffmpeg download.',
		'e.g. x64',
	),
	gateway: sessionField(
		'gateway',
		'Gateway',
		'The gateway to use, one of those that are configured',
	),
} as const;
