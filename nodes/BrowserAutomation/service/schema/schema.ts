import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { Budget } from './budget';

/** A JSON Schema. `true` allows everything, `false` nothing. */
export type Schema = JsonObject | boolean;

/** A whole schema, which references refer to, and the work that may still be done with it. */
export interface SchemaDocument {
	root: Schema;
	budget: Budget;
}

/** The types of JSON Schema. */
export type TypeName = 'string' | 'integer' | 'number' | 'boolean' | 'array' | 'object' | 'null';

const TYPE_NAMES: readonly TypeName[] = [
	'string',
	'integer',
	'number',
	'boolean',
	'array',
	'object',
	'null',
];

/** Whether a value can be read as a schema. Anything else allows everything. */
export function isSchema(value: JsonValue | undefined): value is Schema {
	return typeof value === 'boolean' || isJsonObject(value);
}

/** How many values a schema may hold, its names and texts counted by the hundred characters. */
const MOST_PARTS = 20_000;
const CHARACTERS_A_PART = 100;

/** Whether a schema is of a size that can be worked with while others wait. */
export function isManageable(schema: Schema): boolean {
	let parts = 0;
	const open: JsonValue[] = [schema];
	for (let value = open.pop(); value !== undefined; value = open.pop()) {
		parts += 1 + (typeof value === 'string' ? value.length / CHARACTERS_A_PART : 0);
		if (parts > MOST_PARTS) return false;
		if (typeof value !== 'object' || value === null) continue;
		const names = Object.keys(value);
		if (parts + names.length > MOST_PARTS) return false;
		for (const name of names) parts += name.length / CHARACTERS_A_PART;
		for (const member of Object.values(value)) open.push(member);
	}
	return true;
}

/** For all that is done with a schema in one go: one that is too large gets none. */
export function budgetFor(schema: Schema): Budget {
	return isManageable(schema) ? new Budget() : new Budget(0);
}

/** The types that a schema names, without those that JSON Schema does not know. */
export function typesOf(schema: JsonObject): TypeName[] {
	const named = [schema.type].flat();
	return TYPE_NAMES.filter((candidate) => named.includes(candidate));
}

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: JsonValue, type: TypeName): boolean {
	if (type === 'null') return value === null;
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return isJsonObject(value);
	if (type === 'integer') return Number.isInteger(value);
	return typeof value === type;
}

/** The exclusive bounds of a schema; in draft 4 they are `true`, beside the number that they are about. */
export function openBounds({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: JsonObject): {
	above: number | undefined;
	below: number | undefined;
} {
	const above = exclusiveMinimum === true ? minimum : exclusiveMinimum;
	const below = exclusiveMaximum === true ? maximum : exclusiveMaximum;
	return {
		above: typeof above === 'number' ? above : undefined,
		below: typeof below === 'number' ? below : undefined,
	};
}

/** A member by its name; nothing that an object merely inherits. */
export function ownMember<T>(object: Record<string, T>, name: string): T | undefined {
	return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The schemas behind the names of `properties` or the like. */
export function schemasIn(value: JsonValue | undefined): Array<[name: string, schema: Schema]> {
	if (!isJsonObject(value)) return [];
	return Object.entries(value).flatMap(([name, schema]) =>
		isSchema(schema) ? [[name, schema]] : [],
	);
}

/** The schemas of a list such as `oneOf`. */
export function schemaList(value: JsonValue | undefined): Schema[] {
	return Array.isArray(value) ? value.filter(isSchema) : [];
}

const REFERENCE_MAX_LENGTH = 1_000;

/** Characters of a reference that are followed in about the time of one step. */
const REFERENCE_CHARACTERS_A_STEP = 2;

/**
 * The part of a document that a local reference points to, e.g. `#/$defs/address` (RFC 6901).
 * References to other documents and to named anchors lead nowhere.
 *
 * @throws TooMuchWork
 */
export function resolveReference(
	{ root, budget }: SchemaDocument,
	reference: JsonValue | undefined,
): Schema | undefined {
	if (typeof reference !== 'string' || !/^#(\/|$)/.test(reference)) return undefined;
	budget.spend(reference.length / REFERENCE_CHARACTERS_A_STEP);
	if (reference.length > REFERENCE_MAX_LENGTH) return undefined;
	let found: JsonValue | undefined = root;
	for (const token of reference.split('/').slice(1)) {
		const name = unescape(token);
		if (name === undefined) return undefined;
		if (Array.isArray(found)) found = found[Number(name)];
		else found = isJsonObject(found) ? ownMember(found, name) : undefined;
		if (found === undefined) return undefined;
	}
	return isSchema(found) ? found : undefined;
}

function unescape(token: string): string | undefined {
	try {
		return decodeURIComponent(token).replaceAll('~1', '/').replaceAll('~0', '~');
	} catch {
		return undefined;
	}
}
