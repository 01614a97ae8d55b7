import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../json/json';

/** A JSON Schema. `true` allows everything, `false` nothing. */
export type Schema = JsonObject | boolean;

/** The types of JSON Schema, in words. */
export const TYPE_WORDS = {
	string: 'text',
	integer: 'a whole number',
	number: 'a number',
	boolean: 'true or false',
	array: 'a list',
	object: 'an object',
	null: 'null',
};

export type TypeName = keyof typeof TYPE_WORDS;

/** Whether a value can be read as a schema. Anything else allows everything. */
export function isSchema(value: JsonValue | undefined): value is Schema {
	return typeof value === 'boolean' || isJsonObject(value);
}

/** The types that a schema names, without those that JSON Schema does not know. */
export function typesOf(schema: JsonObject): TypeName[] {
	const isTypeName = (name: JsonValue | undefined): name is TypeName =>
		typeof name === 'string' && Object.hasOwn(TYPE_WORDS, name);
	return [schema.type].flat().filter(isTypeName);
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: JsonValue, type: TypeName): boolean {
	if (type === 'null') return value === null;
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return isJsonObject(value);
	if (type === 'integer') return Number.isInteger(value);
	return typeof value === type;
}

/** The only values that a schema allows; undefined where it names none. */
export function choicesOf(schema: JsonObject): JsonValue[] | undefined {
	if (schema.const !== undefined) return [schema.const];
	return Array.isArray(schema.enum) ? schema.enum : undefined;
}

/** A member by its name; nothing that an object merely inherits. */
export function ownMember<T>(object: Record<string, T>, name: string): T | undefined {
	return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** A list, or an empty one. */
export function listIn(value: JsonValue | undefined): JsonValue[] {
	return Array.isArray(value) ? value : [];
}

/** The schemas of a list such as `oneOf`. */
export function schemaList(value: JsonValue | undefined): Schema[] {
	return listIn(value).filter(isSchema);
}

/** A schema with bounds as since draft 6: in draft 4 one that is not allowed itself has `true` beside it. */
export function withOpenBounds(schema: JsonObject): JsonObject {
	const { minimum = null, maximum = null, exclusiveMinimum, exclusiveMaximum } = schema;
	return {
		...schema,
		...(exclusiveMinimum === true && { exclusiveMinimum: minimum, minimum: null }),
		...(exclusiveMaximum === true && { exclusiveMaximum: maximum, maximum: null }),
	};
}

function formsIn({ oneOf, anyOf }: JsonObject): Schema[] {
	return [...schemaList(oneOf), ...schemaList(anyOf)];
}

/** Whether a schema says itself what values it is for. */
function saysMore(schema: JsonObject): boolean {
	const { properties, items } = schema;
	const isNamed = choicesOf(schema) !== undefined || typesOf(schema).length > 0;
	return isNamed || isJsonObject(properties) || isSchema(items);
}

/** A schema asks for more work than it may cause. */
export class TooMuchWork extends Error {}

/** How much work a schema may cause in one go, in steps of some microseconds at most. */
const MAX_STEPS = 40_000;

/** How many elements of a list are gone through in about the time of one step, and characters. */
const ELEMENTS_A_STEP = 10;
const CHARACTERS_A_STEP = 100;

function stepsThrough(value: JsonValue): number {
	if (typeof value === 'string') return value.length / CHARACTERS_A_STEP;
	if (Array.isArray(value)) return value.length / ELEMENTS_A_STEP;
	return isJsonObject(value) ? Object.keys(value).length : 0;
}

/**
 * A whole schema, which references refer to, and the work that it may still cause: whoever wrote it must
 * not keep n8n busy with it.
 */
export class SchemaDocument {
	constructor(
		readonly root: Schema,
		private left = MAX_STEPS,
	) {}

	/** Counts the work of reading values and their parts. @throws TooMuchWork when that is more than is left */
	spend(values: JsonValue[]): void {
		for (const value of values) {
			this.left -= 1 + stepsThrough(value);
			if (this.left < 0) throw new TooMuchWork('The schema causes too much work');
		}
	}

	/** One object of several; the last wins. A single one is not copied: it may be large. @throws TooMuchWork */
	private merge(values: Array<JsonValue | undefined>): JsonObject {
		const objects = values.filter(isJsonObject);
		const [only = {}, ...others] = objects;
		if (others.length === 0) return only;
		this.spend(objects);
		return Object.fromEntries(objects.flatMap(Object.entries<JsonValue>));
	}

	/** What some work gives; undefined when it is given up as too much. */
	tryTo<T>(work: () => T): T | undefined {
		let failure: unknown;
		try {
			return work();
		} catch (error) {
			failure = error;
		}
		if (failure instanceof TooMuchWork) return undefined;
		throw failure;
	}

	/**
	 * The part that a local reference points to, e.g. `#/$defs/address` (RFC 6901). References to other
	 * documents and to named anchors lead nowhere.
	 *
	 * @throws TooMuchWork
	 */
	resolve(reference: JsonValue | undefined): Schema | undefined {
		if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
		let pointer = '';
		try {
			pointer = decodeURIComponent(reference);
		} catch {
			return undefined;
		}
		const [, ...tokens] = pointer.split('/');
		this.spend(tokens);
		let found: JsonValue | undefined = this.root;
		for (const token of tokens) {
			const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
			found = Array.isArray(found) ? found[Number(name)] : ownMember(objectIn(found), name);
		}
		return isSchema(found) ? found : undefined;
	}

	/**
	 * A schema as one object: what it refers to and what `allOf` adds are merged into it, each once.
	 * Where they contradict each other the schema itself wins. Good for showing a schema, not for
	 * judging by it.
	 *
	 * @throws TooMuchWork
	 */
	flatten(schema: Schema): JsonObject {
		const parts = new Set<Schema>([schema]);
		const flat: JsonObject[] = [];
		for (const part of parts) {
			if (!isJsonObject(part)) continue;
			this.spend([part, ...Object.values(part)]);
			const { $ref: reference, allOf, ...own } = part;
			flat.unshift(withOpenBounds(own));
			for (const other of [this.resolve(reference) ?? [], schemaList(allOf)].flat())
				parts.add(other);
		}
		const properties = this.merge(flat.map((part) => part.properties));
		const required = flat.flatMap((part) => listIn(part.required));
		return {
			...this.merge(flat),
			...(Object.keys(properties).length > 0 && { properties }),
			...(required.length > 0 && { required }),
		};
	}

	/**
	 * The forms that a schema offers for a value, each once, without `null`. A form that only offers further
	 * forms gives way to these.
	 *
	 * @throws TooMuchWork
	 */
	formsOf(schema: JsonObject): JsonObject[] {
		const forms = new Set(formsIn(schema));
		const found: JsonObject[] = [];
		for (const form of forms) {
			if (!isJsonObject(form)) continue;
			const flat = this.flatten(form);
			const inner = saysMore(flat) ? [] : formsIn(flat);
			for (const one of inner) forms.add(one);
			if (inner.length === 0 && flat.const !== null && flat.type !== 'null') found.push(flat);
		}
		return found;
	}
}
