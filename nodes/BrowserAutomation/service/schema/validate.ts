import { isJsonObject, objectIn, type JsonObject, type JsonValue } from '../json/json';
import { shorten } from '../text';
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
	shownValue,
} from './wording';

/** A value that is judged, or a part of it, and what by. */
interface ValidationContext {
	value: JsonValue;
	/** What the part is called as seen from the whole, e.g. "Location (location) > country". */
	label(): string;
	/** The schemas that this value is being judged by: one may lead back to itself. */
	under: JsonObject[];
	/** How many schemas have led here. */
	level: number;
	/** The schema that the keyword stands in. */
	schema: JsonObject;
	document: SchemaDocument;
	/** Judges a value, or a part of one, by another schema. */
	judge(schema: Schema, place: ValidationContext): string[];
}

/**
 * One keyword of JSON Schema: what it demands, applied to a value; what is wrong, in sentences. A
 * keyword whose own value makes no sense demands nothing.
 */
type Keyword = (demand: JsonValue, place: ValidationContext) => string[];

/** Says what is wrong with a value. */
function wrong({ label }: ValidationContext, text: string): string[] {
	return [`${shorten(label(), 300) || 'the input'} ${text}`];
}

function partContext(
	whole: ValidationContext,
	value: JsonValue,
	name: () => string,
): ValidationContext {
	const label = (): string => [whole.label(), name()].filter(Boolean).join(' > ');
	return { ...whole, value, label, under: [] };
}

/** A member, which is called by its title, or by that of what its schema refers to. */
function memberOf(whole: ValidationContext, value: JsonValue, name: string): ValidationContext {
	const schema = ownMember(objectIn(whole.schema.properties), name);
	return partContext(whole, value, () =>
		fieldLabel(name, isSchema(schema) ? whole.document.flatten(schema) : {}),
	);
}

/** Holds a value against the only ones that there may be. Lists and objects are left to the service. */
function amongst(allowed: JsonValue[], place: ValidationContext): string[] {
	const { value, schema } = place;
	const isStructure = (one: JsonValue): boolean => typeof one === 'object' && one !== null;
	if (allowed.includes(value) || (isStructure(value) && allowed.some(isStructure))) return [];
	const what = `${allowed.length === 1 ? '' : 'one of '}${choiceList(allowed)}`;
	return wrong(place, `is ${shownValue(value, schema)}, not ${what}`);
}

/** A bound of a number, or of the length of a text or a list. */
function bound(
	type: 'number' | 'string' | 'array',
	holds: (found: number, bound: number) => boolean,
	relation: string,
): Keyword {
	const unit = type === 'string' ? 'character' : 'item';
	return (limit, place) => {
		const { value } = place;
		if (typeof limit !== 'number' || !isOfType(value, type)) return [];
		// The characters of a text are counted as people do, not in UTF-16 units.
		const parts = typeof value === 'string' ? [...value] : listIn(value);
		const found = typeof value === 'number' ? value : parts.length;
		if (holds(found, limit)) return [];
		const has = `has ${found} ${unit}${found === 1 ? '' : 's'}`;
		if (found === 0 && type !== 'number') return wrong(place, 'is empty');
		return wrong(place, `${type === 'number' ? `is ${found}` : has}, ${relation} ${limit}`);
	};
}

/** Of several forms that a value may have; whether it has just one of them is left to the service. */
const anyOf: Keyword = (demand, place) => {
	const schemas = schemaList(demand);
	const findings = schemas.map((schema) => ({ schema, problems: place.judge(schema, place) }));
	if (schemas.length === 0 || findings.some(({ problems }) => problems.length === 0)) return [];
	// Where only one form is meant for values of this type, what keeps the value from it tells most.
	const [near, ...others] = findings.filter(({ schema }) => isMeantFor(schema, place.value));
	if (near !== undefined && others.length === 0) return near.problems;
	return wrong(place, `fits none of its forms: ${describeSchemas(schemas)}`);
};

function isMeantFor(schema: Schema, value: JsonValue): boolean {
	if (!isJsonObject(schema)) return schema;
	const types = typesOf(schema);
	return types.length === 0 || types.some((type) => isOfType(value, type));
}

/**
 * The keywords that are judged here. All others (`pattern`, `multipleOf`, `uniqueItems`, `not`, `if`,
 * `contains`, `patternProperties`, `dependentRequired` and the like, and newer ones) are left to the
 * service, which judges every input. None of those here makes a value fit that would not fit without
 * it, so that leaving out others refuses no value that fits.
 */
