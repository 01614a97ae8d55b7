import { isExpression, type INodeProperties } from 'n8n-workflow';

import { InputError } from '../service/errors';
import { forwardPath } from '../service/http/forwardPath';
import type { ServiceRequest } from '../service/http/request';
import {
	isJsonObject,
	partOf,
	toJson,
	type JsonObject,
	type JsonValue,
} from '../service/json/json';
import { toInputPairs } from '../service/schema/inputPairs';
import type { Field, FieldSet } from './field';
import { choice, field, switchOption, text } from './fieldBuilders';
import { readJsonValue, readJsonObject, readText } from './parseValue';

/**
 * The body of a request whose fields the interface does not show. It is checked to be an object, and sent as it is; no field
 * name is made up. One that has to be there begins as empty, which is not sent: some requests cost money.
 *
 * @param subject what the body says, as the beginning of a sentence, e.g. "The browser to create"
 */
export function bodyField(subject: string, required: boolean): Field<JsonObject> {
	return field({
		displayName: 'Body (JSON)',
		name: 'body',
		type: 'json',
		required,
		default: '{}',
		description: subject,
		read: (raw, label) => {
			const body = readJsonObject(raw, label);
			if (!required || Object.keys(body).length > 0) return body;
			throw new InputError(
				`${label} is empty`,
				'Enter its fields. The service’s support knows them.',
			);
		},
	});
}

const objectsField = bodyField(
	'The captcha to solve, as objects by name. The service adds the settings of its provider.',
	true,
);

/** The captcha solver's input: objects by name (docs/service.md: Browser instances). */
export const captchaField: Field<JsonObject> = {
	...objectsField,
	read: (raw, context) => {
		const body = objectsField.read(raw, context);
		const other = Object.keys(body).find((name) => !isJsonObject(body[name]));
		if (other === undefined) return body;
		throw new InputError(
			`'Body (JSON)' has something else than an object behind "${other}"`,
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
		'The service’s field grubgemy, which it does not explain. Leave it out unless its support asks for it.',
	),
	os_type: sessionField(
		'osType',
		'OS Type',
		"Operating system of the client. Together with 'OS Architecture' it selects the ffmpeg download.",
		'e.g. linux',
	),
	os_arch: sessionField(
		'osArch',
		'OS Architecture',
		"Processor architecture of the client. Together with 'OS Type' it selects the ffmpeg download.",
		'e.g. x64',
	),
	gateway: sessionField(
		'gateway',
		'Gateway',
		'The gateway to use, one of those that are configured',
	),
} as const;

const methodField = choice('method', 'Method', {
	default: 'GET',
	description: 'The HTTP method of the request',
	choices: {
		DELETE: 'DELETE',
		GET: 'GET',
		HEAD: 'HEAD',
		OPTIONS: 'OPTIONS',
		PATCH: 'PATCH',
		POST: 'POST',
		PUT: 'PUT',
	},
});

const pathField = text('path', 'Path', {
	required: true,
	description:
		'Path below /v2/cli-service/, without percent-encoding. The paths are not published.',
	placeholder: 'e.g. some/path',
	read: (raw, label) => forwardPath(readText(raw, label, 'Enter a path below /v2/cli-service/.')),
});

function partOfParameter(displayName: string, name: string): INodeProperties {
	const description = `${displayName} of the parameter`;
	return { displayName, name, type: 'string', default: '', description };
}

/** By name. A name may come more than once, and rows that are still empty are left out. */
const queryField = field({
	displayName: 'Query Parameters',
	name: 'queryParameters',
	type: 'fixedCollection',
	typeOptions: { multipleValues: true },
	placeholder: 'Add Parameter',
	default: {},
	description: 'Parameters to add to the URL',
	options: [
		{
			displayName: 'Parameter',
			name: 'pair',
			values: [partOfParameter('Name', 'name'), partOfParameter('Value', 'value')],
		},
	],
	read: (raw, label) => {
		const rows = readJsonValue(partOf(raw, 'pair') ?? raw, label) ?? [];
		const query = new Map<string, string[]>();
		for (const { name, value } of toInputPairs(rows, label)) {
			query.set(name, [...(query.get(name) ?? []), value]);
		}
		return Object.fromEntries(query);
	},
});

/** The methods of requests that may have a body. */
const WITH_BODY = ['DELETE', 'PATCH', 'POST', 'PUT'];

/** Any JSON (docs/service.md: Forwarding). */
const forwardedBodyField = field({
	displayName: 'Body (JSON)',
	name: 'body',
	type: 'json',
	default: '',
	description: 'JSON to send as the body. Leave it empty to send none.',
	showWhen: { method: WITH_BODY },
	read: (raw, label, context) => {
		const body = readJsonValue(raw, label);
		if (body !== undefined || !isExpression(context.getNode().parameters.body)) return body;
		throw new InputError(
			`${label} has an expression that gave no value`,
			'To send no body, leave the field empty. To send an empty text or null, let the expression give "" with its quotes, or the text null.',
		);
	},
});

/** The request that is forwarded. */
export const FORWARD: FieldSet<ServiceRequest> = {
	fields: [methodField, pathField, queryField, forwardedBodyField],
	read: (values) => {
		const method = values(methodField);
		const body = WITH_BODY.includes(method) ? values(forwardedBodyField) : undefined;
		return {
			method,
			path: values(pathField),
			query: values(queryField),
			headers: { Accept: '*/*' },
			...(body !== undefined && { body }),
		};
	},
};

/** Whether to give the status and headers too. */
export const fullResponseOption = switchOption('fullResponse', 'Include Headers and Status', {
	description: 'Whether to return the status and the headers of the response beside its body',
});

export const neverErrorOption = switchOption('neverError', 'Never Error', {
	description: 'Whether to succeed also when the status code is not 2xx',
});
