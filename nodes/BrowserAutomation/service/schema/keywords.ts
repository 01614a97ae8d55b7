import { isJsonObject, type JsonValue } from '../json/json';
import { BOUNDS } from './bounds';
import { CHARACTERS_A_STEP, type Budget } from './budget';
import { fingerprint } from './equality';
import { FORMATS } from './formats';
import { wrong, type Judgement, type Keyword, type Problem } from './keyword';
import { isFound } from './patterns';
import {
	isOfType,
	isSchema,
	ownMember,
	resolveReference,
	schemaList,
	schemasIn,
	typesOf,
	type Schema,
} from './schema';
import {
	brief,
	describeSchemas,
	enumeration,
	fieldLabel,
	nameList,
	namedTypes,
	shorten,
	shownValue,
} from './wording';

const type: Keyword = (demand, value, { schema, budget }) => {
	if (Array.isArray(demand)) budget.spend(demand.length);
	const types = typesOf(schema);
	if (types.length === 0 || types.some((candidate) => isOfType(value, candidate))) return [];
	if (value === null && schema.nullable === true) return [];
	return wrong(`is ${shownValue(value, schema)}, not ${namedTypes(types)}`);
};

const oneOfValues: Keyword = (demand, value, { schema, budget }) => {
	if (!Array.isArray(demand) || isAmong(demand, value, budget)) return [];
	return wrong(`is ${shownValue(value, schema)}, not one of ${enumeration(demand)}`);
};

const onlyValue: Keyword = (demand, value, { schema, budget }) =>
	isAmong([demand], value, budget)
		? []
		: wrong(`is ${shownValue(value, schema)}, not ${brief(demand)}`);

/** Whether one of some values is equal to a value as JSON: by content, objects without regard to order. */
function isAmong(choices: JsonValue[], value: JsonValue, budget: Budget): boolean {
	budget.spend(choices.length / CHOICES_A_STEP);
	if (typeof value !== 'object' || value === null) return choices.includes(value);
	const wanted = fingerprint(value, budget);
	return choices.some((choice) => fingerprint(choice, budget) === wanted);
}

/** Choices that a plain value is compared with in about the time of one step. */
const CHOICES_A_STEP = 10;

const PATTERN_SHOWN = 200;

/** Looking for a pattern costs so many steps, beside the ways through it. */
const STEPS_TO_LOOK = 10;

const pattern: Keyword = (demand, value, { schema, budget, ways }) => {
	if (typeof value !== 'string' || typeof demand !== 'string') return [];
	budget.spend(STEPS_TO_LOOK + value.length / CHARACTERS_A_STEP);
	if (isFound(demand, value, ways) !== false) return [];
	const source = shorten(demand, PATTERN_SHOWN);
	return wrong(`is ${shownValue(value, schema)}, which does not match the pattern ${source}`);
};

/** The longest text of which the format is checked. */
const FORMAT_MAX_LENGTH = 10_000;

const format: Keyword = (demand, value, { schema, budget }) => {
	if (typeof value !== 'string' || typeof demand !== 'string') return [];
	if (value.length > FORMAT_MAX_LENGTH) return [];
	budget.spend(value.length / CHARACTERS_A_STEP);
	const known = ownMember(FORMATS, demand);
	if (known === undefined || known.fits(value)) return [];
	return wrong(`is ${shownValue(value, schema)}, not ${known.noun} such as ${known.example}`);
};

const uniqueItems: Keyword = (demand, value, { budget }) => {
	if (demand !== true || !Array.isArray(value)) return [];
	const isUnique = new Set(value.map((item) => fingerprint(item, budget))).size === value.length;
	return isUnique ? [] : wrong('has the same item twice');
};

/** One schema for all items. Lists whose items have schemas each for its place are left to the service. */
const items: Keyword = (demand, value, { schema, judge }) => {
	if (!Array.isArray(value) || !isSchema(demand) || schema.prefixItems !== undefined) return [];
	return value.flatMap((item, index) => inPart(`item ${index + 1}`, judge(demand, item)));
};

