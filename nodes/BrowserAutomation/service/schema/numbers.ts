import type { Keyword } from './keyword';

/** A keyword that compares a number with a bound. */
function bound(holds: (value: number, bound: number) => boolean, words: string): Keyword {
	return (demand, value, { wrong }) => {
		if (typeof value !== 'number' || typeof demand !== 'number' || holds(value, demand)) return [];
		return wrong(`is ${value}, ${words} ${demand}`);
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
	exclusiveMinimum: bound((value, limit) => value > limit, 'not more than'),
	exclusiveMaximum: bound((value, limit) => value < limit, 'not less than'),
	multipleOf,
};
