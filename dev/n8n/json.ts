/** Whether a value is a JSON object. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The text of a field. Throws when the value has no such field. */
export function textOf(value: unknown, field: string): string {
	const text = isRecord(value) ? value[field] : undefined;
	if (typeof text !== 'string') {
		throw new Error(`Expected a text "${field}" in ${JSON.stringify(value)?.slice(0, 300)}`);
	}
	return text;
}
