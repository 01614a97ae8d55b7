import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import type { Budget } from './budget';
import { resolveReference, schemaList, type Schema, type SchemaDocument } from './schema';

/** Taking up a schema costs so many steps. */
const STEPS_A_SCHEMA = 10;

/**
 * A schema as one object: what it refers to and what `allOf` adds are merged into it, each once.
 * Where they contradict each other the schema itself wins. Good for showing a schema, not for
 * judging by it.
 *
 * @param seen the schemas that are merged already
 * @throws TooMuchWork
 */
export function flatten(
	document: SchemaDocument,
	schema: Schema,
	seen = new Set<JsonObject>(),
): JsonObject {
	if (!isJsonObject(schema) || seen.has(schema)) return {};
	seen.add(schema);
	const { $ref: reference, allOf, ...own } = schema;
	const { budget } = document;
	const target = resolveReference(document, reference);
	const others = [...(target === undefined ? [] : [target]), ...schemaList(allOf)];
	budget.spend(STEPS_A_SCHEMA + Object.keys(own).length + others.length);
	return others.reduce<JsonObject>((merged, other) => {
		const flat = budget.descend(() => flatten(document, other, seen));
		return merge(flat, merged, budget);
	}, own);
}

function merge(base: JsonObject, over: JsonObject, budget: Budget): JsonObject {
	const properties = { ...objectIn(base.properties), ...objectIn(over.properties) };
	const required = [...listIn(base.required), ...listIn(over.required)];
	budget.spend(Object.keys(properties).length + required.length);
	return {
		...base,
		...over,
		...(Object.keys(properties).length > 0 && { properties }),
		...(required.length > 0 && { required }),
	};
}

/**
 * The forms that a schema offers for a value, each once, but for `null`.
 *
 * @param seen the forms that were looked at: one may lead back to itself
 * @throws TooMuchWork
 */
export function formsOf(
	document: SchemaDocument,
	{ oneOf, anyOf }: JsonObject,
	seen = new Set<JsonObject>(),
): JsonObject[] {
	return [...schemaList(oneOf), ...schemaList(anyOf)].flatMap((form) => {
		if (!isJsonObject(form) || seen.has(form)) return [];
		seen.add(form);
		const flat = flatten(document, form);
		return flat.const === null || flat.type === 'null' ? [] : [flat];
	});
}

/** Whether a flat schema speaks of an object. */
export function isObjectSchema({ properties, type }: JsonObject): boolean {
	return isJsonObject(properties) || type === 'object';
}

function objectIn(value: JsonValue | undefined): JsonObject {
	return isJsonObject(value) ? value : {};
}

/** A list, or none. */
export function listIn(value: JsonValue | undefined): JsonValue[] {
	return Array.isArray(value) ? value : [];
}
