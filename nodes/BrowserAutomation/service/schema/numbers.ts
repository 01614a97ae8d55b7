import type { JsonObject, JsonValue } from '../json/json';
import type { Keyword } from './keyword';

/** Numbers between which a value has to be, without being one of them. */
interface OpenBounds {
	above: number | undefined;
	below: number | undefined;
}

/** The exclusive bounds of a schema; in draft 4 they are `true`, beside the number that they are about. */
export function openBounds(schema: JsonObject): OpenBounds {
	const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
	return {
		above: numberOrNone(exclusiveMinimum === true ? minimum : exclusiveMinimum),
		below: numberOrNone(exclusiveMaximum === true ? maximum : exclusiveMaximum),
	};
}

function numberOrNone(value: JsonValue | undefined): number | undefined {
	return typeof value === 'number' ? value : undefined;
}

/** A keyword that compares a number with a bound. */
function bound(
	holds: (value: number, bound: number) => boolean,
	words: string,
	boundIn = (_: JsonObject, demand: JsonValue): JsonValue | undefined => demand,
): Keyword {
	return (demand, value, { schema, wrong }) => {
		const limit = boundIn(schema, demand);
		if (typeof value !== 'number' || typeof limit !== 'number' || holds(value, limit)) return [];
		return wrong(`is ${value}, ${words} ${limit}`);
	};
}

const multipleOf: Keyword = (demand, value, { wrong }) => {
	if (typeof value !== 'number' || typeof demand !== 'number' || demand <= 0) return [];
	return isMultiple(value, demand) ? [] : wrong(`is ${value}, not a multiple of ${demand}`);
};

/** How far a quotient may be from a whole number, since 0.3 / 0.1 is 2.9999999999999996. */
const ROUNDING = 1e-9;

function isMultiple(value: number, divisor: number): boolean {
	const quotient = value / divisor;
	if (!Number.isFinite(quotient)) return value % divisor === 0;
	return Math.abs(quotient - Math.round(quotient)) < ROUNDING;
}

/** Keywords for numbers. */
export const NUMBER_KEYWORDS: Record<string, Keyword> = {
	minimum: bound((value, least) => value >= least, 'less than'),
	maximum: bound((value, most) => value <= most, 'more than'),
	exclusiveMinimum: bound(
		(value, limit) => value > limit,
		'not more than',
		(schema) => openBounds(schema).above,
	),
	exclusiveMaximum: bound(
		(value, limit) => value < limit,
		'not less than',
		(schema) => openBounds(schema).below,
	),
	multipleOf,
};
