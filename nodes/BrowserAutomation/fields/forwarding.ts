import type { INodeProperties } from 'n8n-workflow';

import { forwardPath } from '../service/http/forwardPath';
import { toPairs, type InputPair } from '../service/schema/inputPairs';
import { choice, field, requiredText, switchOption } from './fieldBuilders';
import { readJson, readText } from './parseValue';

export const methodField = choice({
	name: 'method',
	displayName: 'Method',
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

export const forwardPathField = requiredText({
	name: 'path',
	displayName: 'Path',
	description:
		'Path below /v2/cli-service/, without percent-encoding. The paths are not published: ask the service’s support.',
	placeholder: 'e.g. some/path',
	read: (raw, label) => forwardPath(readText(raw, label, 'Enter a path below /v2/cli-service/.')),
});

function partOfParameter(displayName: string, name: string): INodeProperties {
	const description = `${displayName} of the parameter`;
	return { displayName, name, type: 'string', default: '', description };
}

/** Query parameters by name. A name may come more than once. */
export const queryField = field({
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
	read: (raw) => {
		const query = new Map<string, string[]>();
		for (const { name, value } of readPairs(raw, 'Query Parameters')) {
			query.set(name, [...(query.get(name) ?? []), value]);
		}
		return Object.fromEntries(query);
	},
});

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
export const forwardBodyField = field({
	displayName: 'Body (JSON)',
	name: 'body',
	type: 'json',
	default: '',
	description: 'JSON to send as the body. Leave it empty to send none.',
	showWhen: { method: ['DELETE', 'PATCH', 'POST', 'PUT'] },
	read: (raw) => readJson(raw, 'Body (JSON)'),
});

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
