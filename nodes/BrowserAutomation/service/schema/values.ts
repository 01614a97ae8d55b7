import { isJsonObject, type JsonValue } from '../json/json';
import { isEqual } from './equality';
import type { Keyword } from './keyword';
import { typesOf, type TypeName } from './schema';
import { brief, enumeration, namedTypes, shownValue } from './wording';

/** Whether a value is of a type of JSON Schema. */
export function isOfType(value: JsonValue, type: TypeName): boolean {
	if (type === 'null') return value === null;
	if (type === 'array') return Array.isArray(value);
	if (type === 'object') return isJsonObject(value);
	if (type === 'integer') return Number.isInteger(value);
	return typeof value === type;
}

const type: Keyword = (demand, value, { schema, wrong, budget }) => {
	if (Array.isArray(demand)) budget.spend(demand.length);
	const types = typesOf(schema);
	if (types.length === 0 || types.some((candidate) => isOfType(value, candidate))) return [];
	if (value === null && schema.nullable === true) return [];
	return wrong(`is ${shownValue(value, schema)}, not ${namedTypes(types)}`);
};

const anyOfValues: Keyword = (demand, value, { schema, wrong, budget }) => {
	if (!Array.isArray(demand)) return [];
	if (demand.some((choice) => isEqual(choice, value, budget))) return [];
	return wrong(`is ${shownValue(value, schema)}, not one of ${enumeration(demand)}`);
};

const constant: Keyword = (demand, value, { schema, wrong, budget }) =>
	isEqual(demand, value, budget)
		? []
		: wrong(`is ${shownValue(value, schema)}, not ${brief(demand)}`);

/** Keywords for values of every type. */
export const VALUE_KEYWORDS: Record<string, Keyword> = { type, enum: anyOfValues, const: constant };
