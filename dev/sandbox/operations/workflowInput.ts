import type { Automation } from '../automations/automation';
import { objectOrEmpty } from '../json';
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
