import Ajv2020, { type ErrorObject, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

import { isObject, type JsonObject } from '../../dev/sandbox/json';
import { loadDocument, type DocumentOperation } from '../../dev/sandbox/document';

/** Where an answer is not as the document says, e.g. `items[].status`, and how. */
export interface Deviation {
	place: string;
	what: string;
}

/** The document of the service as a judge: of an object whose fields it names, it accepts no others. */
export class Shapes {
	private readonly ajv = addFormats(new Ajv2020({ allErrors: true, strict: false, verbose: true }));

	private readonly validators = new Map<string, ValidateFunction>();

	private constructor(private readonly operations: Map<string, DocumentOperation>) {}

	static async load(): Promise<Shapes> {
		const { operations } = await loadDocument();
		return new Shapes(new Map(operations.map((one) => [one.operationId ?? '', one])));
	}

	/** @throws Error when the document has no operation of that name */
	operation(operationId: string): DocumentOperation {
		const found = this.operations.get(operationId);
		if (found === undefined) throw new Error(`The document has no operation ${operationId}.`);
		return found;
	}

	/** What a parameter of an operation may be, as JSON Schema; empty when the document does not say. */
	parameter(operationId: string, name: string): JsonObject {
		const parameters: unknown[] = this.operation(operationId).parameters ?? [];
		const found = parameters.filter(isObject).find((parameter) => parameter['name'] === name);
		return isObject(found?.['schema']) ? found['schema'] : {};
	}

	/** How an answer deviates; the same deviation at several places of a list is said of once. */
	judge(operationId: string, status: number, body: unknown): Deviation[] {
		const response: unknown = this.operation(operationId).responses?.[String(status)];
		if (!isObject(response))
			return [{ place: '', what: `status ${status} is not in the document` }];
		const content = response['content'];
		const json = isObject(content) ? content['application/json'] : undefined;
		if (!isObject(json)) return [];
		return this.deviations(`${operationId} ${status}`, json['schema'], body);
	}

	/** How the body of a callback deviates. */
	judgeCallback(body: unknown): Deviation[] {
		return this.judge('run.get', 200, body);
	}

	private deviations(name: string, schema: unknown, body: unknown): Deviation[] {
		const validate = this.validators.get(name) ?? this.ajv.compile(closed(schema));
		this.validators.set(name, validate);
		validate(body);
		const said = new Map((validate.errors ?? []).map(deviationOf).map((one) => [textOf(one), one]));
		return [...said.values()];
	}
}

function textOf({ place, what }: Deviation): string {
	return `${place} ${what}`;
}

/** A schema without `allOf`, in which an object that names its fields has no others. */
function closed(schema: unknown): JsonObject {
	const { properties, items, additionalProperties, ...rest } = flattened(schema);
	return {
		...rest,
		...(isObject(properties)
			? { properties: mapped(properties, closed), additionalProperties: false }
			: {}),
		...(isObject(items) ? { items: closed(items) } : {}),
		...(additionalProperties === undefined
			? {}
			: {
					additionalProperties: isObject(additionalProperties)
						? closed(additionalProperties)
						: additionalProperties,
				}),
	};
}

function flattened(schema: unknown): JsonObject {
	const { allOf, ...rest } = isObject(schema) ? schema : {};
	const parts = Array.isArray(allOf) ? allOf.map(flattened) : [];
	return [...parts, rest].reduce(merged, {});
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
	const result: JsonObject = { ...one, ...other };
	const required = [one['required'], other['required']].filter(Array.isArray).flat();
	if (required.length > 0) result['required'] = [...new Set(required)];
	const [fields, further] = [one['properties'], other['properties']];
	if (isObject(fields) && isObject(further)) {
		result['properties'] = {
			...fields,
			...mapped(further, (field, name) => merged(flattened(fields[name]), flattened(field))),
		};
	}
	return result;
}

function mapped(fields: JsonObject, change: (field: unknown, name: string) => unknown): JsonObject {
	return Object.fromEntries(
		Object.entries(fields).map(([name, field]) => [name, change(field, name)]),
	);
}

function deviationOf({ instancePath, keyword, params, message, data }: ErrorObject): Deviation {
	const place = instancePath
		.replace(/\/\d+(?=\/|$)/g, '[]')
		.replace(/^\//, '')
		.replaceAll('/', '.');
	const inner = (name: unknown): string => [place, String(name)].filter(Boolean).join('.');
	switch (keyword) {
		case 'required':
			return { place: inner(params['missingProperty']), what: 'is missing' };
		case 'additionalProperties': {
			const name = String(params['additionalProperty']);
			const value: unknown = isObject(data) ? data[name] : undefined;
			return { place: inner(name), what: `is not known (${typeName(value)})` };
		}
		case 'type':
			return { place, what: `is ${typeName(data)}, not ${[params['type']].flat().join(' or ')}` };
		case 'enum':
			return { place, what: `has the value ${shown(data)}, which is not known` };
		default:
			return { place, what: message ?? keyword };
	}
}

/** A value that is a plain word; of others nothing is said, as they may be somebody's data. */
function shown(value: unknown): string {
	return typeof value === 'string' && /^[\w-]{1,30}$/.test(value) ? value : typeName(value);
}

/** The JSON type of a value. */
export function typeName(value: unknown): string {
	if (value === null) return 'null';
	return Array.isArray(value) ? 'array' : typeof value;
}
