import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { readFilledForm, type FilledForm } from './inputSchema';
import { fieldsOf, kindOf, type FormField } from './form';
import { FORMATS } from './formats';
import { listIn, ownMember, SchemaDocument, type Schema } from './schema';

/** How deep objects and lists of an example may nest. */
const MAX_EXAMPLE_LEVELS = 5;

/**
 * An example of an input: what was filled in, each member with a default, and for what else is
 * required its own example, its first choice, or a value of its type. The value may still break a rule
 * that only a person can satisfy, such as a pattern. Fields that the schema does not name are left out.
 *
 * @returns also the names of the members that are left out; undefined where the schema speaks of no
 * object, or is more work than an example is worth
 * @throws InputError for a number that has lost digits
 */
export function exampleInput(
	root: Schema,
	filled: FilledForm,
): { input: JsonObject; others: string[] } | undefined {
	const document = new SchemaDocument(root);
	return document.tryTo(() => {
		const flat = document.flatten(root);
		const fields = fieldsOf(document, { ...document.formsOf(flat)[0], ...flat });
		if (fields === undefined) return undefined;
		const known = readFilledForm(document, fields, filled);
		const input = membersOf(document, fields, MAX_EXAMPLE_LEVELS, known);
		const names = fields.map(({ name }) => name);
		return { input, others: names.filter((name) => !Object.hasOwn(input, name)) };
	});
}

function membersOf(
	document: SchemaDocument,
	fields: FormField[],
	levels: number,
	known: JsonObject = {},
): JsonObject {
	const members = fields.flatMap<[string, JsonValue]>(({ name, required, schema }) => {
		const made = required ? valueOf(document, schema, levels - 1) : schema.default;
		const value = ownMember(known, name) ?? made;
		if (value === undefined) return [];
		// Many members may refer to the same long value, which is then written many times.
		document.spend([JSON.stringify(value)]);
		return [[name, value]];
	});
	return Object.fromEntries(members);
}

function valueOf(document: SchemaDocument, flat: JsonObject, levels: number): JsonValue {
	const form = statedValue(flat) === undefined ? document.formsOf(flat)[0] : {};
	const schema = { ...form, ...flat };
	const stated = statedValue(schema);
	if (stated !== undefined) return stated;
	switch (kindOf(schema)) {
		case 'boolean':
			return true;
		case 'number':
			return exampleNumber(schema);
		case 'object':
			return levels === 0 ? {} : membersOf(document, fieldsOf(document, schema) ?? [], levels);
		case 'list':
			return levels === 0 || !isJsonObject(schema.items)
				? []
				: [valueOf(document, document.flatten(schema.items), levels - 1)];
		default:
			return ownMember(FORMATS, String(schema.format))?.example ?? 'text';
	}
}

/** The value that the schema itself names. */
function statedValue(schema: JsonObject): JsonValue | undefined {
	const [example] = listIn(schema.examples);
	const choice = listIn(schema.enum).find((value) => value !== null);
	return schema.default ?? schema.const ?? example ?? schema.example ?? choice;
}

/** The smallest number that is allowed, or 1. */
function exampleNumber({ minimum, maximum, exclusiveMinimum: above }: JsonObject): number {
	if (typeof above === 'number') return Math.floor(above) + 1;
	if (typeof minimum === 'number') return minimum;
	return typeof maximum === 'number' ? Math.min(1, maximum) : 1;
}