const KEYWORDS: Record<string, Keyword> = {
	type: (_, place) => {
		const { value, schema } = place;
		if (isMeantFor(schema, value) || (value === null && schema.nullable === true)) return [];
		return wrong(place, `is ${shownValue(value, schema)}, not ${namedTypes(typesOf(schema))}`);
	},
	enum: (demand, place) => (Array.isArray(demand) ? amongst(demand, place) : []),
	const: (demand, place) => amongst([demand], place),

	minimum: bound('number', (found, least) => found >= least, 'less than'),
	maximum: bound('number', (found, max) => found <= max, 'more than'),
	exclusiveMinimum: bound('number', (found, limit) => found > limit, 'not more than'),
	exclusiveMaximum: bound('number', (found, limit) => found < limit, 'not less than'),
	minLength: bound('string', (found, least) => found >= least, 'fewer than'),
	maxLength: bound('string', (found, max) => found <= max, 'more than'),
	minItems: bound('array', (found, least) => found >= least, 'fewer than'),
	maxItems: bound('array', (found, max) => found <= max, 'more than'),

	format: (demand, place) => {
		const { value, schema } = place;
		const known = ownMember(FORMATS, String(demand));
		if (typeof value !== 'string' || known === undefined || known.mayBe(value)) return [];
		const shown = shownValue(value, schema);
		return wrong(place, `is ${shown}, not ${known.noun} such as ${known.example}`);
	},

	/** One schema for all items. Lists whose items have schemas each for its place are left to the service. */
	items: (demand, place) => {
		if (!isSchema(demand) || place.schema.prefixItems !== undefined) return [];
		return listIn(place.value).flatMap((value, index) => {
			const item = partContext(place, value, () => `item ${index + 1}`);
			return place.judge(demand, item);
		});
	},

	required: (demand, place) => {
		const { value } = place;
		if (!isJsonObject(value)) return [];
		const names = listIn(demand).filter((name) => typeof name === 'string');
		const missing = names.filter((name) => !Object.hasOwn(value, name));
		return missing.flatMap((name) => wrong(memberOf(place, null, name), 'is missing'));
	},
	properties: (demand, place) =>
		Object.entries(objectIn(place.value)).flatMap(([name, member]) => {
			const schema = ownMember(objectIn(demand), name);
			return isSchema(schema) ? place.judge(schema, memberOf(place, member, name)) : [];
		}),
	/** Of members that no other keyword speaks of. Where patterns tell which these are, they are left to the service. */
	additionalProperties: (demand, place) => {
		const { properties, patternProperties } = place.schema;
		if (!isSchema(demand) || patternProperties !== undefined) return [];
		return Object.entries(objectIn(place.value)).flatMap(([name, value]) => {
			if (Object.hasOwn(objectIn(properties), name)) return [];
			const member = partContext(place, value, () => fieldLabel(name));
			if (demand !== false) return place.judge(demand, member);
			const names = nameList(Object.keys(objectIn(properties)));
			return wrong(member, `is not a known field${names && `; known fields: ${names}`}`);
		});
	},

	$ref: (demand, place) => {
		const target = place.document.resolve(demand);
		return target === undefined ? [] : place.judge(target, place);
	},
	allOf: (demand, place) => schemaList(demand).flatMap((schema) => place.judge(schema, place)),
	anyOf,
	oneOf: anyOf,
};

/** How many schemas may apply within each other. */
const MAX_SCHEMA_LEVELS = 250;

/**
 * What is wrong with a value by a JSON Schema (drafts 4 to 2020-12), as far as `KEYWORDS` tell. Unknown
 * formats, references to elsewhere and a schema whose judgement takes too much work demand nothing.
 * `$ref` is followed within the schema and applies beside its siblings.
 *
 * @param part what of the schema to judge by
 * @returns a sentence for each fault, e.g. "Shop URL (url) is missing"; none when the value fits, or
 * may fit as far as can be told
 */
export function validate(
	document: SchemaDocument,
	value: JsonValue,
	part = document.root,
): string[] {
	const judge = (given: Schema, outer: ValidationContext): string[] => {
		if (typeof given === 'boolean') return given ? [] : wrong(outer, 'is not allowed');
		if (outer.under.includes(given)) return [];
		document.spend([outer.value, ...Object.values(given)]);
		if (outer.level === MAX_SCHEMA_LEVELS) throw new TooMuchWork('The schema nests too deep');
		const under = [...outer.under, given];
		const place = { ...outer, schema: withOpenBounds(given), under, level: outer.level + 1 };
		const problems = Object.entries(place.schema).flatMap(
			([name, demand]) => ownMember(KEYWORDS, name)?.(demand, place) ?? [],
		);
		document.spend(problems);
		return problems;
	};

	const whole = { value, label: () => '', under: [], level: 0, schema: {}, document, judge };
	// The same fault may show in two parts of a schema.
	return [...new Set(document.tryTo(() => judge(part, whole)))];
}
