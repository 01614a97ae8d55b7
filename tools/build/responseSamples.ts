import type { Document } from 'openapi-backend';

import {
	isJsonObject,
	type JsonObject,
	type JsonValue,
} from '../../nodes/BrowserAutomation/service/json/json';
import type {
	HttpMethod,
	ServiceRequest,
} from '../../nodes/BrowserAutomation/service/http/request';

/** Stands where the document states no type, and for the names of fields where it states none. */
export const ANYTHING = 'any JSON value';

/** Every text, so every ID. */
export const TEXT = 'text';

/** Answers that have every field the document states. */
export interface ResponseSamples {
	/** A request of an operation of the document, every parameter filled in. */
	requestOf(operationId: string): ServiceRequest;
	/** What the service answers to it. */
	answerTo(method: string, path: string): JsonValue;
}

interface Route {
	operationId: string;
	method: HttpMethod;
	/** With a name in braces for each parameter. */
	path: string;
	operation: JsonObject;
}

const METHODS: readonly HttpMethod[] = ['GET', 'POST', 'PUT', 'DELETE', 'PATCH'];

/** Makes answers and requests of the document, its references resolved. @throws Error for what it does not state */
export function responseSamples(document: Document): ResponseSamples {
	const root: unknown = document;
	if (!isJsonObject(root)) throw new Error('The document is no object.');
	const routes = routesOf(root);

	return {
		requestOf(operationId) {
			const route = routes.find((each) => each.operationId === operationId);
			if (route === undefined) throw new Error(`The document has no ${operationId}.`);
			const { parameters } = route.operation;
			const query = (Array.isArray(parameters) ? parameters : [])
				.filter(isJsonObject)
				.filter((parameter) => parameter.in === 'query')
				.map(({ name }) => [String(name), TEXT]);
			return {
				method: route.method,
				path: route.path.replace(/\{\w+\}/g, TEXT),
				query: Object.fromEntries(query),
			};
		},
		answerTo(method, path) {
			const [route] = routes
				.filter((each) => each.method === method && patternOf(each.path).test(path))
				.sort((a, b) => placeholders(a.path) - placeholders(b.path));
			if (route === undefined) throw new Error(`The document has no ${method} ${path}.`);
			const success = memberOf(memberOf(route.operation, 'responses'), '200');
			const content = memberOf(memberOf(success, 'content'), 'application/json');
			return sampleOf(memberOf(content, 'schema'));
		},
	};
}

function routesOf(root: JsonObject): Route[] {
	return Object.entries(Object(root.paths)).flatMap(([path, methods]) =>
		METHODS.flatMap((method) => {
			const operation = memberOf(Object(methods), method.toLowerCase());
			if (!isJsonObject(operation)) return [];
			return [{ operationId: String(operation.operationId), method, path, operation }];
		}),
	);
}

function memberOf(value: JsonValue, key: string): JsonValue {
	return (isJsonObject(value) ? value[key] : undefined) ?? null;
}

function placeholders(template: string): number {
	return template.split('{').length;
}

function patternOf(template: string): RegExp {
	return new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`);
}

/** A value that fits a schema and has all its properties. */
function sampleOf(schema: JsonValue): JsonValue {
	const {
		allOf,
		enum: choices,
		items,
		properties,
		type,
		contentMediaType,
		additionalProperties: others,
	} = isJsonObject(schema) ? schema : {};
	if (Array.isArray(allOf)) {
		const parts = allOf.map(sampleOf);
		return Object.assign({}, ...parts.filter(isJsonObject));
	}
	if (Array.isArray(choices)) return choices[0] ?? null;
	switch (Array.isArray(type) ? type[0] : (type ?? (properties === undefined ? '' : 'object'))) {
		case 'object':
			if (properties === undefined) return isJsonObject(others) ? {} : { [ANYTHING]: ANYTHING };
			return Object.fromEntries(
				Object.entries(isJsonObject(properties) ? properties : {}).map(([name, property]) => [
					name,
					sampleOf(property),
				]),
			);
		case 'array':
			return items === undefined ? [] : [sampleOf(items)];
		case 'string':
			return contentMediaType === 'application/json' ? ANYTHING : TEXT;
		case 'integer':
			return 0;
		case 'number':
			return 0.5;
		case 'boolean':
			return true;
		case 'null':
			return null;
		default:
			return ANYTHING;
	}
}
