import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { Budget } from './budget';
import { flatten, listIn } from './flatten';
import { openBounds } from './numbers';
import { isManageable, isSchema, schemaList, schemasIn, typesOf, type Schema } from './schema';

/** An input to begin with. */
export interface ExampleInput {
	/** What is known, each required member, and each with a default. */
	input: JsonObject;
	/** The names of the members that are left out. */
	others: string[];
}

/** What is at hand while an example is made. */
interface Making {
	root: Schema;
	budget: Budget;
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
	budget = new Budget(),
): ExampleInput | undefined {
	if (!isManageable(root)) return undefined;
	return budget.tryTo(() => {
		const making = { root, budget };
		const whole = formOf(making, flatten(root, root, budget));
		if (!isJsonObject(whole.properties) && whole.type !== 'object') return undefined;
		const names = schemasIn(whole.properties).map(([name]) => name);
		const own = names.filter((name) => Object.hasOwn(known, name));
		const given = new Map(own.map((name) => [name, known[name] ?? null]));
		const input = objectOf(making, whole, MOST_LEVELS, given);
		return { input, others: names.filter((name) => !Object.hasOwn(input, name)) };
	});
}

/** A schema, or the first of the forms that it offers. */
function formOf({ root, budget }: Making, schema: JsonObject): JsonObject {
	if (isJsonObject(schema.properties) || typesOf(schema).length > 0) return schema;
	const forms = [...schemaList(schema.oneOf), ...schemaList(schema.anyOf)]
		.map((form) => flatten(root, form, budget))
		.filter(({ type }) => type !== 'null');
	return { ...schema, ...forms[0] };
}

function objectOf(
	making: Making,
	schema: JsonObject,
	levels: number,
	given: ReadonlyMap<string, JsonValue> = new Map(),
): JsonObject {
	if (levels === 0) return {};
	const needed = new Set(listIn(schema.required));
	const members = schemasIn(schema.properties).flatMap<[string, JsonValue]>(([name, member]) => {
		const known = given.get(name);
		if (known !== undefined) return [[name, known]];
		const flat = flatten(making.root, member, making.budget);
		if (needed.has(name)) return [[name, valueOf(making, flat, levels - 1)]];
		return flat.default === undefined ? [] : [[name, taken(making, flat.default)]];
	});
	return Object.fromEntries(members);
}

function valueOf(making: Making, flat: JsonObject, levels: number): JsonValue {
	const schema = statedValue(flat) === undefined ? formOf(making, flat) : flat;
	const stated = statedValue(schema);
	if (stated !== undefined) return taken(making, stated);
	const type = typesOf(schema).find((candidate) => candidate !== 'null');
	switch (type) {
		case 'boolean':
			return true;
		case 'integer':
		case 'number':
			return numberOf(schema);
		case 'string':
			return textOf(schema);
		default:
			if (type === 'object' || isJsonObject(schema.properties))
				return objectOf(making, schema, levels);
			if (type === 'array' || isSchema(schema.items)) return listOf(making, schema, levels);
			return textOf(schema);
	}
}

/** The value that the schema itself names. */
function statedValue(schema: JsonObject): JsonValue | undefined {
	const [example] = listIn(schema.examples);
	const choice = listIn(schema.enum).find((value) => value !== null);
	return schema.default ?? schema.const ?? example ?? schema.example ?? choice;
}

/** Characters of a value that are written in about the time of one step. */
const CHARACTERS_A_STEP = 10;

/** A value of the schema's own. Many members may refer to the same one, which is then written many times. */
function taken({ budget }: Making, value: JsonValue): JsonValue {
	budget.spend(JSON.stringify(value).length / CHARACTERS_A_STEP);
	return value;
}

function listOf({ root, budget }: Making, { items }: JsonObject, levels: number): JsonValue[] {
	if (levels === 0 || !isJsonObject(items)) return [];
	return [valueOf({ root, budget }, flatten(root, items, budget), levels - 1)];
}

/** The smallest number that is allowed, or 1. */
function numberOf(schema: JsonObject): number {
	const { minimum, maximum } = schema;
	const { above } = openBounds(schema);
	if (above !== undefined) return Math.floor(above) + 1;
	if (typeof minimum === 'number') return minimum;
	return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}

const TEXTS: Record<string, string> = {
	date: '2026-01-31',
	'date-time': '2026-01-31T09:00:00Z',
	email: 'name@example.com',
	hostname: 'example.com',
	ipv4: '192.0.2.1',
	ipv6: '2001:db8::1',
	time: '09:00:00Z',
	uri: 'https://example.com',
	url: 'https://example.com',
	uuid: '00000000-0000-4000-8000-000000000000',
};

function textOf({ format }: JsonObject): string {
	const known = typeof format === 'string' && Object.hasOwn(TEXTS, format);
	return (known ? TEXTS[format] : undefined) ?? 'text';
}
