import type { Automation } from '../automations/automation';
import { isObject, objectOrEmpty, textAt } from '../json';
import type { JsonObject } from '../json';

/** The `input_parameters` of a V2 workflow or template, made from its input schema: what needs no value is `default_enabled`. */
export function inputParameters({ inputSchema }: Automation): JsonObject[] {
	const { properties, required } = inputSchema;
	const needed = new Set<unknown>(Array.isArray(required) ? required : []);
	return Object.keys(objectOrEmpty(properties)).map((name) => ({
		name,
		default_enabled: !needed.has(name),
	}));
}

/** The name and value pairs of a V2 start. */
export function inputValues(request: JsonObject): Array<readonly [name: string, value: string]> {
	const pairs = request['input_parameters'];
	if (!Array.isArray(pairs)) return [];
	return pairs
		.filter(isObject)
		.map((pair) => [textAt(pair, 'name') ?? '', textAt(pair, 'value') ?? ''] as const);
}
