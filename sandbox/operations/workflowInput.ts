import type { Automation } from '../automations/automation';
import { isObject, objectOrEmpty, textAt } from '../json';
import type { JsonObject } from '../json';

/** The `input_parameters` of a V2 workflow or template, made from its input schema. */
export function inputParameters({ inputSchema }: Automation): JsonObject[] {
	return Object.entries(objectOrEmpty(inputSchema['properties'])).map(([name, property]) => ({
		name,
		default_enabled: Object.hasOwn(objectOrEmpty(property), 'default'),
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
