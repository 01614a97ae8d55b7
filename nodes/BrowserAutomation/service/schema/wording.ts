import { isJsonObject, type JsonObject, type JsonValue } from '../json';
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

const VALUE_MAX_LENGTH = 60;

/** Types in words, e.g. "text or a list". */
export function namedTypes(types: readonly TypeName[]): string {
	return types.map((type) => TYPE_WORDS[type]).join(' or ');
}

/** A value as an error shows it; what is not to be seen (passwords) is left out. */
export function shownValue(value: JsonValue, schema: JsonObject): string {
	if (schema.format === 'password' || schema.writeOnly === true) return 'what was entered';
	if (Array.isArray(value)) return 'a list';
	if (isJsonObject(value)) return 'an object';
	const text = JSON.stringify(value);
	return text.length > VALUE_MAX_LENGTH ? `${text.slice(0, VALUE_MAX_LENGTH)}…` : text;
}

/** What a field is called: its title with the name that JSON uses, e.g. "Shop URL (url)". */
export function fieldLabel(name: string, schema: Schema | undefined): string {
	const title = isJsonObject(schema) ? schema.title : undefined;
	if (typeof title !== 'string' || title.trim() === '' || title === name) return name;
	return `${title} (${name})`;
}

/** A schema in words, as one of several that a value may fit. */
export function describeSchema(schema: Schema): string {
	if (!isJsonObject(schema)) return schema ? 'anything' : 'nothing';
	if (typeof schema.title === 'string') return schema.title;
	if (schema.const !== undefined) return JSON.stringify(schema.const);
	if (Array.isArray(schema.enum)) return enumeration(schema.enum);
	const types = namedTypes(typesOf(schema));
	const members = isJsonObject(schema.properties) ? Object.keys(schema.properties) : [];
	if (types === '') return 'anything else';
	return members.length === 0 ? types : `${types} with ${members.join(', ')}`;
}

const CHOICES_SHOWN = 20;

/** Choices in words: the first ones, and how many more. */
export function enumeration(choices: JsonValue[]): string {
	const shown = choices.slice(0, CHOICES_SHOWN).map((choice) => JSON.stringify(choice));
	const more = choices.length - CHOICES_SHOWN;
	return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
