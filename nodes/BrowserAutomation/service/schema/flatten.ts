import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import type { Budget } from './budget';
import { resolveReference, schemaList, type Schema } from './schema';

/**
 * A schema as one object: what it refers to and what `allOf` adds are merged into it, each once.
 * Where they contradict each other the schema itself wins. Good for showing a schema, not for
 * judging by it.
 *
 * @throws TooMuchWork
 */
export function flatten(root: Schema, schema: Schema, budget: Budget): JsonObject {
	return flattenOnce(root, schema, budget, new Set());
}

function flattenOnce(
	root: Schema,
	schema: Schema,
	budget: Budget,
	seen: Set<JsonObject>,
): JsonObject {
	if (!isJsonObject(schema) || seen.has(schema)) return {};
	seen.add(schema);
	const { $ref: reference, allOf, ...own } = schema;
	// A character of a reference is followed in about the time of one step.
	if (typeof reference === 'string') budget.spend(reference.length);
	const target = resolveReference(root, reference);
	const others = [...(target === undefined ? [] : [target]), ...schemaList(allOf)];
	budget.spend(STEPS_A_SCHEMA + Object.keys(own).length + others.length);
	let merged: JsonObject = own;
	for (const other of others) {
		const flat = budget.descend(() => flattenOnce(root, other, budget, seen));
		merged = merge(flat, merged, budget);
	}
	return merged;
}

/** Taking up a schema costs so many steps. */
const STEPS_A_SCHEMA = 10;

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

function objectIn(value: JsonValue | undefined): JsonObject {
	return isJsonObject(value) ? value : {};
}

/** A list, or none. */
export function listIn(value: JsonValue | undefined): JsonValue[] {
	return Array.isArray(value) ? value : [];
}
