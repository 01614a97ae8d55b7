import type { INodeProperties } from 'n8n-workflow';

import { forwardPath } from '../service/http/forwardPath';
import type { ServiceRequest } from '../service/http/request';
import { partOf } from '../service/json/json';
import { toPairs } from '../service/schema/inputPairs';
import type { FieldSet } from './field';
import { choice, field, switchOption, text } from './fieldBuilders';
import { readJson, readText } from './parseValue';

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
		'Path below /v2/cli-service/, without percent-encoding. The paths are not published: ask the service’s support.',
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
		const rows = readJson(partOf(raw, 'pair') ?? raw, label) ?? [];
		const query = new Map<string, string[]>();
		for (const { name, value } of toPairs(rows, label)) {
			query.set(name, [...(query.get(name) ?? []), value]);
		}
		return Object.fromEntries(query);
	},
});

/** The methods of requests that may have a body. */
const WITH_BODY = ['DELETE', 'PATCH', 'POST', 'PUT'];

/** Any JSON (docs/service.md: Forwarding). */
const bodyField = field({
	displayName: 'Body (JSON)',
	name: 'body',
	type: 'json',
	default: '',
	description: 'JSON to send as the body. Leave it empty to send none.',
	showWhen: { method: WITH_BODY },
	read: readJson,
});

/** The request that is forwarded. */
export const FORWARD: FieldSet<ServiceRequest> = {
	fields: [methodField, pathField, queryField, bodyField],
	read: (values) => {
		const method = values(methodField);
		const body = WITH_BODY.includes(method) ? values(bodyField) : undefined;
		return {
			method,
			path: values(pathField),
			query: values(queryField),
			headers: { Accept: '*/*' },
			...(body !== undefined && { body }),
		};
	},
};

/** Whether to give the status and headers too. Named as in n8n's HTTP Request, like the other one. */
export const fullResponseOption = switchOption(
	'fullResponse',
	'Include Response Headers and Status',
	{
		description:
			'Whether to return the full response (headers and response status code) data instead of only the body',
	},
);

export const neverErrorOption = switchOption('neverError', 'Never Error', {
	description: 'Whether to succeed also when the status code is not 2xx',
});
