import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import type { Judgement, Keyword, Problem } from './keyword';
import { isSchema, ownMember, schemasIn, type Schema } from './schema';
import { counted } from './texts';
import { fieldLabel, nameList } from './wording';

const minProperties: Keyword = (demand, value, { wrong }) => {
	if (!isJsonObject(value) || typeof demand !== 'number') return [];
	const count = Object.keys(value).length;
	return count >= demand ? [] : wrong(`has ${counted(count, 'field')}, fewer than ${demand}`);
};

const maxProperties: Keyword = (demand, value, { wrong }) => {
	if (!isJsonObject(value) || typeof demand !== 'number') return [];
	const count = Object.keys(value).length;
	return count <= demand ? [] : wrong(`has ${counted(count, 'field')}, more than ${demand}`);
};

/** The schema of a member as `properties` states it. */
function propertySchema({ properties }: JsonObject, name: string): Schema | undefined {
	const found = isJsonObject(properties) ? ownMember(properties, name) : undefined;
	return isSchema(found) ? found : undefined;
}

/** A member's label as seen from the object around it, e.g. "Location > country". */
export function partLabel(parent: string, part: string): string {
	return parent === '' ? part : `${parent} > ${part}`;
}

function missing(
	names: JsonValue[],
	value: JsonObject,
	{ schema, label, budget }: Judgement,
): Problem[] {
	budget.spend(names.length);
	return names
		.filter((name) => typeof name === 'string')
		.filter((name) => !Object.hasOwn(value, name))
		.map((name) => ({
			label: partLabel(label, fieldLabel(name, propertySchema(schema, name))),
			text: 'is missing',
		}));
}

const required: Keyword = (demand, value, judgement) =>
	isJsonObject(value) && Array.isArray(demand) ? missing(demand, value, judgement) : [];

const properties: Keyword = (demand, value, { judgePart, budget }) => {
	if (!isJsonObject(value)) return [];
	const schemas = isJsonObject(demand) ? demand : {};
	const names = Object.keys(schemas);
	budget.spend(names.length);
	return names.flatMap((name): Problem[] => {
		const [schema, member] = [schemas[name], ownMember(value, name)];
		return member === undefined || !isSchema(schema) ? [] : judgePart(schema, member, name);
	});
};

const patternProperties: Keyword = (demand, value, { judgePart, matches }) => {
	if (!isJsonObject(value)) return [];
	return schemasIn(demand).flatMap(([source, schema]) =>
		Object.entries(value).flatMap(([name, member]) =>
			matches(source, name) === true ? judgePart(schema, member, name) : [],
		),
	);
};

/** Members that neither `properties` nor `patternProperties` speaks of. */
function additionalMembers(
	value: JsonObject,
	{ schema, matches, budget }: Judgement,
): Array<[string, JsonValue]> {
	const patterns = schemasIn(schema.patternProperties).map(([source]) => source);
	const members = Object.entries(value);
	budget.spend(members.length);
	return members.filter(
		([name]) =>
			propertySchema(schema, name) === undefined &&
			!patterns.some((pattern) => matches(pattern, name) !== false),
	);
}

const additionalProperties: Keyword = (demand, value, judgement) => {
	if (!isJsonObject(value) || !isSchema(demand)) return [];
	const additional = additionalMembers(value, judgement);
	if (demand !== false)
		return additional.flatMap(([name, member]) => judgement.judgePart(demand, member, name));
	if (additional.length === 0) return [];
	const known = schemasIn(judgement.schema.properties).map(([name]) => name);
	const only = known.length === 0 ? '' : `; known fields: ${nameList(known)}`;
	return additional.map(([name]) => ({
		label: partLabel(judgement.label, fieldLabel(name, undefined)),
		text: `is not a known field${only}`,
	}));
};

const propertyNames: Keyword = (demand, value, { wrong, judgeName }) => {
	if (!isJsonObject(value) || !isSchema(demand)) return [];
	const unfit = Object.keys(value).filter((name) => judgeName(demand, name).length > 0);
	return unfit.flatMap((name) =>
		wrong(`has a field with a name that is not allowed: ${nameList([name])}`),
	);
};

const dependencies: Keyword = (demand, value, judgement) => {
	if (!isJsonObject(value) || !isJsonObject(demand)) return [];
	const entries = Object.entries(demand);
	judgement.budget.spend(entries.length);
	return entries.flatMap(([name, dependency]) => {
		if (!Object.hasOwn(value, name)) return [];
		if (Array.isArray(dependency)) return missing(dependency, value, judgement);
		return isSchema(dependency) ? judgement.judge(dependency) : [];
	});
};

/** Keywords for objects. */
export const OBJECT_KEYWORDS: Record<string, Keyword> = {
	minProperties,
	maxProperties,
	required,
	properties,
	patternProperties,
	additionalProperties,
	propertyNames,
	dependencies,
	dependentRequired: dependencies,
	dependentSchemas: dependencies,
};
