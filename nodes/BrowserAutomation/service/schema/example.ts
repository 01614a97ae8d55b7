import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { flatten, formsOf, isObjectSchema, listIn } from './flatten';
import { FORMATS } from './formats';
import {
	budgetFor,
	isSchema,
	openBounds,
	ownMember,
	schemasIn,
	typesOf,
	type Schema,
	type SchemaDocument,
} from './schema';

/** An input to begin with. */
export interface ExampleInput {
	/** What is known, each required member, and each with a default. */
	input: JsonObject;
	/** The names of the members that are left out. */
	others: string[];
}

/** How many objects and lists may stand in each other. */
const MOST_LEVELS = 5;

/**
 * An example of an input: what is known of it, and for what else is required the schema's default,
 * its own example, its first choice, or a value of its type. The value may still break a rule that
 * only a person can satisfy, such as a pattern.
 *
 * @param known members that are known already; those that the schema does not name are left out
 * @returns undefined where the schema speaks of no object, or is more work than an example is worth
 */
export function makeExample(
	root: Schema,
	known: JsonObject = {},
	budget = budgetFor(root),
): ExampleInput | undefined {
	const document = { root, budget };
	return budget.tryTo(() => {
		const whole = formOf(document, flatten(document, root));
		if (!isObjectSchema(whole)) return undefined;
		const input = objectOf(document, whole, MOST_LEVELS, known);
		const names = schemasIn(whole.properties).map(([name]) => name);
		return { input, others: names.filter((name) => !Object.hasOwn(input, name)) };
	});
}

/** A schema, or the first of the forms that it offers. */
function formOf(document: SchemaDocument, schema: JsonObject): JsonObject {
	if (isJsonObject(schema.properties) || typesOf(schema).length > 0) return schema;
	return { ...schema, ...formsOf(document, schema)[0] };
}

function objectOf(
	document: SchemaDocument,
	schema: JsonObject,
	levels: number,
	known: JsonObject = {},
): JsonObject {
	if (levels === 0) return {};
	const needed = new Set(listIn(schema.required));
	const members = schemasIn(schema.properties).flatMap<[string, JsonValue]>(([name, member]) => {
		const given = ownMember(known, name);
		if (given !== undefined) return [[name, given]];
		const flat = flatten(document, member);
		if (needed.has(name)) return [[name, valueOf(document, flat, levels - 1)]];
		return flat.default === undefined ? [] : [[name, taken(document, flat.default)]];
	});
	return Object.fromEntries(members);
}

function valueOf(document: SchemaDocument, flat: JsonObject, levels: number): JsonValue {
	const schema = statedValue(flat) === undefined ? formOf(document, flat) : flat;
	const stated = statedValue(schema);
	if (stated !== undefined) return taken(document, stated);
	const type = typesOf(schema).find((candidate) => candidate !== 'null');
	if (type === 'boolean') return true;
	if (type === 'integer' || type === 'number') return numberOf(schema);
	if (type === 'string') return textOf(schema);
	if (type === 'object' || isJsonObject(schema.properties)) {
		return objectOf(document, schema, levels);
	}
	if (type === 'array' || isSchema(schema.items)) return listOf(document, schema, levels);
	return textOf(schema);
}

/** The value that the schema itself names. */
function statedValue(schema: JsonObject): JsonValue | undefined {
	const [example] = listIn(schema.examples);
	const choice = listIn(schema.enum).find((value) => value !== null);
	return schema.default ?? schema.const ?? example ?? schema.example ?? choice;
}

/** Characters of a value that are written in about the time of one step. */
const WRITTEN_A_STEP = 10;

/** A value of the schema's own. Many members may refer to the same one, which is then written many times. */
function taken({ budget }: SchemaDocument, value: JsonValue): JsonValue {
	budget.spend(JSON.stringify(value).length / WRITTEN_A_STEP);
	return value;
}

function listOf(document: SchemaDocument, { items }: JsonObject, levels: number): JsonValue[] {
	if (levels === 0 || !isJsonObject(items)) return [];
	return [valueOf(document, flatten(document, items), levels - 1)];
}

/** The smallest number that is allowed, or 1. */
function numberOf(schema: JsonObject): number {
	const { minimum, maximum } = schema;
	const { above } = openBounds(schema);
	if (above !== undefined) return Math.floor(above) + 1;
	if (typeof minimum === 'number') return minimum;
	return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

function textOf({ format }: JsonObject): string {
	const known = typeof format === 'string' ? ownMember(FORMATS, format) : undefined;
	return known?.example ?? 'text';
}
