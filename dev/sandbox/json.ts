/** An object as it comes out of a JSON document, its members still unchecked. */
export type JsonObject = Record<string, unknown>;

export function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object itself, or an empty one in place of anything else. */
export function objectOrEmpty(value: unknown): JsonObject {
	return isObject(value) ? value : {};
}

/** What a text says in JSON; undefined when it is not JSON. */
export function parseIfJson(text: string): unknown {
	try {
		const value: unknown = JSON.parse(text);
		return value;
	} catch {
		return undefined;
	}
}

export function textAt(object: JsonObject, name: string): string | undefined {
	const value = object[name];
	return typeof value === 'string' ? value : undefined;
}

/** An ID, also where it is written as a number. */
export function idAt(object: JsonObject, name: string): string | undefined {
	return textAt(object, name) ?? numberAt(object, name)?.toString();
}

export function numberAt(object: JsonObject, name: string): number | undefined {
	const value = object[name];
	return typeof value === 'number' ? value : undefined;
}

/** Copies an object without the members that are undefined. */
export function withoutUndefined<T>(
	object: Readonly<Record<string, T | undefined>>,
): Record<string, T> {
	const defined: Record<string, T> = {};
	for (const [name, value] of Object.entries(object)) {
		if (value !== undefined) defined[name] = value;
	}
	return defined;
}
