import { InputError, messageOf } from '../errors';
import { endOfString, JsonScanner } from './jsonScanner';

/** Any value that JSON can hold. */
export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** A JSON object. A key may be missing. */
export interface JsonObject {
	[key: string]: JsonValue;
}

/** Whether a value is a JSON object: not null, not a list, not an instance of a class. */
export function isJsonObject(value: unknown): value is JsonObject {
	if (typeof value !== 'object' || value === null) return false;
	const prototype: unknown = Object.getPrototypeOf(value);
	return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** A JSON object as it is, or an empty one for anything else. */
export function objectIn(value: unknown): JsonObject {
	return isJsonObject(value) ? value : {};
}

/** For JSON.stringify: text that is the same for equal values, whatever the order of members. */
export function inOrder(_: string, value: JsonValue): JsonValue {
	if (!isJsonObject(value)) return value;
	return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A part of any object, whether or not its type shows it. */
export function partOf(whole: unknown, name: PropertyKey): unknown {
	return typeof whole === 'object' && whole !== null ? Reflect.get(whole, name) : undefined;
}

/** A number where JSON can have one as a value. */
const NUMBER = /(?<![^\s[,:])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*(?:[,\]}]|$))/g;

/** Where an integer stands that a JavaScript number may not hold exactly, or digits of a text that look like one. */
const LONG_INTEGER = /(?:^|[\s,:[-])\d{16}/;

const INTEGER = /^-?\d+$/;

const parsePlainJson: (text: string) => JsonValue = JSON.parse;

/**
 * Reads JSON text. Integers that a JavaScript number cannot hold exactly (the service's int64 IDs)
 * come back as text, so that no digit is lost. A byte order mark in front is no part of it (RFC 8259, section 8.1).
 *
 * @throws SyntaxError when the text is not JSON, or nests too deep
 */
export function parseJson(text: string): JsonValue {
	return parseScanned(scanned(text));
}

/** Reads JSON text as `parseJson` does; undefined where it is none. */
export function readJson(text: string): JsonValue | undefined {
	try {
		return parseJson(text);
	} catch {
		return undefined;
	}
}

/** Reads JSON text as `parseJson` does. A JsonScanner has seen that it does not nest too deep. */
export function parseScanned(text: string): JsonValue {
	if (!LONG_INTEGER.test(text)) return parsePlainJson(text);
	const asText = (digits: string): string => (INTEGER.test(digits) ? `"${digits}"` : digits);
	return parsePlainJson(withoutLongNumbers(text, asText));
}

/** JSON text without a byte order mark. @throws SyntaxError when it nests too deep */
function scanned(text: string): string {
	const json = text.startsWith('\ufeff') ? text.slice(1) : text;
	new JsonScanner().scan(json);
	return json;
}

/** Replaces numbers that a JavaScript number cannot hold. No regular expression sees a string of the JSON: some go a step deeper for each of its characters. */
function withoutLongNumbers(text: string, replace: (digits: string) => string): string {
	let replaced = '';
	let copied = 0;
	let at = 0;
	while (at < text.length) {
		const quote = text.indexOf('"', at);
		const end = quote === -1 ? text.length : quote;
		const between = text.slice(at, end);
		const held = between.replace(NUMBER, (digits) => (isHeld(digits) ? digits : replace(digits)));
		if (held !== between) {
			replaced += text.slice(copied, at) + held;
			copied = end;
		}
		at = endOfString(text, end + 1) ?? text.length;
	}
	return replaced + text.slice(copied);
}

/** Whether a JavaScript number holds these digits: integers exactly, fractions as well as it can. */
function isHeld(digits: string): boolean {
	const number = Number(digits);
	return INTEGER.test(digits) ? Number.isSafeInteger(number) : Number.isFinite(number);
}

/** What to do about a number that is not exact. */
export const GIVE_AS_TEXT = 'Give it as text, in quotes, so that no digit is lost.';

const DIGITS_SHOWN = 40;

/** What to do about text that is not JSON. The value of an expression in it may break it, e.g. by a quote. */
const CHECK_JSON =
	'Check quotes, commas and braces, e.g. { "keyword": "laptop" }. If an expression puts a value into it, write {{ JSON.stringify($json.x) }} without quotes around it, or give an object by one expression.';

/**
 * Reads JSON text of a user, who would not expect a number to be changed on its way.
 *
 * @param label how the message names the field, e.g. `'Input'`
 * @throws InputError for what is not JSON or nests too deep, an integer that a number cannot hold exactly, or a number too large for any
 */
export function parseUserJson(text: string, label: string): JsonValue {
	const refuse = (digits: string): string => {
		const shown = digits.length > DIGITS_SHOWN ? `${digits.slice(0, DIGITS_SHOWN)}…` : digits;
		throw new InputError(`${label} holds ${shown}, which is not exact as a number`, GIVE_AS_TEXT);
	};
	try {
		return parsePlainJson(withoutLongNumbers(scanned(text), refuse));
	} catch (error) {
		const [, closing] = /,\s*([}\]])/.exec(text) ?? [];
		const advice = closing === undefined ? CHECK_JSON : `Remove the comma before ${closing}.`;
		throw error instanceof InputError
			? error
			: new InputError(`${label} is not valid JSON: ${messageOf(error)}`, advice);
	}
}

/**
 * A value of an expression as it will be sent: dates and the like as their text, what JSON cannot hold left out.
 *
 * @throws InputError for one that has no end (it holds itself, or nests too deep), or a number that has lost digits
 */
export function toJson(value: unknown, label: string): JsonValue | undefined {
	try {
		const text: string | undefined = JSON.stringify(value);
		return text === undefined ? undefined : parseUserJson(text, label);
	} catch (error) {
		const advice = 'Give plain values: text, numbers, true, false, lists and objects.';
		throw error instanceof InputError
			? error
			: new InputError(`${label} cannot be written as JSON`, advice);
	}
}

/** A record of V2, whose names are in camel case, under the names of V3. */
export function inSnakeCase(record: JsonObject): JsonObject {
	const snakeCase = (name: string): string =>
		name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
	const members = Object.entries(record);
	return Object.fromEntries(members.map(([name, value]) => [snakeCase(name), value]));
}

/** The text behind `key`, if there is any. Numbers are written as text: some IDs come as numbers. */
export function textAt(value: unknown, key: string): string | undefined {
	if (!isJsonObject(value)) return undefined;
	const found = value[key];
	if (typeof found === 'number') return String(found);
	return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A parameter's raw value as a number, also from text; NaN for everything else. */
export function numberIn(raw: unknown): number {
	if (typeof raw === 'string' && raw.trim() !== '') return Number(raw);
	return typeof raw === 'number' ? raw : NaN;
}
