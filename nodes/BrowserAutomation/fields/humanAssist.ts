import type { Field } from './field';
import type { JsonValue } from '../service/json/json';
import { readId, toJson } from './parseValue';

/** The human assist session to end. */
export const sessionUuidField: Field<string> = {
	name: 'uuid',
	parameter: {
		displayName: 'Session UUID',
		type: 'string',
		required: true,
		default: '',
		description: 'The session to end',
		placeholder: 'e.g. 5f1c0c1e-6f0e-4f0b-9f57-2f6f3a1b9d10',
	},
	read: (raw) =>
		readId(raw, 'Session UUID', 'Enter the UUID of the session that Create Session returned.'),
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
	return {
		name,
		group: 'options',
		parameter: {
			displayName,
			type: 'string',
			default: '',
			description,
			...(placeholder !== undefined && { placeholder }),
		},
		read: (raw) => {
			if (typeof raw === 'string' && raw.trim() === '') return undefined;
			return raw === null ? undefined : toJson(raw, displayName);
		},
	};
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
