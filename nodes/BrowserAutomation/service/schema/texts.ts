import type { JsonValue } from '../json';
import { FORMATS } from './formats';
import type { Keyword } from './keyword';
import { shownValue } from './wording';

/** Length in characters as people count them, not in UTF-16 units. */
function lengthOf(text: string): number {
	return Array.from(text).length;
}

const minLength: Keyword = (demand, value, { wrong }) => {
	if (typeof value !== 'string' || typeof demand !== 'number') return [];
	if (value.length >= 2 * demand || lengthOf(value) >= demand) return [];
	return wrong(value === '' ? 'is empty' : `is shorter than ${counted(demand, 'character')}`);
};

const maxLength: Keyword = (demand, value, { wrong }) => {
	if (typeof value !== 'string' || typeof demand !== 'number') return [];
	if (value.length <= demand || lengthOf(value) <= demand) return [];
	return wrong(`is longer than ${counted(demand, 'character')}`);
};

/** A count with its noun, e.g. "1 item", "2 items". */
export function counted(count: number, noun: string): string {
	return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A regular expression of a schema (ECMA-262, Unicode where it allows that); undefined if it is none. */
export function toPattern(source: JsonValue): RegExp | undefined {
	if (typeof source !== 'string') return undefined;
	for (const flags of ['u', '']) {
		try {
			return new RegExp(source, flags);
		} catch {
			continue;
		}
	}
	return undefined;
}

const pattern: Keyword = (demand, value, { schema, wrong }) => {
	if (typeof value !== 'string' || toPattern(demand)?.test(value) !== false) return [];
	return wrong(
		`is ${shownValue(value, schema)}, which does not match the pattern ${String(demand)}`,
	);
};

const format: Keyword = (demand, value, { schema, wrong }) => {
	if (typeof value !== 'string' || typeof demand !== 'string') return [];
	const known = Object.hasOwn(FORMATS, demand) ? FORMATS[demand] : undefined;
	if (known === undefined || known.fits(value)) return [];
	return wrong(`is ${shownValue(value, schema)}, not ${known.words}`);
};

/** Keywords for text. */
export const TEXT_KEYWORDS: Record<string, Keyword> = { minLength, maxLength, pattern, format };
