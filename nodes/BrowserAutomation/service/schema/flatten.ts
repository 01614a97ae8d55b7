import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import { resolveReference, schemaList, type Schema } from './schema';

/** How many references in a row are followed: a chain may lead back to itself. */
const MOST_REFERENCES = 20;

/**
 * A schema as one object: what it refers to and what `allOf` adds are merged into it. Where they
 * contradict each other the schema itself wins. Good for showing a schema, not for judging by it.
 */
export function flatten(root: Schema, schema: Schema, references = 0): JsonObject {
	if (!isJsonObject(schema) || references > MOST_REFERENCES) return {};
	const { $ref: reference, allOf, ...own } = schema;
	const target = reference === undefined ? undefined : resolveReference(root, reference);
	const others = [...(target === undefined ? [] : [target]), ...schemaList(allOf)];
	return others
		.map((other) => flatten(root, other, references + 1))
		.reduce((merged, other) => merge(other, merged), own);
}

function merge(base: JsonObject, over: JsonObject): JsonObject {
	const properties = { ...objectIn(base.properties), ...objectIn(over.properties) };
	const required = [...listIn(base.required), ...listIn(over.required)];
	return {
		...base,
		...over,
		...(Object.keys(properties).length > 0 && { properties }),
		...(required.length > 0 && { required }),
	};
}

function objectIn(value: JsonValue | undefined): JsonObject {
	return isJsonObject(value) ? value : {};
}

function listIn(value: JsonValue | undefined): JsonValue[] {
	return Array.isArray(value) ? value : [];
}
