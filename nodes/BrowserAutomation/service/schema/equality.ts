import { isJsonObject, type JsonValue } from '../json';

/** Text that is the same for equal values and differs for others, whatever the order of members. */
export function fingerprint(value: JsonValue): string {
	if (Array.isArray(value)) return `[${value.map(fingerprint).join()}]`;
	if (!isJsonObject(value)) return JSON.stringify(value);
	const members = Object.keys(value)
		.sort()
		.map((name) => `${JSON.stringify(name)}:${fingerprint(value[name] ?? null)}`);
	return `{${members.join()}}`;
}

/** Whether two values are equal as JSON: by content, objects without regard to order. */
export function isEqual(one: JsonValue, other: JsonValue): boolean {
	return one === other || fingerprint(one) === fingerprint(other);
}