/** What was found of a part, as seen from the value that it is in, e.g. "Location > country". */
function inPart(part: string, problems: Problem[]): Problem[] {
	return problems.map(({ label, text }) => ({
		label: label === '' ? part : `${part} > ${label}`,
		text,
	}));
}

/** What was found of a member. It is called by its title, or by that of what its schema refers to. */
function inMember(name: string, judgement: Judgement, problems: Problem[]): Problem[] {
	if (problems.length === 0) return problems;
	const { properties } = judgement.schema;
	const own = isJsonObject(properties) ? ownMember(properties, name) : undefined;
	const isUntitled = isJsonObject(own) && own.title === undefined;
	const titled = isUntitled ? resolveReference(judgement, own.$ref) : own;
	return inPart(fieldLabel(name, isSchema(titled) ? titled : undefined), problems);
}

const required: Keyword = (demand, value, judgement) => {
	if (!isJsonObject(value) || !Array.isArray(demand)) return [];
	judgement.budget.spend(demand.length);
	return demand
		.filter((name) => typeof name === 'string')
		.filter((name) => !Object.hasOwn(value, name))
		.flatMap((name) => inMember(name, judgement, wrong('is missing')));
};

const properties: Keyword = (demand, value, judgement) => {
	if (!isJsonObject(value) || !isJsonObject(demand)) return [];
	const names = Object.keys(demand);
	judgement.budget.spend(names.length);
	return names.flatMap((name): Problem[] => {
		const [schema, member] = [demand[name], ownMember(value, name)];
		if (member === undefined || !isSchema(schema)) return [];
		return inMember(name, judgement, judgement.judge(schema, member));
	});
};

/** Of members that no other keyword speaks of. Where patterns tell which these are, they are left to the service. */
const additionalProperties: Keyword = (demand, value, { schema, budget, judge }) => {
	if (!isJsonObject(value) || !isSchema(demand) || schema.patternProperties !== undefined)
		return [];
	const known = schemasIn(schema.properties).map(([name]) => name);
	budget.spend(known.length + Object.keys(value).length);
	const names = new Set(known);
	const others = Object.entries(value).filter(([name]) => !names.has(name));
	const only = known.length === 0 ? '' : `; known fields: ${nameList(known)}`;
	return others.flatMap(([name, member]) =>
		inPart(
			fieldLabel(name, undefined),
			demand === false ? wrong(`is not a known field${only}`) : judge(demand, member),
		),
	);
};

const reference: Keyword = (demand, value, judgement) => {
	const target = resolveReference(judgement, demand);
	return target === undefined ? [] : judgement.judge(target, value);
};

const allOf: Keyword = (demand, value, { judge }) =>
	schemaList(demand).flatMap((schema) => judge(schema, value));

/** Of several forms that a value may have; whether it has just one of them is left to the service. */
const anyOf: Keyword = (demand, value, { judge }) => {
	const schemas = schemaList(demand);
	const findings = schemas.map((schema) => ({ schema, problems: judge(schema, value) }));
	if (schemas.length === 0 || findings.some(({ problems }) => problems.length === 0)) return [];
	// Where only one form is meant for values of this type, what keeps the value from it tells most.
	const [near, ...others] = findings.filter(({ schema }) => isMeantFor(schema, value));
	if (near !== undefined && others.length === 0) return near.problems;
	return wrong(`fits none of its forms: ${describeSchemas(schemas)}`);
};

function isMeantFor(schema: Schema, value: JsonValue): boolean {
	if (!isJsonObject(schema)) return schema;
	const types = typesOf(schema);
	return types.length === 0 || types.some((candidate) => isOfType(value, candidate));
}

/**
 * The keywords that are judged here. All others (`not`, `if`, `contains`, `patternProperties`,
 * `dependentRequired` and the like) are left to the service, which judges every input. None of
 * those here makes a value fit that would not fit without it, so that leaving out others refuses
 * no value that fits.
 */
export const KEYWORDS: Record<string, Keyword> = {
	type,
	enum: oneOfValues,
	const: onlyValue,
	...BOUNDS,
	pattern,
	format,
	uniqueItems,
	items,
	required,
	properties,
	additionalProperties,
	$ref: reference,
	allOf,
	anyOf,
	oneOf: anyOf,
};
