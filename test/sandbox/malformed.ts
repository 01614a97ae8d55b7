import type { DocumentOperation } from '../../dev/sandbox/document';
import { isObject, objectOrEmpty } from '../../dev/sandbox/json';
import type { JsonObject } from '../../dev/sandbox/json';
import type { Sample } from './samples';

export interface Malformed {
	readonly what: string;
	readonly request: Sample;
	/** Code of the envelope; that of a wrong parameter when left out. */
	readonly code?: number;
}

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
	const surprised = { ...good, query: { ...good.query, surprise: '1' } };
	const takesAny = known.some(({ name }) => name === '*');
	return [
		...(takesAny ? [] : [{ what: 'an unknown query parameter', request: surprised }]),
		...known.flatMap((parameter) => badParameter(parameter, good)),
	];
}

function badParameter(parameter: JsonObject, good: Sample): Malformed[] {
	const { name: given, in: place, required } = parameter;
	const name = String(given);
	const schema = objectOrEmpty(parameter['schema']);
	if (place === 'header') {
		const headers = without(good.headers, name.toLowerCase());
		return [{ what: `no header ${name}`, request: { ...good, headers } }];
	}
	if (place === 'path') {
		const path = { ...good.path, [name]: 'abc' };
		const isNumber = schema['type'] === 'integer';
		return isNumber ? [{ what: `path ${name}=abc`, request: { ...good, path } }] : [];
	}
	if (name === '*') return [];
	const query = without(good.query, name);
	const missing = { what: `no ${name}`, request: { ...good, query } };
	const wrong = badValues(schema).map((value) => ({
		what: `${name}=${value.slice(0, 20)}`,
		request: { ...good, query: { ...query, [name]: value } },
	}));
	return required === true ? [missing, ...wrong] : wrong;
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

function badBodies({ requestBody }: DocumentOperation, good: Sample): Malformed[] {
	const wanted: unknown = requestBody;
	if (!isObject(wanted)) return [];
	const content = objectOrEmpty(objectOrEmpty(wanted['content'])['application/json']);
	const schema = objectOrEmpty(content['schema']);
	const malformed: Malformed[] = [];
	const add = (what: string, rawBody: string, headers = good.headers ?? {}): void =>
		void malformed.push({ what, request: { ...good, rawBody, headers } });
	add('a body that is not JSON', '{"a":');
	add('a body of another type', '{}', { ...good.headers, 'content-type': 'text/plain' });
	if (wanted['required'] === true) add('no body', '');
	if (schema['type'] === 'object') add('a list as the body', '[1]');
	if (schema['additionalProperties'] === false) {
		const members = objectOrEmpty(good.body);
		add('an unknown member', JSON.stringify({ ...members, surprise: 1 }));
		for (const [name, member] of Object.entries(objectOrEmpty(schema['properties']))) {
			const { type } = objectOrEmpty(member);
			if (type === undefined) continue;
			const wrong = [type].flat().includes('integer') ? true : 5;
			add(`a wrong type of ${name}`, JSON.stringify({ ...members, [name]: wrong }));
		}
		for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
			add(`no ${String(name)}`, JSON.stringify(without(members, String(name))));
		}
	}
	if (isObject(schema['additionalProperties'])) add('a member that is no object', '{"task":5}');
	return malformed;
}

function without<T>(
	record: Readonly<Record<string, T>> | undefined,
	name: string,
): Record<string, T> {
	return Object.fromEntries(Object.entries(record ?? {}).filter(([key]) => key !== name));
}
