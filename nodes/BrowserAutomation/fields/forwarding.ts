import type { Field } from './field';
import { InputError } from '../service/errors';
import { forwardPath } from '../service/http/forwardPath';
import type { JsonValue } from '../service/json/json';
import type { HttpMethod } from '../service/http/request';
import { toPairs, type InputPair } from '../service/schema/inputPairs';
import { readJson, readText } from './parseValue';
import { switchOption } from './switches';

const METHODS: readonly HttpMethod[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];

export const methodField: Field<HttpMethod> = {
	name: 'method',
	parameter: {
		displayName: 'Method',
		type: 'options',
		default: 'GET',
		description: 'The HTTP method of the request',
		options: METHODS.map((method) => ({ name: method, value: method })),
	},
	read: (raw) => {
		const method = METHODS.find((candidate) => candidate === raw);
		if (method !== undefined) return method;
		throw new InputError('Method is not known', `Use one of ${METHODS.join(', ')}.`);
	},
};

export const forwardPathField: Field<string> = {
	name: 'path',
	parameter: {
		displayName: 'Path',
		type: 'string',
		required: true,
		default: '',
		description:
			'Path below /v2/cli-service/, without percent-encoding. The paths are not published: ask the service’s support.',
		placeholder: 'e.g. some/path',
	},
	read: (raw) => forwardPath(readText(raw, 'Path', 'Enter a path below /v2/cli-service/.')),
};

/** Query parameters by name. A name may come more than once. */
export const queryField: Field<Record<string, string[]>> = {
	name: 'queryParameters',
	parameter: {
		displayName: 'Query Parameters',
		type: 'fixedCollection',
		typeOptions: { multipleValues: true },
		placeholder: 'Add Parameter',
		default: {},
		description: 'Parameters to add to the URL',
		options: [
			{
				displayName: 'Parameter',
				name: 'pair',
				values: [
					{
						displayName: 'Name',
						name: 'name',
						type: 'string',
						default: '',
						description: 'Name of the parameter',
					},
					{
						displayName: 'Value',
						name: 'value',
						type: 'string',
						default: '',
						description: 'Value of the parameter',
					},
				],
			},
		],
	},
	read: (raw) => {
		const query = new Map<string, string[]>();
		for (const { name, value } of readPairs(raw, 'Query Parameters')) {
			query.set(name, [...(query.get(name) ?? []), value]);
		}
		return Object.fromEntries(query);
	},
};

/**
 * Names and values from a list that the user adds to one by one (`{ pair: [{ name, value }] }`).
 * Rows that are still empty are left out.
 *
 * @throws InputError naming the field
 */
function readPairs(raw: unknown, label: string): InputPair[] {
	const rows: unknown = typeof raw === 'object' && raw !== null && 'pair' in raw ? raw.pair : raw;
	const isEmpty = typeof rows === 'object' && rows !== null && Object.keys(rows).length === 0;
	return isEmpty ? [] : toPairs(readJson(rows, label) ?? [], label);
}

/** The body of a forwarded request: any JSON (docs/service.md: Forwarding). */
export const forwardBodyField: Field<JsonValue | undefined> = {
	name: 'body',
	parameter: {
		displayName: 'Body (JSON)',
		type: 'json',
		default: '',
		description: 'JSON to send as the body. Leave it empty to send none.',
	},
	showWhen: { method: ['DELETE', 'PATCH', 'POST', 'PUT'] },
	read: (raw) => readJson(raw, 'Body (JSON)'),
};

/** Whether to give the status and headers too. Named as in n8n's HTTP Request, like the other one. */
export const fullResponseOption = switchOption({
	name: 'fullResponse',
	displayName: 'Include Response Headers and Status',
	description:
		'Whether to return the full response (headers and response status code) data instead of only the body',
});

export const neverErrorOption = switchOption({
	name: 'neverError',
	displayName: 'Never Error',
	description: 'Whether to succeed also when the status code is not 2xx',
});
