import type { DocumentOperation } from '../../sandbox/document';
import { isObject, objectOrEmpty } from '../../sandbox/json';
import type { JsonObject } from '../../sandbox/json';
import type { Sample } from './samples';

export interface Malformed {
	readonly what: string;
	readonly request: Sample;
	/** Code of the envelope. */
	readonly code: number;
}

const PARAMETER = 99001;

/** Every way in which the document lets a well-formed request of an operation go wrong. */
export function malformedRequests(operation: DocumentOperation, good: Sample): Malformed[] {
	return [
		...badKeys(operation, good),
		...badParameters(operation, good),
		...badBodies(operation, good),
	];
}

function badKeys(operation: DocumentOperation, good: Sample): Malformed[] {
	if (operation.security?.length === 0) return [];
	return [
		{ what: 'no key', request: { ...good, key: null }, code: 401 },
		{ what: 'a wrong key', request: { ...good, key: 'wrong' }, code: 401 },
	];
}

function badParameters(operation: DocumentOperation, good: Sample): Malformed[] {
	const parameters: unknown[] = operation.parameters ?? [];
	const known = parameters.filter(isObject);
	const takesAny = known.some(({ name }) => name === '*');
	const malformed: Malformed[] = takesAny
		? []
		: [
				{
					what: 'an unknown query parameter',
					request: { ...good, query: { ...good.query, surprise: '1' } },
					code: PARAMETER,
				},
			];
	for (const parameter of known) {
		const name = String(parameter['name']);
		if (parameter['in'] === 'query' && name !== '*') {
			if (parameter['required'] === true) {
				malformed.push({
					what: `no ${name}`,
					request: { ...good, query: without(good.query, name) },
					code: PARAMETER,
				});
			}
			for (const value of badValues(objectOrEmpty(parameter['schema']))) {
				malformed.push({
					what: `${name}=${value.slice(0, 20)}`,
					request: { ...good, query: { ...good.query, [name]: value } },
					code: PARAMETER,
				});
			}
		}
		if (parameter['in'] === 'header') {
			malformed.push({
				what: `no header ${name}`,
				request: { ...good, headers: without(good.headers, name.toLowerCase()) },
				code: PARAMETER,
			});
		}
		if (parameter['in'] === 'path' && objectOrEmpty(parameter['schema'])['type'] === 'integer') {
			malformed.push({
				what: `path ${name}=abc`,
				request: { ...good, path: { ...good.path, [name]: 'abc' } },
				code: PARAMETER,
			});
		}
	}
	return malformed;
}

function badValues(schema: JsonObject): string[] {
	const values: string[] = [];
	const { minimum, maximum, maxLength, minLength } = schema;
	if (schema['type'] === 'integer') values.push('many', '1.5');
	if (schema['format'] === 'int32') values.push('2147483648');
	if (typeof minimum === 'number') values.push(String(minimum - 1));
	if (typeof maximum === 'number') values.push(String(maximum + 1));
	if (typeof maxLength === 'number') values.push('x'.repeat(maxLength + 1));
	if (typeof minLength === 'number' && minLength > 0) values.push('');
	if (Array.isArray(schema['enum'])) values.push('surprise');
	if (schema['format'] === 'date-time') values.push('yesterday', '2026-01-01');
	return values;
}

function badBodies(operation: DocumentOperation, good: Sample): Malformed[] {
	const requestBody: unknown = operation.requestBody;
	if (!isObject(requestBody)) return [];
	const content = objectOrEmpty(objectOrEmpty(requestBody['content'])['application/json']);
	const schema = objectOrEmpty(content['schema']);
	const bare: Sample = {
		...(good.path === undefined ? {} : { path: good.path }),
		...(good.query === undefined ? {} : { query: good.query }),
		...(good.key === undefined ? {} : { key: good.key }),
		...(good.headers === undefined ? {} : { headers: good.headers }),
	};
	const withBody = (what: string, body: unknown): Malformed => ({
		what,
		request: { ...bare, body },
		code: PARAMETER,
	});
	const malformed: Malformed[] = [
		{ what: 'a body that is not JSON', request: { ...bare, rawBody: '{"a":' }, code: PARAMETER },
		{
			what: 'a body of another type',
			request: {
				...bare,
				rawBody: '{}',
				headers: { ...good.headers, 'content-type': 'text/plain' },
			},
			code: PARAMETER,
		},
	];
	if (requestBody['required'] === true) {
		malformed.push({ what: 'no body', request: bare, code: PARAMETER });
	}
	if (schema['type'] === 'object') malformed.push(withBody('a list as the body', [1]));
	if (schema['additionalProperties'] === false) {
		const goodBody = objectOrEmpty(good.body);
		malformed.push(withBody('an unknown member', { ...goodBody, surprise: 1 }));
		const members = objectOrEmpty(schema['properties']);
		for (const [name, member] of Object.entries(members)) {
			if (objectOrEmpty(member)['type'] === undefined) continue;
			malformed.push(withBody(`a wrong type of ${name}`, { ...goodBody, [name]: 5 }));
		}
		for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
			malformed.push(withBody(`no ${String(name)}`, without(goodBody, String(name))));
		}
	}
	if (isObject(schema['additionalProperties'])) {
		malformed.push(withBody('a member that is no object', { task: 5 }));
	}
	return malformed;
}

function without<T>(
	record: Readonly<Record<string, T>> | undefined,
	name: string,
): Record<string, T> {
	return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => key !== name));
}
