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

const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

/**
 * Reads JSON text. Integers that a JavaScript number cannot hold exactly (the service's int64 IDs)
 * come back as text, so that no digit is lost.
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJson(text: string): JsonValue {
	if (!/\d{16}/.test(text)) return JSON.parse(text);
	const exact = text.replace(STRING_OR_NUMBER, (token) =>
		LONG_INTEGER.test(token) && !Number.isSafeInteger(Number(token)) ? `"${token}"` : token,
	);
	return JSON.parse(exact);
}

/** The text behind `key`, if there is any. Numbers are written as text: some IDs come as numbers. */
export function textAt(value: unknown, key: string): string | undefined {
	if (!isJsonObject(value)) return undefined;
	const found = value[key];
	if (typeof found === 'number') return String(found);
	return typeof found === 'string' && found !== '' ? found : undefined;
}
