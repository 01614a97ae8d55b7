import { isJsonObject, type JsonObject, type JsonValue } from '../json/json';
import { CHARACTERS_A_STEP, type Budget } from './budget';
import { wrong, type Keyword } from './keyword';
import { openBounds } from './schema';
import { counted } from './wording';

/** What a bound is about. */
interface Measure {
	/** How much is in a value; undefined for a value of another type. */
	of(value: JsonValue, budget: Budget): number | undefined;
	/** Says how that stands to the bound, e.g. "has 2 items, more than 1". */
	tell(found: number, relation: string, bound: number): string;
}

const NUMBER: Measure = {
	of: (value) => (typeof value === 'number' ? value : undefined),
	tell: (found, relation, bound) => `is ${found}, ${relation} ${bound}`,
};

const ITEMS: Measure = {
	of: (value) => (Array.isArray(value) ? value.length : undefined),
	tell: (found, relation, bound) => `has ${counted(found, 'item')}, ${relation} ${bound}`,
};

const MEMBERS: Measure = {
	of: (value) => (isJsonObject(value) ? Object.keys(value).length : undefined),
	tell: (found, relation, bound) => `has ${counted(found, 'field')}, ${relation} ${bound}`,
};

/** Characters as people count them, not in UTF-16 units. */
const CHARACTERS: Measure = {
	of: (value, budget) => {
		if (typeof value !== 'string') return undefined;
		budget.spend(value.length / CHARACTERS_A_STEP);
		return value.length - (value.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
	},
	tell: (found, relation, bound) =>
		found === 0 ? 'is empty' : `is ${relation} ${counted(bound, 'character')}`,
};

type Comparison = (found: number, bound: number) => boolean;

/** A keyword that holds what is in a value against a bound: its own, or one that it only helps to state. */
function bound(
	{ of, tell }: Measure,
	holds: Comparison,
	relation: string,
	boundOf?: (schema: JsonObject) => number | undefined,
): Keyword {
	return (demand, value, { schema, budget }) => {
		const limit = boundOf === undefined ? demand : boundOf(schema);
		const found = typeof limit === 'number' ? of(value, budget) : undefined;
		if (typeof limit !== 'number' || found === undefined || holds(found, limit)) return [];
		return wrong(tell(found, relation, limit));
	};
}

const isAtLeast: Comparison = (found, least) => found >= least;
const isAtMost: Comparison = (found, most) => found <= most;
const isAbove: Comparison = (found, bound) => found > bound;
const isBelow: Comparison = (found, bound) => found < bound;

/** How far a quotient may be from a whole number, since 0.3 / 0.1 is 2.9999999999999996. */
const ROUNDING = 1e-9;

const isMultiple: Comparison = (found, divisor) => {
	if (divisor <= 0) return true;
	const quotient = found / divisor;
	if (!Number.isFinite(quotient)) return found % divisor === 0;
	return Math.abs(quotient - Math.round(quotient)) < ROUNDING;
};

/** Keywords that bound a number, or how much is in a text, a list or an object. */
export const BOUNDS: Record<string, Keyword> = {
	minimum: bound(NUMBER, isAtLeast, 'less than'),
	maximum: bound(NUMBER, isAtMost, 'more than'),
	exclusiveMinimum: bound(NUMBER, isAbove, 'not more than', (schema) => openBounds(schema).above),
	exclusiveMaximum: bound(NUMBER, isBelow, 'not less than', (schema) => openBounds(schema).below),
	multipleOf: bound(NUMBER, isMultiple, 'not a multiple of'),
	minLength: bound(CHARACTERS, isAtLeast, 'shorter than'),
	maxLength: bound(CHARACTERS, isAtMost, 'longer than'),
	minItems: bound(ITEMS, isAtLeast, 'fewer than'),
	maxItems: bound(ITEMS, isAtMost, 'more than'),
	minProperties: bound(MEMBERS, isAtLeast, 'fewer than'),
	maxProperties: bound(MEMBERS, isAtMost, 'more than'),
};
