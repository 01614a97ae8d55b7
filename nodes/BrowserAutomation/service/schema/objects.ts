import { isJsonObject, type JsonObject, type JsonValue } from '../json';
import type { Keyword, Problem } from './keyword';
import { isSchema, ownMember, schemasIn, type Schema } from './schema';
import { counted, toPattern } from './texts';
import { fieldLabel } from './wording';

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
	schema: JsonObject,
	label: string,
): Problem[] {
	return names
		.filter((name) => typeof name === 'string')
		.filter((name) => !Object.hasOwn(value, name))
		.map((name) => ({
			label: partLabel(label, fieldLabel(name, propertySchema(schema, name))),
			text: 'is missing',
		}));
}

const required: Keyword = (demand, value, { schema, label }) =>
	isJsonObject(value) && Array.isArray(demand) ? missing(demand, value, schema, label) : [];

const properties: Keyword = (demand, value, { judgePart }) => {
	if (!isJsonObject(value)) return [];
	return schemasIn(demand).flatMap(([name, schema]): Problem[] => {
		const member = ownMember(value, name);
		return member === undefined ? [] : judgePart(schema, member, name);
	});
};

const patternProperties: Keyword = (demand, value, { judgePart }) => {
	if (!isJsonObject(value)) return [];
	return schemasIn(demand).flatMap(([source, schema]) => {
		const pattern = toPattern(source);
		return Object.entries(value).flatMap(([name, member]) =>
			pattern?.test(name) === true ? judgePart(schema, member, name) : [],
		);
	});
};

/** Members that neither `properties` nor `patternProperties` speaks of. */
function additionalMembers(value: JsonObject, schema: JsonObject): Array<[string, JsonValue]> {
	const patterns = schemasIn(schema.patternProperties).map(([source]) => toPattern(source));
	return Object.entries(value).filter(
		([name]) =>
			propertySchema(schema, name) === undefined &&
			!patterns.some((pattern) => pattern?.test(name) === true),
	);
}

const additionalProperties: Keyword = (demand, value, { schema, label, judgePart }) => {
	if (!isJsonObject(value) || !isSchema(demand)) return [];
	const additional = additionalMembers(value, schema);
	if (demand !== false)
		return additional.flatMap(([name, member]) => judgePart(demand, member, name));
	const known = schemasIn(schema.properties).map(([name]) => name);
	const only = known.length === 0 ? '' : `; known fields: ${known.join(', ')}`;
	return additional.map(([name]) => ({
		label: partLabel(label, name),
		text: `is not a known field${only}`,
	}));
};

const propertyNames: Keyword = (demand, value, { wrong, judgeName }) => {
	if (!isJsonObject(value) || !isSchema(demand)) return [];
	const unfit = Object.keys(value).filter((name) => judgeName(demand, name).length > 0);
	return unfit.flatMap((name) => wrong(`has a field with a name that is not allowed: ${name}`));
};

const dependencies: Keyword = (demand, value, { schema, label, judge }) => {
	if (!isJsonObject(value) || !isJsonObject(demand)) return [];
	return Object.entries(demand).flatMap(([name, dependency]) => {
		if (!Object.hasOwn(value, name)) return [];
		if (Array.isArray(dependency)) return missing(dependency, value, schema, label);
		return isSchema(dependency) ? judge(dependency) : [];
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
