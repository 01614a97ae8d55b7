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

/**
 * How deep lists and objects may lie within each other. Whoever walks through a value goes down
 * step by step, and a program can only go down so far.
 */
export const MOST_LEVELS = 500;

/** A number where JSON can have one as a value. */
const NUMBER = /(?<![^\s[,:])-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?(?=\s*(?:[,\]}]|$))/g;

/** What the text of a number that may not be held has in it, and how long that is at least. */
const LONG_NUMBER = /\d{16}|\d[eE]\+?\d{3}/;
const LONG_NUMBER_MIN_LENGTH = 5;

const INTEGER = /^-?\d+$/;

/** What to read in the place of a number that a JavaScript number cannot hold. */
type Replacement = (digits: string) => string;

const parsePlainJson: (text: string) => JsonValue = JSON.parse;

/**
 * Reads JSON text. Integers that a JavaScript number cannot hold exactly (the service's int64 IDs)
 * come back as text, so that no digit is lost.
 *
 * @param replace what to do otherwise with such an integer, and with a number too large for any
 * @throws SyntaxError when the text is not JSON, or nests too deep
 */
export function parseJson(text: string, replace: Replacement = integersAsText): JsonValue {
	const isPlain = text.length <= MOST_LEVELS && !LONG_NUMBER.test(text);
	return parsePlainJson(isPlain ? text : check(text, replace));
}

function integersAsText(digits: string): string {
	return INTEGER.test(digits) ? `"${digits}"` : digits;
}

/**
 * Goes through the text between the strings, counts the levels and replaces numbers. No regular
 * expression sees a string: some of them take a step down for each of its characters.
 */
function check(text: string, replace: Replacement): string {
	let checked = '';
	let copied = 0;
	let level = 0;
	let at = 0;
	while (at < text.length) {
		const quote = text.indexOf('"', at);
		const end = quote === -1 ? text.length : quote;
		level = levelAfter(text, at, end, level);
		if (end - at >= LONG_NUMBER_MIN_LENGTH) {
			const between = text.slice(at, end);
			if (LONG_NUMBER.test(between)) {
				checked += text.slice(copied, at) + replaceNumbers(between, replace);
				copied = end;
			}
		}
		at = endOfString(text, end);
	}
	return copied === 0 ? text : checked + text.slice(copied);
}

/** Says that JSON goes too deep. */
export function tooDeep(): SyntaxError {
	return new SyntaxError(`The JSON nests deeper than ${MOST_LEVELS} levels`);
}

const OPENING = '{'.charCodeAt(0);
const CLOSING = '}'.charCodeAt(0);

function levelAfter(text: string, from: number, to: number, before: number): number {
	let level = before;
	for (let at = from; at < to; at++) {
		// Of both kinds of brackets: they differ in this bit only.
		const sign = text.charCodeAt(at) | 0x20;
		if (sign === OPENING) level++;
		else if (sign === CLOSING) level--;
		if (level > MOST_LEVELS) throw tooDeep();
	}
	return level;
}

function replaceNumbers(text: string, replace: Replacement): string {
	return text.replace(NUMBER, (digits) => (isHeld(digits) ? digits : replace(digits)));
}

/** Whether a JavaScript number holds these digits: integers exactly, fractions as well as it can. */
function isHeld(digits: string): boolean {
	const number = Number(digits);
	return INTEGER.test(digits) ? Number.isSafeInteger(number) : Number.isFinite(number);
}

/** The index behind a string that begins at a quotation mark. */
function endOfString(text: string, start: number): number {
	let quote = start;
	do {
		quote = text.indexOf('"', quote + 1);
	} while (quote !== -1 && isEscaped(text, quote));
	return quote === -1 ? text.length : quote + 1;
}

/** Whether an odd number of backslashes stands before a character. */
function isEscaped(text: string, at: number): boolean {
	let first = at;
	while (text.charAt(first - 1) === '\\') first--;
	return (at - first) % 2 === 1;
}

/** The text behind `key`, if there is any. Numbers are written as text: some IDs come as numbers. */
export function textAt(value: unknown, key: string): string | undefined {
	if (!isJsonObject(value)) return undefined;
	const found = value[key];
	if (typeof found === 'number') return String(found);
	return typeof found === 'string' && found !== '' ? found : undefined;
}
