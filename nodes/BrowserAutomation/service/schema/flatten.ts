import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import {
	choicesOf,
	isSchema,
	listIn,
	resolveReference,
	schemaList,
	typesOf,
	type Schema,
	type SchemaDocument,
} from './schema';

/**
 * A schema as one object: what it refers to and what `allOf` adds are merged into it, each once.
 * Where they contradict each other the schema itself wins. Good for showing a schema, not for
 * judging by it.
 *
 * @throws TooMuchWork
 */
export function flatten(document: SchemaDocument, schema: Schema): JsonObject {
	const parts = new Set<Schema>([schema]);
	const flat: JsonObject[] = [];
	for (const part of parts) {
		if (!isJsonObject(part)) continue;
		document.budget.look([part, ...Object.values(part)]);
		const { $ref: reference, allOf, ...own } = part;
		flat.unshift(own);
		for (const other of [resolveReference(document, reference) ?? [], schemaList(allOf)].flat()) {
			parts.add(other);
		}
	}
	const properties = merged(flat.map((part) => part.properties));
	const required = flat.flatMap((part) => listIn(part.required));
	return {
		...merged(flat),
		...(Object.keys(properties).length > 0 && { properties }),
		...(required.length > 0 && { required }),
	};
}

/** One object of several; the last wins. */
function merged(objects: Array<JsonValue | undefined>): JsonObject {
	return Object.fromEntries(objects.filter(isJsonObject).flatMap(Object.entries<JsonValue>));
}

/**
 * The forms that a schema offers for a value, but for `null`: those of a form that says nothing else
 * in its place, each once.
 *
 * @throws TooMuchWork
 */
export function formsOf(document: SchemaDocument, schema: JsonObject): JsonObject[] {
	const forms = new Set(formsIn(schema));
	const found: JsonObject[] = [];
	for (const form of forms) {
		if (!isJsonObject(form)) continue;
		const flat = flatten(document, form);
		const inner = saysMore(flat) ? [] : formsIn(flat);
		for (const one of inner) forms.add(one);
		if (inner.length === 0 && flat.const !== null && flat.type !== 'null') found.push(flat);
	}
	return found;
}

function formsIn({ oneOf, anyOf }: JsonObject): Schema[] {
	return [...schemaList(oneOf), ...schemaList(anyOf)];
}

/** Whether a schema says itself what values it is for. */
function saysMore(schema: JsonObject): boolean {
	const { properties, items } = schema;
	const isNamed = choicesOf(schema) !== undefined || typesOf(schema).length > 0;
	return isNamed || isJsonObject(properties) || isSchema(items);
}
