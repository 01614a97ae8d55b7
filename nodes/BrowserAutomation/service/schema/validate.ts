import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { FORMATS } from './formats';
import {
	isOfType,
	isSchema,
	listIn,
	ownMember,
	type Schema,
	type SchemaDocument,
	schemaList,
	TooMuchWork,
	typesOf,
	withOpenBounds,
} from './schema';
import {
	choiceList,
	describeSchemas,
	fieldLabel,
	nameList,
	namedTypes,
	shorten,
	shownValue,
} from './wording';

/** A value that is judged, or a part of it. */
interface Given {
	value: JsonValue;
	/** What the part is called as seen from the whole, e.g. "Location (location) > country". */
	label(): string;
	/** The schemas that this value is being judged by: one may lead back to itself. */
	under: Set<JsonObject>;
}

/** What a keyword can use to judge a value. */
interface Judgement {
	document: SchemaDocument;
	/** The schema that the keyword stands in. */
	schema: JsonObject;
	/** Judges a value, or a part of one, by another schema. */
	judge(schema: Schema, given: Given): string[];
}

/**
 * One keyword of JSON Schema: what it demands, applied to a value; what is wrong, in sentences. A
 * keyword whose own value makes no sense demands nothing.
 */
type Keyword = (demand: JsonValue, given: Given, judgement: Judgement) => string[];

const LABEL_MAX_LENGTH = 300;

/** Says what is wrong with a value. */
function wrong({ label }: Given, text: string): string[] {
	return [`${shorten(label(), LABEL_MAX_LENGTH) || 'the input'} ${text}`];
}

function partOf({ label: whole }: Given, value: JsonValue, name: () => string): Given {
	return { value, label: () => [whole(), name()].filter(Boolean).join(' > '), under: new Set() };
}

/** A member, which is called by its title, or by that of what its schema refers to. */
function memberOf(given: Given, value: JsonValue, name: string, judgement: Judgement): Given {
	const { properties } = judgement.schema;
	const schema = isJsonObject(properties) ? ownMember(properties, name) : undefined;
	const flat = (): JsonObject => (isSchema(schema) ? judgement.document.flatten(schema) : {});
	return partOf(given, value, () => fieldLabel(name, flat()));
}

/** Holds a value against the only ones that there may be. Lists and objects are left to the service. */
function amongst(allowed: JsonValue[], given: Given, schema: JsonObject): string[] {
	const isStructure = (value: JsonValue): boolean => typeof value === 'object' && value !== null;
	if (allowed.includes(given.value)) return [];
	if (isStructure(given.value) && allowed.some(isStructure)) return [];
	const what = `${allowed.length === 1 ? '' : 'one of '}${choiceList(allowed)}`;
	return wrong(given, `is ${shownValue(given.value, schema)}, not ${what}`);
}

/** A bound of a number, or of the length of a text or a list. */
function bound(
	type: 'number' | 'string' | 'array',
	holds: (found: number, bound: number) => boolean,
	relation: string,
): Keyword {
	const unit = type === 'string' ? 'character' : 'item';
	return (limit, given) => {
		const { value } = given;
		if (typeof limit !== 'number' || !isOfType(value, type)) return [];
		const found = typeof value === 'number' ? value : lengthOf(value);
		if (holds(found, limit)) return [];
		const has = `has ${found} ${unit}${found === 1 ? '' : 's'}`;
		if (found === 0 && type !== 'number') return wrong(given, 'is empty');
		return wrong(given, `${type === 'number' ? `is ${found}` : has}, ${relation} ${limit}`);
	};
}

