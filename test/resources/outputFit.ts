import Ajv from 'ajv';

import type { OutputSchema } from '../../tools/build/outputSchemas';

/** What an item has that its operation's schema does not tell, or tells otherwise. Anything may be missing or null. */
export function misfitsOf(schema: OutputSchema, json: unknown): string[] {
	const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(strictly(schema));
	if (validate(json)) return [];
	return (validate.errors ?? []).map(
		({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
	);
}

/** The schema with no fields but those it names, in JSON Schema's full sense. */
function strictly({ type, properties, items }: OutputSchema): object {
	const closed = Object.entries(properties ?? {}).map(([name, part]) => [name, strictly(part)]);
	return {
		type: [...new Set([type, 'null'].flat())],
		...(properties !== undefined && {
			properties: Object.fromEntries(closed),
			additionalProperties: false,
		}),
		...(items !== undefined && { items: strictly(items) }),
	};
}
