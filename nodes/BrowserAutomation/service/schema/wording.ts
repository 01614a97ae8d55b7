import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { shorten } from '../text';
import { choicesOf, TYPE_WORDS, typesOf, type Schema, type TypeName } from './schema';

const TEXT_MAX_LENGTH = 60;
const NAME_MAX_LENGTH = 100;
const PARTS_SHOWN = 20;

/** The first parts of many, and how many more there are. */
function firstOf<T>(
	parts: T[],
	write: (part: T) => string,
	separator = ', ',
	max = PARTS_SHOWN,
): string {
	const more = parts.length - max;
	const shown = parts.slice(0, max).map(write).join(separator);
	return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Names in words, so many of them at most. */
export function nameList(names: string[], max = PARTS_SHOWN): string {
	return firstOf(names, (name) => shorten(name, NAME_MAX_LENGTH), ', ', max);
}

/** The same in single quotes, as they stand in the editor. */
export function quotedList(names: string[]): string {
	return firstOf(names, (name) => `'${shorten(name, NAME_MAX_LENGTH)}'`);
}

/** A value as an error shows it; what is not to be seen (passwords) is left out. */
export function shownValue(value: JsonValue, { format, writeOnly }: JsonObject = {}): string {
	if (format === 'password' || writeOnly === true) return 'what was entered';
	if (Array.isArray(value)) return TYPE_WORDS.array;
	if (isJsonObject(value)) return TYPE_WORDS.object;
	const start = typeof value === 'string' ? value.slice(0, 2 * TEXT_MAX_LENGTH) : value;
	return shorten(JSON.stringify(start), TEXT_MAX_LENGTH);
}

/** Types in words, e.g. "text or a list". */
export function namedTypes(types: readonly TypeName[]): string {
	return types.map((type) => TYPE_WORDS[type]).join(' or ');
}

/** What a field is called: its title with the name that JSON uses, e.g. "Shop URL (url)". */
export function fieldLabel(name: string, { title }: JsonObject = {}): string {
	const shownName = shorten(name, NAME_MAX_LENGTH);
	if (typeof title !== 'string' || title.trim() === '' || title === name) return shownName;
	return `${shorten(title, NAME_MAX_LENGTH)} (${shownName})`;
}

/** Several schemas in words, of which a value may fit one. */
export function describeSchemas(schemas: Schema[]): string {
	const describe = (schema: Schema): string => {
		if (!isJsonObject(schema)) return 'anything else';
		if (typeof schema.title === 'string') return shorten(schema.title, NAME_MAX_LENGTH);
		const choices = choicesOf(schema);
		return choices ? choiceList(choices) : namedTypes(typesOf(schema)) || 'anything else';
	};
	return firstOf(schemas, describe, '; ');
}

/** Choices in words. */
export function choiceList(choices: JsonValue[]): string {
	return firstOf(choices, (choice) => shownValue(choice));
}
