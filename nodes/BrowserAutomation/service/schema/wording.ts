import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { typesOf, type Schema, type TypeName } from './schema';

const TYPE_WORDS: Record<TypeName, string> = {
	string: 'text',
	integer: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	null: 'null',
};

const TEXT_MAX_LENGTH = 60;
const NAME_MAX_LENGTH = 100;
const PARTS_SHOWN = 20;

/** Text up to a length, with a mark where it was cut. */
export function shorten(text: string, most: number): string {
	return text.length > most ? `${text.slice(0, most)}…` : text;
}

/** A count with its noun, e.g. "1 item", "2 items". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** The first parts of many in words, and how many more there are. */
function firstOf<T>(parts: T[], write: (part: T) => string, separator = ', '): string {
	const more = parts.length - PARTS_SHOWN;
	const shown = parts
		.slice(0, PARTS_SHOWN)
		.map((part) => write(part))
		.join(separator);
	return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Names in words. */
export function nameList(names: string[]): string {
	return firstOf(names, (name) => shorten(name, NAME_MAX_LENGTH));
}

/** A value as JSON, as far as an error shows it. */
export function brief(value: JsonValue, levels = 2): string {
	if (typeof value === 'string') {
		return shorten(JSON.stringify(value.slice(0, TEXT_MAX_LENGTH + 1)), TEXT_MAX_LENGTH);
	}
	if (typeof value !== 'object' || value === null) return JSON.stringify(value);
	if (levels === 0) return '…';
	if (Array.isArray(value)) return `[${firstOf(value, (item) => brief(item, levels - 1))}]`;
	const members = Object.entries(value);
	return `{${firstOf(members, ([name, member]) => `${brief(name)}:${brief(member, levels - 1)}`)}}`;
}

/** Types in words, e.g. "text or a list". */
export function namedTypes(types: readonly TypeName[]): string {
	return types.map((type) => TYPE_WORDS[type]).join(' or ');
}

/** A value as an error shows it; what is not to be seen (passwords) is left out. */
export function shownValue(value: JsonValue, schema: JsonObject): string {
	if (schema.format === 'password' || schema.writeOnly === true) return 'what was entered';
	if (Array.isArray(value)) return 'a list';
	if (isJsonObject(value)) return 'an object';
	return brief(value);
}

/** What a field is called: its title with the name that JSON uses, e.g. "Shop URL (url)". */
export function fieldLabel(name: string, schema: Schema | undefined): string {
	const title = isJsonObject(schema) ? schema.title : undefined;
	const shownName = shorten(name, NAME_MAX_LENGTH);
	if (typeof title !== 'string' || title.trim() === '' || title === name) return shownName;
	return `${shorten(title, NAME_MAX_LENGTH)} (${shownName})`;
}

/** A schema in words, as one of several that a value may fit. */
function describeSchema(schema: Schema): string {
	if (!isJsonObject(schema)) return schema ? 'anything' : 'nothing';
	if (typeof schema.title === 'string') return shorten(schema.title, NAME_MAX_LENGTH);
	if (schema.const !== undefined) return brief(schema.const);
	if (Array.isArray(schema.enum)) return enumeration(schema.enum);
	const types = namedTypes(typesOf(schema));
	const members = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
	if (types === '') return 'anything else';
	return members.length === 0 ? types : `${types} with ${nameList(members)}`;
}

/** Several schemas in words. */
export function describeSchemas(schemas: Schema[]): string {
	return firstOf(schemas, describeSchema, '; ');
}

/** Choices in words. */
export function enumeration(choices: JsonValue[]): string {
	return firstOf(choices, brief);
}