/** How many items a list has, or a text characters as people count them, not in UTF-16 units. */
function lengthOf(value: JsonValue): number {
	if (typeof value !== 'string') return listIn(value).length;
	return value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

/** Of several forms that a value may have; whether it has just one of them is left to the service. */
const anyOf: Keyword = (demand, given, { judge }) => {
	const schemas = schemaList(demand);
	const findings = schemas.map((schema) => ({ schema, problems: judge(schema, given) }));
	if (schemas.length === 0 || findings.some(({ problems }) => problems.length === 0)) return [];
	// Where only one form is meant for values of this type, what keeps the value from it tells most.
	const [near, ...others] = findings.filter(({ schema }) => isMeantFor(schema, given.value));
	if (near !== undefined && others.length === 0) return near.problems;
	return wrong(given, `fits none of its forms: ${describeSchemas(schemas)}`);
};

function isMeantFor(schema: Schema, value: JsonValue): boolean {
	if (!isJsonObject(schema)) return schema;
	const types = typesOf(schema);
	return types.length === 0 || types.some((type) => isOfType(value, type));
}

/**
 * The keywords that are judged here. All others (`pattern`, `multipleOf`, `uniqueItems`, `not`, `if`,
 * `contains`, `patternProperties`, `dependentRequired` and the like) are left to the service, which
 * judges every input. None of those here makes a value fit that would not fit without it, so that
 * leaving out others refuses no value that fits.
 */
const KEYWORDS: Record<string, Keyword> = {
	type: (_, given, { schema }) => {
		const types = typesOf(schema);
		if (types.length === 0 || types.some((type) => isOfType(given.value, type))) return [];
		if (given.value === null && schema.nullable === true) return [];
		return wrong(given, `is ${shownValue(given.value, schema)}, not ${namedTypes(types)}`);
	},
	enum: (demand, given, { schema }) =>
		Array.isArray(demand) ? amongst(demand, given, schema) : [],
	const: (demand, given, { schema }) => amongst([demand], given, schema),

	minimum: bound('number', (found, least) => found >= least, 'less than'),
	maximum: bound('number', (found, most) => found <= most, 'more than'),
	exclusiveMinimum: bound('number', (found, limit) => found > limit, 'not more than'),
	exclusiveMaximum: bound('number', (found, limit) => found < limit, 'not less than'),
	minLength: bound('string', (found, least) => found >= least, 'fewer than'),
	maxLength: bound('string', (found, most) => found <= most, 'more than'),
	minItems: bound('array', (found, least) => found >= least, 'fewer than'),
	maxItems: bound('array', (found, most) => found <= most, 'more than'),

	format: (demand, given, { schema }) => {
		const { value } = given;
		const known = ownMember(FORMATS, String(demand));
		if (typeof value !== 'string' || known === undefined || known.mayBe(value)) return [];
		const shown = shownValue(value, schema);
		return wrong(given, `is ${shown}, not ${known.noun} such as ${known.example}`);
	},

	/** One schema for all items. Lists whose items have schemas each for its place are left to the service. */
	items: (demand, given, { schema, judge }) =>
		isSchema(demand) && schema.prefixItems === undefined
			? listIn(given.value).flatMap((item, index) =>
					judge(
						demand,
						partOf(given, item, () => `item ${index + 1}`),
					),
				)
			: [],

	required: (demand, given, judgement) => {
		const { value } = given;
		if (!isJsonObject(value)) return [];
		return listIn(demand)
			.filter((name) => typeof name === 'string')
			.filter((name) => !Object.hasOwn(value, name))
			.flatMap((name) => wrong(memberOf(given, null, name, judgement), 'is missing'));
	},
	properties: (demand, given, judgement) => {
		if (!isJsonObject(given.value) || !isJsonObject(demand)) return [];
		return Object.entries(given.value).flatMap(([name, member]) => {
			const schema = ownMember(demand, name);
			if (!isSchema(schema)) return [];
			return judgement.judge(schema, memberOf(given, member, name, judgement));
		});
	},
	/** Of members that no other keyword speaks of. Where patterns tell which these are, they are left to the service. */
	additionalProperties: (demand, given, { schema, judge }) => {
		const { properties, patternProperties } = schema;
		if (!isJsonObject(given.value) || !isSchema(demand) || patternProperties !== undefined)
			return [];
		const known = isJsonObject(properties) ? properties : {};
		const others = Object.entries(given.value).filter(([name]) => !Object.hasOwn(known, name));
		return others.flatMap(([name, value]) => {
			const member = partOf(given, value, () => fieldLabel(name));
			if (demand !== false) return judge(demand, member);
			const names = Object.keys(known);
			const only = names.length === 0 ? '' : `; known fields: ${nameList(names)}`;
			return wrong(member, `is not a known field${only}`);
		});
	},

	$ref: (demand, given, judgement) => {
		const target = judgement.document.resolve(demand);
		return target === undefined ? [] : judgement.judge(target, given);
	},
	allOf: (demand, given, { judge }) => schemaList(demand).flatMap((schema) => judge(schema, given)),
	anyOf,
	oneOf: anyOf,
};

/** How deep schemas may lead into each other. */
const MOST_LEVELS = 250;

/**
 * What is wrong with a value by a JSON Schema (drafts 4 to 2020-12), as far as `KEYWORDS` tell. Other
 * keywords, unknown formats and references to elsewhere demand nothing, so that a schema newer than
 * this never stands in the way: the service judges every input anyway. `$ref` is followed within the
 * schema and applies beside its siblings. A schema whose judgement takes too much work demands
 * nothing either.
 *
 * @param document the whole schema, which references refer to
 * @param part the schema to judge by
 * @returns a sentence for each fault, e.g. "Shop URL (url) is missing"; none when the value fits, or
 * may fit as far as can be told
 */
export function validate(
	document: SchemaDocument,
	value: JsonValue,
	part = document.root,
): string[] {
	let level = 0;

	const judge = (schema: Schema, given: Given): string[] => {
		if (typeof schema === 'boolean') return schema ? [] : wrong(given, 'is not allowed');
		if (given.under.has(schema)) return [];
		document.look([given.value, ...Object.values(schema)]);
		if (level === MOST_LEVELS) throw new TooMuchWork('The schema nests too deep');
		const judgement = { document, schema: withOpenBounds(schema), judge };
		given.under.add(schema);
		level++;
		const problems = Object.entries(judgement.schema).flatMap(
			([name, demand]) => ownMember(KEYWORDS, name)?.(demand, given, judgement) ?? [],
		);
		level--;
		given.under.delete(schema);
		document.look(problems);
		return problems;
	};

	const given = { value, label: () => '', under: new Set<JsonObject>() };
	// The same fault may show in two parts of a schema.
	return [...new Set(document.tryTo(() => judge(part, given)))];
}
